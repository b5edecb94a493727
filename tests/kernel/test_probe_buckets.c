/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets by entry of the RSS table, in both flavours, on a real kernel. A veth has no table, but
 * its packets have what is needed: a hash, which is the flow's own as long as its socket lives, and
 * the queue that the sender chose by it. */
#include "kernel/test_probe.h"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>

#define QUEUES 4

struct counts {
	uint64_t packets, strayed;
};

static struct counts sum_buckets(const struct bench *bench)
{
	const struct nb_probe_bucket *buckets = nb_probe_buckets(bench->probe);
	struct counts sum = {0};

	for (unsigned i = 0; buckets && i < NB_PROBE_BUCKETS_MAX; i++) {
		sum.packets += buckets[i].packets;
		sum.strayed += buckets[i].strayed;
	}
	return sum;
}

/* A packet is counted before the poll that took it in is over. */
static void send_polled(const struct bench *bench, int fd, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t before = take(bench).packets;

		assert_int_equal(send(fd, "x", 1, 0), 1);
		await(take(bench).packets > before);
	}
}

static void send_from_all(const struct bench *bench)
{
	for (unsigned i = 0; i < FLOWS; i++)
		send_polled(bench, bench->fds[i], 1);
}

static void count_in(const struct bench *bench, int ifindex, uint32_t queue, unsigned n)
{
	uint32_t queues[NB_PROBE_BUCKETS_MAX];

	for (unsigned i = 0; i < n; i++)
		queues[i] = queue;
	assert_int_equal(nb_probe_count_buckets(bench->probe, ifindex, queues, n, NULL), 0);
}

static struct counts send_and_sum(const struct bench *bench)
{
	struct counts before = sum_buckets(bench), after;

	send_from_all(bench);
	after = sum_buckets(bench);
	return (struct counts){after.packets - before.packets, after.strayed - before.strayed};
}

/* Since 5.17 (drivers/net/veth.c veth_xmit()) a veth records no queue. What it leaves is the one
 * that the sender chose, which is taken for a queue plus one: then packets of the first have none,
 * and always stray. */
static void a_packet_is_in_the_queue_of_the_table_or_strays(void **state)
{
	struct bench *bench = *state;
	uint64_t packets = 0;

	scope(bench, bench->ifindex);
	for (uint32_t queue = 0; queue < QUEUES; queue++) {
		struct counts came;

		count_in(bench, bench->ifindex, queue, 128);
		came = send_and_sum(bench);
		assert_int_equal(came.packets + came.strayed, FLOWS);
		assert_true(came.packets > 0 || queue == QUEUES - 1);
		packets += came.packets;
	}
	assert_in_range(packets, FLOWS / 2, FLOWS);
	count_in(bench, bench->ifindex, QUEUES, 128);
	assert_int_equal(send_and_sum(bench).strayed, FLOWS);
}

/* Of the packets of one flow, which all are in one. */
static unsigned find_bucket(const struct bench *bench, int fd, unsigned n)
{
	struct nb_probe_bucket before[NB_PROBE_BUCKETS_MAX];
	const struct nb_probe_bucket *now;
	unsigned found = n;

	count_in(bench, bench->ifindex, 0, n);
	now = nb_probe_buckets(bench->probe);
	memcpy(before, now, sizeof(before));
	send_polled(bench, fd, 3);
	for (unsigned i = 0; i < NB_PROBE_BUCKETS_MAX; i++) {
		unsigned came =
			now[i].packets - before[i].packets + now[i].strayed - before[i].strayed;

		assert_true(came == 0 || came == 3);
		if (came > 0) {
			assert_int_equal(found, n);
			found = i;
		}
	}
	assert_true(found < n);
	return found;
}

/* Of a table of 1536 entries no bits of the hash are the entry. That 16 hashes, which are random,
 * leave one of three remainders out comes once in 200 times, that they have one alone never. */
static void a_bucket_is_the_hash_modulo_the_entries(void **state)
{
	struct bench *bench = *state;
	unsigned seen = 0;

	scope(bench, bench->ifindex);
	for (unsigned i = 0; i < 16; i++) {
		unsigned bucket = find_bucket(bench, bench->fds[i], NB_PROBE_BUCKETS_MAX);
		unsigned other = find_bucket(bench, bench->fds[i], 1536);

		assert_int_equal(bucket % 512, other % 512);
		assert_int_equal(find_bucket(bench, bench->fds[i], 3), other % 3);
		seen |= 1u << other % 3;
	}
	assert_true(seen & (seen - 1));
}

