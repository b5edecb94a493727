/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/tcp.h"

#include "sample/parse/parse.h"

int nb_read_out_of_order(struct nb_sysroot *root, uint64_t *ret)
{
	g_autofree char *text = NULL;
	size_t len;
	int r;

	r = nb_sysroot_read(root, "proc/net/netstat", &text, &len);
	return r < 0 ? r : nb_parse_netstat(text, len, "TcpExt", "TCPOFOQueue", ret);
}
