/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What TCP counts in the network namespace of the process. */

#include "sysroot/sysroot.h"

#include <stdint.h>

/* Segments that came out of order so far (TCPOFOQueue, net/ipv4/tcp_input.c
 * tcp_data_queue_ofo()). Errors as of nb_sysroot_read() and nb_parse_netstat(). */
int nb_read_out_of_order(struct nb_sysroot *root, uint64_t *ret);
