/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sysroot/cpus.h"

#include "base/cpumask_text.h"
#include "sysroot/open.h"

#include <errno.h>
#include <sched.h>

int nb_sysroot_read_cpulist(struct nb_sysroot *root, const char *path, struct nb_cpumask *ret)
{
	g_autofree char *text = NULL;
	size_t len;
	int r;

	r = nb_sysroot_read(root, path, &text, &len);
	if (r < 0)
		return r;
	return nb_cpumask_parse_list(text, len, ret) < 0 ? -EBADMSG : 0;
}

int nb_sysroot_read_cpumask(struct nb_sysroot *root, const char *path, struct nb_cpumask *ret)
{
	g_autofree char *text = NULL;
	size_t len;
	int r;

	r = nb_sysroot_read(root, path, &text, &len);
	if (r < 0)
		return r;
	return nb_cpumask_parse_mask(text, len, ret) < 0 ? -EBADMSG : 0;
}

int nb_sysroot_write_cpumask(struct nb_sysroot *root, const char *path,
			     const struct nb_cpumask *cpus)
{
	g_autofree char *text = nb_cpumask_format_mask(cpus);

	return nb_sysroot_write(root, path, text, strlen(text));
}

static int set_affinity(uint32_t pid, const struct nb_cpumask *cpus)
{
	size_t size = CPU_ALLOC_SIZE(NB_CPUS_MAX);
	g_autofree cpu_set_t *set = g_malloc0(size);

	NB_CPUMASK_FOREACH (cpu, cpus)
		CPU_SET_S(cpu, size, set);
	return sched_setaffinity((pid_t)pid, size, set) < 0 ? -errno : 0;
}

int nb_sysroot_set_affinity(struct nb_sysroot *root, uint32_t pid, const struct nb_cpumask *cpus)
{
	g_autofree char *path = NULL;

	/* 0 would be this process. */
	if (pid == 0)
		return -ESRCH;
	if (root->writer) {
		path = g_strdup_printf("proc/%u/status", pid);
		return nb_sysroot_write_cpumask(root, path, cpus);
	}
	return root->is_host ? set_affinity(pid, cpus) : -EOPNOTSUPP;
}
