/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/topology/isolation.h"

#include "base/cpumask_text.h"
#include "sysroot/cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* A source that is not there isolates nothing. ENODEV: a cgroup that is removed after the open
 * (fs/kernfs/file.c). Any other failure leaves unknown which CPUs are isolated. */
static int absent_is_none(int error)
{
	return error == -ENOENT || error == -ENOTDIR || error == -ENODEV ? 0 : error;
}

static int read_list(struct nb_sysroot *root, const char *path, struct nb_cpumask *ret)
{
	return absent_is_none(nb_sysroot_read_cpulist(root, path, ret));
}

/* *ret stays NULL where the file is absent. */
static int read_text(struct nb_sysroot *root, const char *path, char **ret)
{
	size_t len;

	return absent_is_none(nb_sysroot_read(root, path, ret, &len));
}

/* "(null)" without nohz_full= (drivers/base/cpu.c print_cpus_nohz_full()). */
static int read_nohz_full(struct nb_sysroot *root, struct nb_cpumask *ret)
{
	g_autofree char *text = NULL;
	int r;

	r = read_text(root, "sys/devices/system/cpu/nohz_full", &text);
	if (r < 0 || !text)
		return r;
	if (g_str_equal(g_strstrip(text), "(null)"))
		return 0;
	return nb_cpumask_parse_list(text, strlen(text), ret) < 0 ? -EBADMSG : 0;
}

enum partition { NO_PARTITION, SHARED_PARTITION, ISOLATED_PARTITION };

static int read_partition(struct nb_sysroot *root, const char *dir, enum partition *ret)
{
	g_autofree char *path = g_strdup_printf("%s/cpuset.cpus.partition", dir);
	g_autofree char *text = NULL;
	int r;

	*ret = NO_PARTITION;
	r = read_text(root, path, &text);
	if (r < 0 || !text)
		return r;
	/* It may also read "isolated invalid (…)", and then isolates nothing. */
	g_strchomp(text);
	if (g_str_equal(text, "isolated"))
		*ret = ISOLATED_PARTITION;
	else if (g_str_equal(text, "root"))
		*ret = SHARED_PARTITION;
	return 0;
}

static int add_partitions(struct nb_sysroot *root, const char *dir, unsigned depth,
			  struct nb_cpumask *mask);

static int add_partition(struct nb_sysroot *root, const char *dir, unsigned depth,
			 struct nb_cpumask *mask)
{
	g_autofree char *cpus = g_strdup_printf("%s/cpuset.cpus.effective", dir);
	struct nb_cpumask effective = {0};
	enum partition partition;
	int r;

	r = read_partition(root, dir, &partition);
	if (r < 0 || partition == NO_PARTITION)
		return r;
	if (partition == ISOLATED_PARTITION) {
		r = read_list(root, cpus, &effective);
		if (r < 0)
			return r;
		nb_cpumask_or(mask, &effective);
	}
	return add_partitions(root, dir, depth - 1, mask);
}

/* A valid partition has a partition for its parent (kernel/cgroup/cpuset.c before 6.7, when no
 * file listed the isolated CPUs), so what lies below other cgroups need not be read. */
static int add_partitions(struct nb_sysroot *root, const char *dir, unsigned depth,
			  struct nb_cpumask *mask)
{
	g_auto(GStrv) names = NULL;
	int r;

	if (depth == 0)
		return 0;
	r = nb_sysroot_list(root, dir, &names);
	if (r < 0)
		return absent_is_none(r);
	for (char **name = names; *name; name++) {
		g_autofree char *child = g_strdup_printf("%s/%s", dir, *name);

		r = add_partition(root, child, depth, mask);
		if (r < 0)
			return r;
	}
	return 0;
}

static int read_cpuset(struct nb_sysroot *root, struct nb_cpumask *ret)
{
	int r = nb_sysroot_read_cpulist(root, CGROUPS "/cpuset.cpus.isolated", ret);

	/* Since 6.8. */
	return r == -ENOENT ? add_partitions(root, CGROUPS, PARTITION_DEPTH_MAX, ret) : r;
}

static int read_managed_irq(struct nb_sysroot *root, unsigned n_possible, struct nb_cpumask *ret)
{
	g_autofree char *cmdline = NULL;
	int r;

	r = read_text(root, "proc/cmdline", &cmdline);
	if (r < 0 || !cmdline)
		return r;
	nb_isolation_parse_cmdline(cmdline, n_possible, ret);
	return 0;
}

int nb_isolation_read(struct nb_sysroot *root, struct nb_topology *topology)
{
	struct nb_cpumask by[_NB_ISOLATION_MAX] = {0};
	int r;

	r = read_list(root, "sys/devices/system/cpu/isolated", &by[NB_ISOLATION_DOMAIN]);
	if (r < 0)
		return r;
	r = read_nohz_full(root, &by[NB_ISOLATION_NOHZ_FULL]);
	if (r < 0)
		return r;
	r = read_managed_irq(root, topology->n_possible, &by[NB_ISOLATION_MANAGED_IRQ]);
	if (r < 0)
		return r;
	r = read_cpuset(root, &by[NB_ISOLATION_CPUSET]);
	if (r < 0)
		return r;

	memcpy(topology->isolated_by, by, sizeof(by));
	nb_cpumask_clear(&topology->isolated);
	for (int i = 0; i < _NB_ISOLATION_MAX; i++)
		nb_cpumask_or(&topology->isolated, &by[i]);
	return 0;
}
