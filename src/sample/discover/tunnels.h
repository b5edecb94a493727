/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Tunnels whose packets a NIC tells apart by the outer addresses alone (nb_nic.tunnel). */

#include "sample/discover/nic.h"

typedef struct nb_tunnels nb_tunnels;

/* Of all devices: facts is of struct nb_nic_facts. Two files of each tunnel are read, and none
 * where there is no tunnel. */
struct nb_tunnels *nb_tunnels_read(struct nb_sysroot *root, const GArray *facts);
void nb_tunnels_free(struct nb_tunnels *tunnels);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_tunnels, nb_tunnels_free)

/* The name of the busiest that may come over this NIC; "": none. */
const char *nb_tunnels_over(const struct nb_tunnels *tunnels, int ifindex);
