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

/* Where the kernel lets programs read its memory, which lockdown may forbid. The others are still
 * of use, so it is to be known before they are loaded. */
const volatile bool reads_memory;

/* The part of a packet that lies in one piece. Some drivers have all of it in pages, which no
 * program finds. */
struct piece {
	const void *start;
	__u32 len;
};

/* What is hashed. */
struct input {
	__u8 bytes[NB_TOEPLITZ_INPUT];
	__u32 n; /* 0: nothing is, or it is not known */
};

static __always_inline bool read(const struct piece *piece, __u32 offset, void *to, __u32 size)
{
	return offset + size <= piece->len &&
	       bpf_probe_read_kernel(to, size, piece->start + offset) == 0;
}

/* A fragment has no ports, unless it is the first; NICs do not tell that one from others. */
static __always_inline void take_ports(struct input *input, const struct piece *piece, __u32 offset,
				       __u8 protocol, __u32 tcp, __u32 udp)
{
	__u32 hashed = protocol == IPPROTO_TCP ? tcp : protocol == IPPROTO_UDP ? udp : 0;

	if (!(control.reckoning.ports & hashed))
		return;
	if (read(piece, offset, &input->bytes[input->n], 4))
		input->n += 4;
	else
		input->n = 0;
}

static __always_inline void take_ipv4(struct input *input, const struct piece *piece, __u32 offset)
{
	struct iphdr ip;

	if (!read(piece, offset, &ip, sizeof(ip)))
		return;
	__builtin_memcpy(input->bytes, &ip.saddr, 8);
	input->n = 8;
	if (!(ip.frag_off & bpf_htons(IP_FRAGMENT)))
		take_ports(input, piece, offset + ip.ihl * 4, ip.protocol, NB_PROBE_TCP4,
			   NB_PROBE_UDP4);
}

/* Of a packet with extension headers, as fragments have one, the addresses alone. */
static __always_inline void take_ipv6(struct input *input, const struct piece *piece, __u32 offset)
{
	struct ipv6hdr ip;

	if (!read(piece, offset, &ip, sizeof(ip)))
		return;
	__builtin_memcpy(input->bytes, &ip.saddr, 32);
	input->n = 32;
	take_ports(input, piece, offset + sizeof(ip), ip.nexthdr, NB_PROBE_TCP6, NB_PROBE_UDP6);
}

/* 0: not known, or it is 0. */
static __always_inline __u32 reckon_hash(struct sk_buff *skb, bool typed)
{
	__u32 offset = 0;
	__u16 protocol = GET(typed, skb, protocol);
	struct input input = {};
	struct piece piece = {
		.start = GET(typed, skb, data),
		.len = GET(typed, skb, len) - GET(typed, skb, data_len),
	};

	if (!reads_memory || !control.reckoning.on)
		return 0;
	/* A tag that the NIC has not taken off: what it carries is behind its number. */
	if (protocol == bpf_htons(ETH_P_8021Q)) {
		if (!read(&piece, 2, &protocol, sizeof(protocol)))
			return 0;
		offset = 4;
	}
	if (protocol == bpf_htons(ETH_P_IP))
		take_ipv4(&input, &piece, offset);
	else if (protocol == bpf_htons(ETH_P_IPV6))
		take_ipv6(&input, &piece, offset);
	return nb_toeplitz_hash(&control.reckoning.toeplitz, input.bytes, input.n);
}
