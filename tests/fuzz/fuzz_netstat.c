/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever /proc/net/netstat holds, a counter is there, or not, or the text is faulty. */

#include "fuzz/fuzz.h"
#include "sample/parse/parse.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t count = 0;
	int r = nb_parse_netstat((const char *)data, size, "TcpExt", "TCPOFOQueue", &count);

	FUZZ_CLAIM(r == 0 || r == -EBADMSG || r == -ENOENT);
	return 0;
}
