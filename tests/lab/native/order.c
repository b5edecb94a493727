/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts packets of the lab's sender that came to the protocol layers of the guest out of their
 *order. Runs in the guest.
 *
 *	order DEVICE MILLISECONDS
 *
 * Says "ready", takes down what comes for so long and only then looks at it, so that it costs
 *little meanwhile: a line "PACKETS REORDERED MISSED", where a packet is reordered if one of its
 *flow with a higher number came before it, and missed are those that there was no room to take
 *down. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "load_packet.h"

#define BLOCK_SIZE (1U << 20)
#define N_BLOCKS 16U
#define MAX_FLOWS 4096

struct counts {
	unsigned long packets;
	unsigned long reordered;
	uint32_t next[MAX_FLOWS];
};

static void die(const char *what)
{
	fprintf(stderr, "order: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Packets begin to be taken down when this returns. */
static char *open_ring(int fd, const char *device)
{
	int version = TPACKET_V3;
	struct tpacket_req3 request = {
		.tp_block_size = BLOCK_SIZE,
		.tp_block_nr = N_BLOCKS,
		.tp_frame_size = 2048,
		.tp_frame_nr = BLOCK_SIZE / 2048 * N_BLOCKS,
		.tp_retire_blk_tov = 100,
	};
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_IP),
		.sll_ifindex = (int)if_nametoindex(device),
	};
	char *ring;

	if (setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) < 0 ||
	    setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)) < 0)
		die("cannot make a ring");
	ring = mmap(NULL, (size_t)BLOCK_SIZE * N_BLOCKS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		die("cannot map the ring");
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die(device);
	return ring;
}

static void count_packet(const struct load_packet *packet, struct counts *counts)
{
	uint32_t flow = ntohl(packet->flow), seq = ntohl(packet->seq);

	if (ntohl(packet->magic) != LOAD_MAGIC || flow >= MAX_FLOWS)
		return;
	counts->packets++;
	if (seq < counts->next[flow])
		counts->reordered++;
	else
		counts->next[flow] = seq + 1;
}

static void count_block(const char *data, struct counts *counts)
{
	const struct tpacket_block_desc *block = (const void *)data;
	const struct tpacket3_hdr *frame;

	if (!(block->hdr.bh1.block_status & TP_STATUS_USER))
		return;
	data += block->hdr.bh1.offset_to_first_pkt;
	for (uint32_t i = 0; i < block->hdr.bh1.num_pkts; i++) {
		frame = (const void *)data;
		if (frame->tp_snaplen >= sizeof(struct load_packet))
			count_packet((const void *)(data + frame->tp_mac), counts);
		data += frame->tp_next_offset;
	}
}

int main(int argc, char **argv)
{
	static struct counts counts;
	struct tpacket_stats_v3 stats = {0};
	socklen_t size = sizeof(stats);
	struct timespec length;
	long milliseconds;
	char *ring;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: order DEVICE MILLISECONDS\n");
		return 2;
	}
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0)
		die("cannot make a socket");
	ring = open_ring(fd, argv[1]);
	puts("ready");
	fflush(stdout);
	milliseconds = atol(argv[2]);
	length = (struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000};
	nanosleep(&length, NULL);

	/* No more from here; the block that is being filled is handed over by the timer. */
	if (getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) < 0)
		die("cannot ask how many were missed");
	usleep(300000);
	for (unsigned int i = 0; i < N_BLOCKS; i++)
		count_block(ring + (size_t)i * BLOCK_SIZE, &counts);
	printf("%lu %lu %u\n", counts.packets, counts.reordered, stats.tp_drops);
	return 0;
}
