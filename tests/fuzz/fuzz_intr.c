/* SPDX-License-Identifier: GPL-2.0-or-later */
/* There is no count that the text has no field for. */

#include "fuzz/fuzz.h"
#include "sample/parse/parse.h"

#include <errno.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	int r = nb_parse_intr((const char *)data, size, counts);

	FUZZ_CLAIM(r == 0 || r == -EBADMSG);
	FUZZ_CLAIM(counts->len <= size / 2);
	return 0;
}
