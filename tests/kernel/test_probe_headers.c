/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets by entry of the RSS table where the NIC told no hash, in both flavours, on a real kernel.
 * A tap with several queues is the NIC: what is written to it comes in the queue of the descriptor,
 * without a hash (drivers/net/tun.c tun_get_user()). Which queue a NIC would choose is reckoned
 * here bit by bit, as Microsoft has it. */
#include "kernel/test_probe.h"

#include <linux/if_ether.h>
#include <linux/if_tun.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <sys/ioctl.h>

#define QUEUES 4u
#define BUCKETS 128u
#define FRAME 128u

static const uint8_t key[NB_TOEPLITZ_KEY] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

struct nic {
	struct bench *bench;
	int fds[QUEUES];
};

struct frame {
	uint8_t bytes[FRAME];
	unsigned size;
	uint8_t input[NB_TOEPLITZ_INPUT]; /* of the hash */
	unsigned n;
};

static uint32_t hash_of(const struct frame *frame)
{
	uint32_t hash = 0;

	for (unsigned i = 0; i < 8 * frame->n; i++) {
		if (!(frame->input[i / 8] & 0x80u >> i % 8))
			continue;
		for (unsigned bit = 0; bit < 32; bit++)
			if (key[(i + bit) / 8] & 0x80u >> (i + bit) % 8)
				hash ^= 0x80000000u >> bit;
	}
	return hash;
}

static void append(struct frame *frame, const void *bytes, unsigned n)
{
	assert_true(frame->size + n <= FRAME);
	memcpy(frame->bytes + frame->size, bytes, n);
	frame->size += n;
}

static void append_number(struct frame *frame, uint16_t number)
{
	uint16_t bytes = htons(number);

	append(frame, &bytes, sizeof(bytes));
}

static struct frame begin_frame(uint16_t protocol)
{
	static const uint8_t addresses[2 * ETH_ALEN] = {2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8};
	struct frame frame = {0};

	append(&frame, addresses, sizeof(addresses));
	append_number(&frame, protocol);
	return frame;
}

static void hash_last(struct frame *frame, unsigned n)
{
	memcpy(frame->input + frame->n, frame->bytes + frame->size - n, n);
	frame->n += n;
}

/* Source and destination of the nth flow. */
static void append_ports(struct frame *frame, unsigned nth, bool hashed)
{
	append_number(frame, (uint16_t)(1024 + 7 * nth));
	append_number(frame, 443);
	if (hashed)
		hash_last(frame, 4);
	frame->size = 60; /* what Ethernet has at least */
}

static void append_ipv4(struct frame *frame, unsigned nth, uint8_t protocol, uint16_t fragment,
			unsigned options)
{
	struct iphdr ip = {
		.version = 4,
		.ihl = (5 + options) & 15,
		.tot_len = htons(46),
		.ttl = 64,
		.protocol = protocol,
		.frag_off = htons(fragment),
		.saddr = htonl(0x0a4d0100 + nth),
		.daddr = htonl(0x0a4d0001),
	};
	const uint32_t option = 0x01010101;

	append(frame, &ip, sizeof(ip));
	hash_last(frame, 8);
	for (unsigned i = 0; i < options; i++)
		append(frame, &option, sizeof(option));
}

static void append_ipv6(struct frame *frame, unsigned nth, uint8_t next)
{
	struct ipv6hdr ip = {.version = 6, .nexthdr = next, .hop_limit = 64};

	ip.saddr.s6_addr[0] = ip.daddr.s6_addr[0] = 0xfd;
	ip.saddr.s6_addr[15] = (uint8_t)nth;
	ip.daddr.s6_addr[7] = 3;
	append(frame, &ip, sizeof(ip));
	hash_last(frame, 32);
}

static struct frame ipv4(unsigned nth, uint8_t protocol, bool hashes_ports)
{
	struct frame frame = begin_frame(ETH_P_IP);

	append_ipv4(&frame, nth, protocol, 0, 0);
	append_ports(&frame, nth, hashes_ports);
	return frame;
}

static struct frame ipv6(unsigned nth, uint8_t next, bool hashes_ports)
{
	struct frame frame = begin_frame(ETH_P_IPV6);

	append_ipv6(&frame, nth, next);
	append_ports(&frame, nth, hashes_ports);
	return frame;
}

static void open_queues(struct nic *nic, struct bench *bench)
{
	struct ifreq request = {.ifr_name = "vt0",
				.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_NAPI | IFF_MULTI_QUEUE};

	nic->bench = bench;
	for (unsigned i = 0; i < QUEUES; i++) {
		nic->fds[i] = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
		if (nic->fds[i] < 0 || ioctl(nic->fds[i], TUNSETIFF, &request) < 0)
			nb_skip("this kernel has no tap with NAPI");
	}
	run("ip link set vt0 up");
}

