/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever /proc/sys/net/core/netdev_rss_key holds, it is a key that is not zero, or none. */

#include "fuzz/fuzz.h"
#include "sample/parse/parse.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t key[40] = {0}, any = 0;
	int r = nb_parse_rss_key((const char *)data, size, key, sizeof(key));

	for (unsigned i = 0; i < sizeof(key); i++)
		any |= key[i];
	FUZZ_CLAIM(r == -EBADMSG || (r == 0 && any) || (r == -ENODATA && !any));
	FUZZ_CLAIM(r == -EBADMSG || size >= 3 * sizeof(key) - 1);
	return 0;
}
