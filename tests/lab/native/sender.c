/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the load of the lab outside the emulated machine: UDP packets into the host's end of a tap,
 *at the pace that a file asks for. Runs on the host, in the machine's network namespace, until it
 *is killed.
 *
 *	sender TAP PACE SENT
 *
 * PACE holds "PPS FLOWS HOSTS" and is read again all the time, so that the machine itself says what
 *it gets; 0 packets a second hold the load. FLOWS 0: each packet from a random port, and from a
 *random address if HOSTS is 0, else from one of so many. FLOWS N: packet by packet from one of N
 *fixed senders, each counting its packets in the payload (struct load_packet). SENT gets "PACKETS
 *PPS": how many were made so far, lost ones included, and the pace that was obeyed last. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "load_packet.h"

#define NSEC_PER_SEC 1000000000LL
/* The pace is made of bursts: shorter ones cost the host more, longer ones overrun the ring of a
 * NIC. */
#define TICK_NSEC 1000000LL
#define TICKS_PER_LOOK 20
/* What a sender that was kept from running makes up for at once: no more than this. */
#define LATE_NSEC (10 * TICK_NSEC)
#define MAX_BURST 1024
#define MAX_FLOWS 4096

struct sender {
	int fd;
	const char *pace_path;
	int sent_fd;

	unsigned long pps;
	unsigned long n_flows;
	unsigned long n_hosts;
	unsigned long long sent;
	uint64_t random;
	uint32_t seq[MAX_FLOWS];
	unsigned long next_flow;

	struct load_packet packets[MAX_BURST];
	struct iovec parts[MAX_BURST];
	struct mmsghdr messages[MAX_BURST];
};

