/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What a [Device] section of the configuration says. Plain data. */

#include <stdbool.h>

struct nb_device_rule {
	char *match; /* glob over the interface's name; owned */
	bool ignore;
	char *interrupts; /* glob over handler names, for unknown drivers; owned, or NULL */
};

/* The first rule that matches a device counts. */
struct nb_device_rules {
	struct nb_device_rule *rules;
	unsigned n_rules;
};
