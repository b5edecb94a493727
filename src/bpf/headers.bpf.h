/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The hash of a packet as the NIC makes it, from the packet's headers. Where GRO begins, its data
 * begins with the header behind Ethernet's, which skb->protocol names (eth_type_trans(),
 * net/core/gro.c napi_frags_skb()). */

#include "bpf/maps.bpf.h"

#include <bpf/bpf_endian.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#define IP_FRAGMENT 0x3fff /* include/net/ip.h: IP_MF | IP_OFFSET */

/* How a program reads a packet: by a dynptr, wherever the driver has put it (tp_btf since
 * Linux 6.11, "bpf: Allow bpf_dynptr_from_skb() for tp_btf"); or by its address, which finds
 * nothing of packets that are in pages, as those of virtio-net may be. A program with calls of the
 * kernel's functions is refused where these cannot be made, used or not; so it is one of its own.
 */
enum reader { READER_RAW, READER_TYPED, READER_DYNPTR };

/* Whether programs may read by address, which lockdown forbids. The rest of the probe does not need
 * it with tp_btf, so that is to be known before they are loaded. */
const volatile bool reads_memory;

extern int bpf_dynptr_from_skb(struct sk_buff *skb, __u64 flags,
			       struct bpf_dynptr *ret) __ksym __weak;
extern const void *bpf_dynptr_slice(const struct bpf_dynptr *from, __u32 offset, void *buffer,
				    __u32 buffer__szk) __ksym __weak;

struct packet {
	enum reader reader;
	struct bpf_dynptr all;
	const void *start; /* of what is linear */
	__u32 len;
};

#define HEADER_MAX 40 /* IPv6 */

/* What is hashed. */
struct input {
	__u8 bytes[NB_TOEPLITZ_INPUT];
	__u32 n; /* 0: nothing is, or it is not known */
};

static __always_inline bool open_packet(struct sk_buff *skb, struct packet *packet)
{
	bool typed = packet->reader == READER_TYPED;

	if (packet->reader == READER_DYNPTR)
		return bpf_dynptr_from_skb(skb, 0, &packet->all) == 0;
	packet->start = GET(typed, skb, data);
	packet->len = GET(typed, skb, len) - GET(typed, skb, data_len);
	return reads_memory;
}

static __always_inline bool read(const struct packet *packet, __u32 offset, void *to, __u32 size)
{
	if (packet->reader == READER_DYNPTR) {
		__u8 buffer[HEADER_MAX];
		const void *from = bpf_dynptr_slice(&packet->all, offset, buffer, size);

		if (from)
			__builtin_memcpy(to, from, size);
		return from != NULL;
	}
	return reads_memory && offset + size <= packet->len &&
	       bpf_probe_read_kernel(to, size, packet->start + offset) == 0;
}

static __always_inline void take_ports(struct input *input, const struct packet *packet,
				       __u32 offset, __u8 protocol, __u32 tcp, __u32 udp)
{
	__u32 hashed = protocol == IPPROTO_TCP ? tcp : protocol == IPPROTO_UDP ? udp : 0;

	if (!(control.reckoning.ports & hashed))
		return;
	if (read(packet, offset, &input->bytes[input->n], 4))
		input->n += 4;
	else
		input->n = 0;
}

static __always_inline void take_ipv4(struct input *input, const struct packet *packet,
				      __u32 offset)
{
	struct iphdr ip;

	if (!read(packet, offset, &ip, sizeof(ip)))
		return;
	__builtin_memcpy(input->bytes, &ip.saddr, 8);
	input->n = 8;
	/* Of fragments the first alone has ports; NICs take it as the others. */
	if (!(ip.frag_off & bpf_htons(IP_FRAGMENT)))
		take_ports(input, packet, offset + ip.ihl * 4, ip.protocol, NB_PROBE_TCP4,
			   NB_PROBE_UDP4);
}

/* Of a packet with extension headers, as fragments have one, the addresses alone. */
static __always_inline void take_ipv6(struct input *input, const struct packet *packet,
				      __u32 offset)
{
	struct ipv6hdr ip;

	if (!read(packet, offset, &ip, sizeof(ip)))
		return;
	__builtin_memcpy(input->bytes, &ip.saddr, 32);
	input->n = 32;
	take_ports(input, packet, offset + sizeof(ip), ip.nexthdr, NB_PROBE_TCP6, NB_PROBE_UDP6);
}

/* 0: not known, or it is 0. */
static __always_inline __u32 reckon_hash(struct sk_buff *skb, enum reader reader)
{
	__u32 offset = 0;
	__u16 protocol = GET(reader != READER_RAW, skb, protocol);
	struct packet packet = {.reader = reader};
	struct input input = {};

	if (!control.reckoning.on || !open_packet(skb, &packet))
		return 0;
	/* A tag that the NIC has not taken off: what it carries is behind its number. */
	if (protocol == bpf_htons(ETH_P_8021Q)) {
		if (!read(&packet, 2, &protocol, sizeof(protocol)))
			return 0;
		offset = 4;
	}
	if (protocol == bpf_htons(ETH_P_IP))
		take_ipv4(&input, &packet, offset);
	else if (protocol == bpf_htons(ETH_P_IPV6))
		take_ipv6(&input, &packet, offset);
	return nb_toeplitz_hash(&control.reckoning.toeplitz, input.bytes, input.n);
}