static void die(const char *what)
{
	fprintf(stderr, "sender: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long long now_nsec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static uint64_t next_random(struct sender *sender)
{
	sender->random ^= sender->random << 13;
	sender->random ^= sender->random >> 7;
	sender->random ^= sender->random << 17;
	return sender->random;
}

static uint16_t ip_checksum(const struct load_packet *packet)
{
	uint16_t words[10];
	uint32_t sum = 0;

	memcpy(words, &packet->ip, sizeof(words));
	for (int i = 0; i < 10; i++)
		sum += words[i];
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

/* What is the same in all packets. */
static void prepare_packet(struct load_packet *packet)
{
	static const uint8_t to[] = {0x52, 0x54, 0x00, 0x6c, 0x61, 0x00};
	static const uint8_t from[] = {0x52, 0x54, 0x00, 0x6c, 0x61, 0x01};

	memset(packet, 0, sizeof(*packet));
	memcpy(packet->eth.h_dest, to, sizeof(to));
	memcpy(packet->eth.h_source, from, sizeof(from));
	packet->eth.h_proto = htons(ETH_P_IP);
	packet->ip.version = 4;
	packet->ip.ihl = 5;
	packet->ip.tot_len = htons(sizeof(*packet) - sizeof(packet->eth));
	packet->ip.ttl = 64;
	packet->ip.protocol = IPPROTO_UDP;
	packet->ip.daddr = htonl(0x0a4d0001); /* 10.77.0.1 */
	packet->udp.dest = htons(9);
	packet->udp.len = htons(sizeof(*packet) - sizeof(packet->eth) - sizeof(packet->ip));
}

/* 10.77.1.1 to 10.77.250.250, ports above 1023. */
static void set_flow(struct load_packet *packet, unsigned int a, unsigned int b, unsigned int port)
{
	packet->ip.saddr = htonl(0x0a4d0000 | (1 + a % 250) << 8 | (1 + b % 250));
	packet->udp.source = htons(1024 + port % 64000);
	packet->ip.check = 0;
	packet->ip.check = ip_checksum(packet);
}

static void make_packet(struct sender *sender, struct load_packet *packet)
{
	uint64_t random;
	unsigned long flow;

	if (sender->n_flows == 0) {
		random = next_random(sender);
		packet->magic = 0;
		if (sender->n_hosts != 0)
			set_flow(packet, 0, random % sender->n_hosts, random >> 40);
		else
			set_flow(packet, random >> 8 & 0xffff, random >> 24 & 0xffff, random >> 40);
		return;
	}
	flow = sender->next_flow++ % sender->n_flows;
	packet->magic = htonl(LOAD_MAGIC);
	packet->flow = htonl(flow);
	packet->seq = htonl(sender->seq[flow]++);
	set_flow(packet, flow / 250, flow, flow * 7919);
}

/* A packet that the tap has no room for is lost, as on a wire. */
static void send_burst(struct sender *sender, unsigned int n)
{
	unsigned int done = 0;
	int r;

	for (unsigned int i = 0; i < n; i++)
		make_packet(sender, &sender->packets[i]);
	while (done < n) {
		r = sendmmsg(sender->fd, sender->messages + done, n - done, 0);
		done += r > 0 ? (unsigned int)r : 1;
	}
	sender->sent += n;
}

static void look_for_pace(struct sender *sender)
{
	unsigned long pps, n_flows, n_hosts;
	FILE *file;

	file = fopen(sender->pace_path, "re");
	if (!file)
		return;
	/* It may be read while it is being written: then the next look tells. */
	if (fscanf(file, "%lu %lu %lu\n", &pps, &n_flows, &n_hosts) == 3 && n_flows <= MAX_FLOWS) {
		if (n_flows != sender->n_flows)
			memset(sender->seq, 0, sizeof(sender->seq));
		sender->pps = pps;
		sender->n_flows = n_flows;
		sender->n_hosts = n_hosts;
	}
	fclose(file);
}

static void tell_sent(const struct sender *sender)
{
	char text[64];
	int len;

	len = snprintf(text, sizeof(text), "%020llu %010lu\n", sender->sent, sender->pps);
	if (pwrite(sender->sent_fd, text, len, 0) != len)
		die("cannot tell how many were sent");
}

static void run(struct sender *sender)
{
	long long now, begun = now_nsec(), next = begun;
	unsigned long long due = 0;
	unsigned long pps = 0;

	for (unsigned int tick = 0;; tick++) {
		struct timespec wake = {next / NSEC_PER_SEC, next % NSEC_PER_SEC};

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
		now = now_nsec();
		if (tick % TICKS_PER_LOOK == 0) {
			look_for_pace(sender);
			tell_sent(sender);
		}
		/* From here on again, at another pace or if too much would have to be made up for.
		 */
		if (sender->pps != pps || now > next + LATE_NSEC) {
			pps = sender->pps;
			begun = now;
			due = 0;
		}
		next = now > next + LATE_NSEC ? now + TICK_NSEC : next + TICK_NSEC;
		while (due < (unsigned long long)(now - begun) * pps / NSEC_PER_SEC) {
			unsigned long long n =
				(unsigned long long)(now - begun) * pps / NSEC_PER_SEC - due;

			if (n > MAX_BURST)
				n = MAX_BURST;
			send_burst(sender, n);
			due += n;
		}
	}
}

static int open_tap(const char *name)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_IP),
		.sll_ifindex = (int)if_nametoindex(name),
	};
	int fd;

	if (address.sll_ifindex == 0)
		die(name);
	/* Protocol 0: it receives nothing. */
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0)
		die("cannot make a socket");
	address.sll_protocol = 0;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die("cannot bind to the tap");
	return fd;
}

static void prepare_messages(struct sender *sender, struct sockaddr_ll *to)
{
	for (unsigned int i = 0; i < MAX_BURST; i++) {
		prepare_packet(&sender->packets[i]);
		sender->parts[i] = (struct iovec){&sender->packets[i], sizeof(sender->packets[i])};
		sender->messages[i].msg_hdr = (struct msghdr){
			.msg_name = to,
			.msg_namelen = sizeof(*to),
			.msg_iov = &sender->parts[i],
			.msg_iovlen = 1,
		};
	}
}

int main(int argc, char **argv)
{
	static struct sender sender = {.random = 88172645463325252ULL};
	struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_halen = 6};

	if (argc != 4) {
		fprintf(stderr, "usage: sender TAP PACE SENT\n");
		return 2;
	}
	sender.fd = open_tap(argv[1]);
	sender.pace_path = argv[2];
	sender.sent_fd = open(argv[3], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (sender.sent_fd < 0)
		die(argv[3]);
	/* The tap chooses a queue by the flow, for which it needs to know the protocol. */
	to.sll_protocol = htons(ETH_P_IP);
	to.sll_ifindex = (int)if_nametoindex(argv[1]);
	prepare_messages(&sender, &to);
	run(&sender);
}
