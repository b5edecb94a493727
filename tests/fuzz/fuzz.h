/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* One fuzzer a parser: takes any bytes, and aborts when the parser breaks a promise of its header.
 * Built by clang with libFuzzer, or by any compiler with replay.c, which runs the corpus alone. */

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* assert() that also holds in release builds. */
#define FUZZ_CLAIM(claim)        \
	do {                     \
		if (!(claim))    \
			abort(); \
	} while (0)
