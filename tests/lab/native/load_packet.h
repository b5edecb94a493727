/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The packet that sender makes and order reads: 60 bytes, what Ethernet has at least. */

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <stdint.h>

#define LOAD_MAGIC 0x6e696362 /* of packets that are counted; else 0 */

struct load_packet {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	uint32_t magic;
	uint32_t flow; /* from 0 */
	uint32_t seq;  /* of this flow, from 0 */
	uint8_t rest[6];
} __attribute__((packed));

_Static_assert(sizeof(struct load_packet) == 60, "no more than Ethernet has at least");
