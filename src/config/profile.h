/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Profiles: settings for a kind of host, in files of the form of the main one,
 * nicbalance/profiles/NAME.conf below etc, run, usr/local/lib and usr/lib. The first counts. */

#include "sysroot/sysroot.h"

/* Profile=auto: the first of these that the host shows signs of, and that has a file. "lvs": IPVS
 * has a service; "db": systemd runs a database; "router": packets are forwarded. Else "none".
 * *ret_sign says which sign that was. Both are constants. */
const char *nb_profile_find(struct nb_sysroot *root, const char **ret_sign);
/* Whether the former goes before the latter in that order, which "none" ends. */
bool nb_profile_goes_before(const char *name, const char *other);

/* The file, below the root; NULL if there is none. Caller frees. */
char *nb_profile_path(struct nb_sysroot *root, const char *name);
/* The names of all that have one, "db, lvs". Caller frees. */
char *nb_profile_list(struct nb_sysroot *root);
