/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How the kernel accounts for the time of interrupts. */

#include "nicbalance/snapshot.h"
#include "sysroot/sysroot.h"

enum nb_accounting nb_accounting_read(struct nb_sysroot *root);

/* By the text of a kernel configuration (/boot/config-…). Pure. */
enum nb_accounting nb_accounting_parse_config(const char *config);
