/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/topology/isolation.h"

#include "base/cpumask_text.h"
#include "sysroot/cpus.h"

#include <stdlib.h>

#define CGROUPS "sys/fs/cgroup"

/* Partitions are nested as deep as cgroups are; nobody nests them so deep. */
#define PARTITION_DEPTH_MAX 16

/* "isolcpus=managed_irq,domain,2-5": flags first, then the list (kernel/sched/isolation.c). "N" is
 * the last possible CPU (lib/bitmap-str.c). */
static void parse_isolcpus(const char *value, unsigned n_possible, struct nb_cpumask *ret)
{
	g_autofree char *last = g_strdup_printf("%u", n_possible > 0 ? n_possible - 1 : 0);
	bool managed_irq = false;
	struct nb_cpumask mask;

	while (g_ascii_islower(*value)) {
		size_t len = strcspn(value, ",");

		if (strncmp(value, "managed_irq", len) == 0 && len == strlen("managed_irq"))
			managed_irq = true;
		value += len;
		if (*value == ',')
			value++;
	}
	g_auto(GStrv) parts = g_strsplit(value, "N", -1);
	g_autofree char *list = g_strjoinv(last, parts);

	if (managed_irq && nb_cpumask_parse_list(list, strlen(list), &mask) == 0)
		nb_cpumask_or(ret, &mask);
}

void nb_isolation_parse_cmdline(const char *cmdline, unsigned n_possible, struct nb_cpumask *ret)
{
	g_auto(GStrv) words = g_strsplit_set(cmdline, " \t\n", -1);

	nb_cpumask_clear(ret);
	for (char **word = words; *word; word++) {
		/* What follows is for init. */
		if (g_str_equal(*word, "--"))
			break;
		if (g_str_has_prefix(*word, "isolcpus="))
			parse_isolcpus(*word + strlen("isolcpus="), n_possible, ret);
	}
}

static bool is_partition(struct nb_sysroot *root, const char *dir, bool *ret_isolated)
{
	g_autofree char *path = g_strdup_printf("%s/cpuset.cpus.partition", dir);
	g_autofree char *text = NULL;
	size_t len;

	if (nb_sysroot_read(root, path, &text, &len) < 0)
		return false;
	/* It may also read "isolated invalid (…)", and then isolates nothing. */
	g_strchomp(text);
	*ret_isolated = g_str_equal(text, "isolated");
	return *ret_isolated || g_str_equal(text, "root");
}

/* A valid partition has a partition for its parent (kernel/cgroup/cpuset.c before 6.7, when no
 * file listed the isolated CPUs), so what lies below other cgroups need not be read. */
static void add_partitions(struct nb_sysroot *root, const char *dir, unsigned depth,
			   struct nb_cpumask *mask)
{
	g_auto(GStrv) names = NULL;

	if (depth == 0 || nb_sysroot_list(root, dir, &names) < 0)
		return;
	for (char **name = names; *name; name++) {
		g_autofree char *child = g_strdup_printf("%s/%s", dir, *name);
		g_autofree char *cpus = g_strdup_printf("%s/cpuset.cpus.effective", child);
		struct nb_cpumask effective;
		bool isolated;

		if (!is_partition(root, child, &isolated))
			continue;
		if (isolated && nb_sysroot_read_cpulist(root, cpus, &effective) == 0)
			nb_cpumask_or(mask, &effective);
		add_partitions(root, child, depth - 1, mask);
	}
}

static void read_cpuset(struct nb_sysroot *root, struct nb_cpumask *ret)
{
	/* Since 6.8. */
	if (nb_sysroot_read_cpulist(root, CGROUPS "/cpuset.cpus.isolated", ret) < 0)
		add_partitions(root, CGROUPS, PARTITION_DEPTH_MAX, ret);
}

static void read_managed_irq(struct nb_sysroot *root, unsigned n_possible, struct nb_cpumask *ret)
{
	g_autofree char *cmdline = NULL;
	size_t len;

	if (nb_sysroot_read(root, "proc/cmdline", &cmdline, &len) == 0)
		nb_isolation_parse_cmdline(cmdline, n_possible, ret);
}

void nb_isolation_read(struct nb_sysroot *root, struct nb_topology *topology)
{
	struct nb_cpumask *by = topology->isolated_by;

	memset(topology->isolated_by, 0, sizeof(topology->isolated_by));
	(void)nb_sysroot_read_cpulist(root, "sys/devices/system/cpu/isolated",
				      &by[NB_ISOLATION_DOMAIN]);
	(void)nb_sysroot_read_cpulist(root, "sys/devices/system/cpu/nohz_full",
				      &by[NB_ISOLATION_NOHZ_FULL]);
	read_managed_irq(root, topology->n_possible, &by[NB_ISOLATION_MANAGED_IRQ]);
	read_cpuset(root, &by[NB_ISOLATION_CPUSET]);

	nb_cpumask_clear(&topology->isolated);
	for (int i = 0; i < _NB_ISOLATION_MAX; i++)
		nb_cpumask_or(&topology->isolated, &by[i]);
}