static void close_queues(const struct nic *nic)
{
	for (unsigned i = 0; i < QUEUES; i++)
		close(nic->fds[i]);
}

static void count(const struct nic *nic, uint32_t ports)
{
	const struct nb_probe_hashing hashing = {key, ports};
	uint32_t queues[BUCKETS];

	for (unsigned i = 0; i < BUCKETS; i++)
		queues[i] = i % QUEUES;
	assert_int_equal(nb_probe_count_buckets(nic->bench->probe, (int)if_nametoindex("vt0"),
						queues, BUCKETS, &hashing),
			 0);
}

static uint32_t sum(const struct nic *nic)
{
	const struct nb_probe_bucket *buckets = nb_probe_buckets(nic->bench->probe);
	uint32_t packets = 0;

	for (unsigned i = 0; i < NB_PROBE_BUCKETS_MAX; i++)
		packets += buckets[i].packets + buckets[i].strayed;
	return packets;
}

/* What came of it: the counters of this bucket are later by so much. */
static struct nb_probe_bucket receive(const struct nic *nic, const struct frame *frame,
				      unsigned queue, unsigned bucket)
{
	const struct nb_probe_bucket *now = &nb_probe_buckets(nic->bench->probe)[bucket];
	struct nb_probe_bucket before = *now;
	uint32_t counted = sum(nic);

	assert_int_equal(write(nic->fds[queue], frame->bytes, frame->size), frame->size);
	await(sum(nic) == counted + 1);
	return (struct nb_probe_bucket){
		.packets = now->packets - before.packets,
		.strayed = now->strayed - before.strayed,
		.reckoned = now->reckoned - before.reckoned,
		.reckoned_strayed = now->reckoned_strayed - before.reckoned_strayed,
	};
}

static void assert_reckoned(const struct nic *nic, const struct frame *frame)
{
	unsigned bucket = hash_of(frame) % BUCKETS;
	struct nb_probe_bucket came = receive(nic, frame, bucket % QUEUES, bucket);

	assert_int_equal(came.packets, 1);
	assert_int_equal(came.reckoned, 1);
	assert_int_equal(came.reckoned_strayed, 0);
	came = receive(nic, frame, (bucket + 1) % QUEUES, bucket);
	assert_int_equal(came.strayed, 1);
	assert_int_equal(came.reckoned, 0);
	assert_int_equal(came.reckoned_strayed, 1);
}

static void assert_strays(const struct nic *nic, const struct frame *frame)
{
	for (unsigned queue = 0; queue < QUEUES; queue++) {
		struct nb_probe_bucket came = receive(nic, frame, queue, 0);

		assert_int_equal(came.strayed, 1);
		assert_int_equal(came.reckoned_strayed, 0);
	}
}

static void hashes_of_addresses_and_ports_are_those_of_the_nic(void **state)
{
	struct nic nic;

	open_queues(&nic, *state);
	count(&nic, NB_PROBE_TCP4 | NB_PROBE_UDP4 | NB_PROBE_TCP6 | NB_PROBE_UDP6);
	for (unsigned i = 0; i < 16; i++) {
		const struct frame frames[] = {
			ipv4(i, IPPROTO_TCP, true),     ipv4(i, IPPROTO_UDP, true),
			ipv6(i, IPPROTO_TCP, true),     ipv6(i, IPPROTO_UDP, true),
			ipv4(i, IPPROTO_ICMP, false),   ipv4(i, IPPROTO_GRE, false),
			ipv6(i, IPPROTO_ICMPV6, false),
		};

		for (unsigned k = 0; k < G_N_ELEMENTS(frames); k++)
			assert_reckoned(&nic, &frames[k]);
	}
	close_queues(&nic);
}

static void ports_count_for_what_the_nic_hashes_by_ports(void **state)
{
	static const struct {
		uint32_t flag;
		unsigned version;
		uint8_t protocol;
	} kinds[] = {
		{NB_PROBE_TCP4, 4, IPPROTO_TCP},
		{NB_PROBE_UDP4, 4, IPPROTO_UDP},
		{NB_PROBE_TCP6, 6, IPPROTO_TCP},
		{NB_PROBE_UDP6, 6, IPPROTO_UDP},
	};
	struct nic nic;

	open_queues(&nic, *state);
	for (unsigned with = 0; with < G_N_ELEMENTS(kinds); with++) {
		count(&nic, kinds[with].flag);
		for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
			struct frame frame = kinds[i].version == 4
						     ? ipv4(5, kinds[i].protocol, i == with)
						     : ipv6(5, kinds[i].protocol, i == with);

			assert_reckoned(&nic, &frame);
		}
	}
	close_queues(&nic);
}

