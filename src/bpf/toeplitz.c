/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/toeplitz.h"

/* The 32 bits of the key from this one on. */
static __u32 key_from(const __u8 *key, unsigned bit)
{
	__u64 window = 0;

	for (unsigned i = 0; i < 5; i++) {
		unsigned byte = bit / 8 + i;

		window = window << 8 | (byte < NB_TOEPLITZ_KEY ? key[byte] : 0);
	}
	return (__u32)(window >> (8 - bit % 8));
}

void nb_toeplitz_prepare(const __u8 *key, struct nb_toeplitz *ret)
{
	for (unsigned position = 0; position < 2 * NB_TOEPLITZ_INPUT; position++)
		for (unsigned value = 0; value < 16; value++) {
			__u32 part = 0;

			for (unsigned bit = 0; bit < 4; bit++)
				if (value & 8u >> bit)
					part ^= key_from(key, 4 * position + bit);
			ret->parts[position][value] = part;
		}
}
