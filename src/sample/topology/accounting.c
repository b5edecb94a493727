/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/topology/accounting.h"

#include <stdlib.h>
#include <string.h>

#define OPTION "CONFIG_IRQ_TIME_ACCOUNTING"

enum nb_accounting nb_accounting_parse_config(const char *config)
{
	if (g_str_has_prefix(config, OPTION "=y\n") || strstr(config, "\n" OPTION "=y\n"))
		return NB_ACCOUNTING_PRECISE;
	if (strstr(config, "# " OPTION " is not set\n"))
		return NB_ACCOUNTING_TICK;
	return NB_ACCOUNTING_UNKNOWN;
}

/* The file of interrupts is made only with that option (kernel/sched/psi.c, since 6.1). */
static enum nb_accounting read_pressure(struct nb_sysroot *root, const char *release)
{
	char *behind;
	unsigned long major = strtoul(release, &behind, 10);
	unsigned long minor = *behind == '.' ? strtoul(behind + 1, NULL, 10) : 0;

	if (nb_sysroot_exists(root, "proc/pressure/irq"))
		return NB_ACCOUNTING_PRECISE;
	if (nb_sysroot_exists(root, "proc/pressure/cpu") &&
	    (major > 6 || (major == 6 && minor >= 1)))
		return NB_ACCOUNTING_TICK;
	return NB_ACCOUNTING_UNKNOWN;
}

enum nb_accounting nb_accounting_read(struct nb_sysroot *root)
{
	g_autofree char *release = NULL, *path = NULL, *config = NULL;
	enum nb_accounting accounting;
	size_t len;

	if (nb_sysroot_read(root, "proc/sys/kernel/osrelease", &release, &len) < 0)
		return NB_ACCOUNTING_UNKNOWN;
	accounting = read_pressure(root, release);
	if (accounting != NB_ACCOUNTING_UNKNOWN)
		return accounting;
	path = g_strdup_printf("boot/config-%s", g_strstrip(release));
	if (nb_sysroot_read(root, path, &config, &len) < 0)
		return NB_ACCOUNTING_UNKNOWN;
	return nb_accounting_parse_config(config);
}
