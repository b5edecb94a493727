/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Who wrote a value, by what is known of it. Pure. */

#include "nicbalance/owned.h"
#include "nicbalance/status.h"

/* What was read of a setting. */
struct nb_owned_facts {
	enum nb_kind kind; /* of the changes that we make of it; INVALID: none */
	struct nb_queue_key key;
	bool ours;    /* it holds what we wrote */
	bool locked;  /* the kernel lets nobody write it */
	bool hinted;  /* it is what the driver asks for */
	bool initial; /* it is the kernel's default */
};

/* Fills in writer, owner and time; the rest of ret is there. realtime_usec is the time of the
 * snapshot. */
void nb_owned_judge(const struct nb_status *status, uint64_t realtime_usec,
		    const struct nb_owned_facts *facts, struct nb_owned *ret);
