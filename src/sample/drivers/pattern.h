/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Names with places in them, such as drivers give to their interrupts and statistics. Pure.
 *
 *	{if}	the interface's name
 *	{pci}	the address of its PCI function, "0000:3b:00.0"
 *	{dev}	the name of its device on its bus, "virtio2"
 *	{n}	a number in decimal digits
 *	*	any text, none too: the shortest that lets the rest fit
 *
 * Everything else stands for itself. */

#include <stdbool.h>

struct nb_pattern_names {
	const char *ifname;
	const char *pci;    /* "" when it has none */
	const char *device; /* "" when it has none */
	/* The text is known to be of this device: then {if} is also any text that is not the name
	 * of another interface, because a handler keeps the name the interface had when it was
	 * requested. NULL-terminated; NULL: {if} is ifname alone. */
	const char *const *other_ifnames;
};

/* Whether the whole text fits; *ret_number is the number at {n}, 0 without one. */
bool nb_pattern_match(const char *pattern, const char *text, const struct nb_pattern_names *names,
		      unsigned *ret_number);