static void packets_of_other_devices_are_not_counted(void **state)
{
	struct bench *bench = *state;

	scope(bench, bench->ifindex);
	count_in(bench, (int)if_nametoindex("vv0"), 0, 128);
	assert_int_equal(send_and_sum(bench).strayed, 0);
	assert_int_equal(sum_buckets(bench).packets, 0);
	count_in(bench, bench->ifindex, 0, 128);
	assert_true(send_and_sum(bench).packets > 0);
}

static void nothing_is_counted_before_or_afterwards(void **state)
{
	struct bench *bench = *state;
	struct counts counted;

	scope(bench, bench->ifindex);
	assert_null(nb_probe_buckets(bench->probe));
	count_in(bench, bench->ifindex, 0, 128);
	count_in(bench, bench->ifindex, 1, 128);
	for (unsigned i = 0; i < G_N_ELEMENTS(bench->probe->bucket_links); i++)
		assert_true(bench->probe->bucket_links[i] >= 0);
	counted = send_and_sum(bench);
	assert_int_equal(counted.packets + counted.strayed, FLOWS);

	nb_probe_stop_buckets(bench->probe);
	for (unsigned i = 0; i < G_N_ELEMENTS(bench->probe->bucket_links); i++)
		assert_int_equal(bench->probe->bucket_links[i], -1);
	counted = send_and_sum(bench);
	assert_int_equal(counted.packets + counted.strayed, 0);
}

static void what_is_stopped_can_be_counted_again(void **state)
{
	struct bench *bench = *state;
	struct counts counted;

	scope(bench, bench->ifindex);
	count_in(bench, bench->ifindex, 0, 128);
	nb_probe_stop_buckets(bench->probe);
	count_in(bench, bench->ifindex, 0, 128);
	counted = send_and_sum(bench);
	assert_int_equal(counted.packets + counted.strayed, FLOWS);
}

/* Interface numbers begin again in each namespace, so the other one's can be the same. */
static void a_device_of_another_namespace_is_not_counted(void **state)
{
	struct bench *bench = *state;

	load_probe_elsewhere(bench);
	count_in(bench, bench->ifindex, 0, 128);
	send_packets(bench, FLOWS);
	await(take(bench).other > 0);
	assert_int_equal(sum_buckets(bench).packets + sum_buckets(bench).strayed, 0);
}

static int open_tap(struct ifreq *request)
{
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	*request = (struct ifreq){.ifr_name = "vt0",
				  .ifr_flags = IFF_TAP | IFF_NO_PI | IFF_NAPI | IFF_NAPI_FRAGS};
	if (fd < 0 || ioctl(fd, TUNSETIFF, request) < 0)
		nb_skip("this kernel has no tap with NAPI");
	return fd;
}

/* A tap hands what is written to it over in fragments, as some NICs do, with its queue and without
 * a hash (drivers/net/tun.c tun_get_user()). */
static void packets_in_fragments_are_counted_and_stray_without_a_hash(void **state)
{
	struct bench *bench = *state;
	const char frame[60] = {2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x08, 0x06};
	struct ifreq request;
	int fd = open_tap(&request);

	run("ip link set vt0 up");
	count_in(bench, (int)if_nametoindex("vt0"), 0, 128);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(write(fd, frame, sizeof(frame)), sizeof(frame));
	assert_int_equal(nb_probe_buckets(bench->probe)[0].strayed, 10);
	assert_int_equal(sum_buckets(bench).strayed, 10);
	assert_int_equal(sum_buckets(bench).packets, 0);
	close(fd);
}

static int run_flavour(bool typed)
{
	struct bench bench = {.typed = typed};
	const struct CMUnitTest tests[] = {
		WITH_BENCH(a_packet_is_in_the_queue_of_the_table_or_strays, &bench),
		WITH_BENCH(a_bucket_is_the_hash_modulo_the_entries, &bench),
		WITH_BENCH(packets_of_other_devices_are_not_counted, &bench),
		WITH_BENCH(nothing_is_counted_before_or_afterwards, &bench),
		WITH_BENCH(what_is_stopped_can_be_counted_again, &bench),
		WITH_BENCH(packets_in_fragments_are_counted_and_stray_without_a_hash, &bench),
		WITH_BENCH(a_device_of_another_namespace_is_not_counted, &bench),
	};

	return cmocka_run_group_tests_name(typed ? "tp_btf" : "raw_tp", tests, NULL, NULL);
}

int main(void)
{
	return run_flavours(run_flavour);
}
