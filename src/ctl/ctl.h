/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* nicbalancectl: asks nicbalanced over the bus and prints what it hears. */

/* Exit statuses; nicbalancectl(1) promises them. */
enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NOT_RUNNING = 3,
	EXIT_NOT_PERMITTED = 4,
};
