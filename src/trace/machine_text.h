/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The lines of a trace that describe the machine. Pure. */

#include "base/rules.h"

#include <glib.h>

/* numbers (int, ascending) holds the ifindex of NIC 1, of NIC 2, and so on. Numbers the NICs that
 * are in scope: one that is known keeps its number. Numbers ascend along with the ifindexes, so
 * when one comes that is below those known, all are numbered again. */
void nb_trace_number_nics(GArray *numbers, const struct nb_machine *machine);
/* 0: none. */
unsigned nb_trace_nic_number(const GArray *numbers, int ifindex);

void nb_trace_append_machine(const struct nb_machine *machine, const GArray *numbers,
			     GString *text);
/* The CPUs that the queues of NICs in scope may use, of those whose CPUs are not simply the ones
 * that are online and not isolated. */
void nb_trace_append_pools(const struct nb_rules *rules, const struct nb_machine *machine,
			   const GArray *numbers, GString *text);