static void fragments_have_no_ports(void **state)
{
	static const uint16_t fragments[] = {0x2000, 0x2003, 0x0003};
	struct frame frame;
	struct nic nic;

	open_queues(&nic, *state);
	count(&nic, NB_PROBE_UDP4 | NB_PROBE_UDP6);
	for (unsigned i = 0; i < G_N_ELEMENTS(fragments); i++) {
		frame = begin_frame(ETH_P_IP);
		append_ipv4(&frame, 1, IPPROTO_UDP, fragments[i], 0);
		append_ports(&frame, 1, false);
		assert_reckoned(&nic, &frame);
	}
	frame = ipv6(1, IPPROTO_FRAGMENT, false);
	assert_reckoned(&nic, &frame);
	/* Which only asks not to be fragmented. */
	frame = begin_frame(ETH_P_IP);
	append_ipv4(&frame, 1, IPPROTO_UDP, 0x4000, 0);
	append_ports(&frame, 1, true);
	assert_reckoned(&nic, &frame);
	close_queues(&nic);
}

static void ports_are_found_behind_options_and_all_behind_a_tag(void **state)
{
	struct frame frame;
	struct nic nic;

	open_queues(&nic, *state);
	count(&nic, NB_PROBE_TCP4);
	frame = begin_frame(ETH_P_IP);
	append_ipv4(&frame, 2, IPPROTO_TCP, 0, 3);
	append_ports(&frame, 2, true);
	assert_reckoned(&nic, &frame);

	frame = begin_frame(ETH_P_8021Q);
	append_number(&frame, 0x2005);
	append_number(&frame, ETH_P_IP);
	append_ipv4(&frame, 3, IPPROTO_TCP, 0, 0);
	append_ports(&frame, 3, true);
	assert_reckoned(&nic, &frame);
	close_queues(&nic);
}

static void what_has_no_such_headers_strays(void **state)
{
	struct frame frame;
	struct nic nic;

	open_queues(&nic, *state);
	count(&nic, NB_PROBE_TCP4 | NB_PROBE_TCP6);
	frame = begin_frame(ETH_P_ARP);
	frame.size = 60;
	assert_strays(&nic, &frame);
	/* Cut in the tag, in the addresses, and in the ports. */
	frame = begin_frame(ETH_P_8021Q);
	frame.size = ETH_HLEN + 3;
	assert_strays(&nic, &frame);
	frame = ipv4(1, IPPROTO_TCP, true);
	frame.size = ETH_HLEN + 19;
	assert_strays(&nic, &frame);
	frame.size = ETH_HLEN + 23;
	assert_strays(&nic, &frame);
	frame = ipv6(1, IPPROTO_TCP, true);
	frame.size = ETH_HLEN + 39;
	assert_strays(&nic, &frame);
	frame.size = ETH_HLEN + 43;
	assert_strays(&nic, &frame);
	close_queues(&nic);
}

static void nothing_is_reckoned_without_a_key(void **state)
{
	struct frame frame = ipv4(1, IPPROTO_TCP, true);
	const uint32_t table[] = {0, 0};
	struct bench *bench = *state;
	struct nic nic;

	open_queues(&nic, bench);
	count(&nic, NB_PROBE_TCP4);
	assert_int_equal(
		nb_probe_count_buckets(bench->probe, (int)if_nametoindex("vt0"), table, 2, NULL),
		0);
	assert_strays(&nic, &frame);
	close_queues(&nic);
}

static int run_flavour(bool typed)
{
	struct bench bench = {.typed = typed};
	const struct CMUnitTest tests[] = {
		WITH_BENCH(hashes_of_addresses_and_ports_are_those_of_the_nic, &bench),
		WITH_BENCH(ports_count_for_what_the_nic_hashes_by_ports, &bench),
		WITH_BENCH(fragments_have_no_ports, &bench),
		WITH_BENCH(ports_are_found_behind_options_and_all_behind_a_tag, &bench),
		WITH_BENCH(what_has_no_such_headers_strays, &bench),
		WITH_BENCH(nothing_is_reckoned_without_a_key, &bench),
	};

	return cmocka_run_group_tests_name(typed ? "tp_btf" : "raw_tp", tests, NULL, NULL);
}

int main(void)
{
	return run_flavours(run_flavour);
}
