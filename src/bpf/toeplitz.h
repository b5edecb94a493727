/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The hash by which nearly all NICs choose a receive queue ("RSS Hashing Functions", Microsoft's
 * documentation of NDIS): for each bit of the input that is set, the 32 bits of the key that begin
 * there. Shared between the BPF programs and user space, so nothing but the kernel's types. */

#include <linux/types.h>

/* Two addresses of IPv6 and two ports, in the order of the headers. */
#define NB_TOEPLITZ_INPUT 36
/* Bytes of a key that count for so much input. */
#define NB_TOEPLITZ_KEY (NB_TOEPLITZ_INPUT + 4)

/* What four bits of the input contribute, by where they are and what they are: bit by bit it would
 * take a packet of IPv6 four times as long. */
struct nb_toeplitz {
	__u32 parts[2 * NB_TOEPLITZ_INPUT][16];
};

/* Of the first n bytes of input. */
static inline __attribute__((always_inline)) __u32
nb_toeplitz_hash(const struct nb_toeplitz *toeplitz, const __u8 *input, __u32 n)
{
	__u32 hash = 0;

	for (__u32 i = 0; i < NB_TOEPLITZ_INPUT && i < n; i++)
		hash ^= toeplitz->parts[2 * i][input[i] >> 4] ^
			toeplitz->parts[2 * i + 1][input[i] & 15];
	return hash;
}

/* In user space. The key has NB_TOEPLITZ_KEY bytes. */
void nb_toeplitz_prepare(const __u8 *key, struct nb_toeplitz *ret);
