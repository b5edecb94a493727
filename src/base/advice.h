/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What there is to be said about a NIC, see enum nb_advice. Pure. */

#include "nicbalance/load.h"
#include "nicbalance/snapshot.h"

/* loads may be NULL, and snapshot with them. */
bool nb_advice_applies(enum nb_advice advice, const struct nb_nic *nic, unsigned n_allowed_cpus,
		       const struct nb_snapshot *snapshot, const struct nb_loads *loads);
/* What there is, and the command; caller frees. */
char *nb_advice_text(enum nb_advice advice, const struct nb_nic *nic, unsigned n_allowed_cpus);
