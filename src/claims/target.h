/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What a claim is for, as text and as a key. Pure. */

#include "nicbalance/order.h"
#include "nicbalance/snapshot.h"

/* "eth0", "eth0:3" (a queue) or "41" (an interrupt); nothing else is a target. */
int nb_target_parse(const char *text, struct nb_target *ret);
/* The same text again; caller frees (g_free). NULL of a ban. */
char *nb_target_format(const struct nb_target *target);
bool nb_target_equal(const struct nb_target *a, const struct nb_target *b);

/* The key of what it names on this machine: of all queues of a NIC, of a queue, also for its
 * interrupt, or of a device interrupt. False: there is no such thing now. */
bool nb_target_find(const struct nb_target *target, const struct nb_machine *machine,
		    struct nb_queue_key *ret);
