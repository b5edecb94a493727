/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/limits.h"

#include "base/cpumask_text.h"

#include <errno.h>
#include <unistd.h>

enum { DEFAULT_AFFINITY, ISOLATED };

static const char *const paths[NB_LIMIT_FILES] = {
	[DEFAULT_AFFINITY] = "proc/irq/default_smp_affinity",
	[ISOLATED] = "sys/fs/cgroup/cpuset.cpus.isolated",
};

static const unsigned bits[NB_LIMIT_FILES] = {
	[DEFAULT_AFFINITY] = NB_LIMITS_DEFAULT_AFFINITY,
	[ISOLATED] = NB_LIMITS_ISOLATION,
};

void nb_limits_init(struct nb_limits *limits, struct nb_sysroot *root)
{
	*limits = (struct nb_limits){.root = root, .text = g_string_new(NULL)};
	for (unsigned i = 0; i < NB_LIMIT_FILES; i++) {
		limits->fds[i] = -1;
		limits->texts[i] = g_string_new(NULL);
	}
}

void nb_limits_clear(struct nb_limits *limits)
{
	if (!limits->text)
		return;
	g_string_free(g_steal_pointer(&limits->text), TRUE);
	for (unsigned i = 0; i < NB_LIMIT_FILES; i++) {
		g_string_free(g_steal_pointer(&limits->texts[i]), TRUE);
		if (limits->fds[i] >= 0)
			close(limits->fds[i]);
	}
}

/* A cgroup hierarchy may be mounted later. */
static int read_file(struct nb_limits *limits, unsigned file)
{
	int r;

	if (!nb_sysroot_is_host(limits->root))
		return nb_sysroot_read_into(limits->root, paths[file], limits->text);
	if (limits->fds[file] < 0) {
		r = nb_sysroot_open_file(limits->root, paths[file], &limits->fds[file]);
		if (r < 0)
			return r;
	}
	return nb_sysroot_pread(limits->fds[file], limits->text);
}

static bool has_changed(struct nb_limits *limits, unsigned file)
{
	int r = read_file(limits, file);

	if (r == -ENOENT)
		g_string_truncate(limits->text, 0);
	else if (r < 0)
		return false;
	if (g_string_equal(limits->text, limits->texts[file]))
		return false;
	g_string_assign(limits->texts[file], limits->text->str);
	return true;
}

static bool take_default_affinity(struct nb_limits *limits)
{
	const GString *text = limits->texts[DEFAULT_AFFINITY];
	struct nb_cpumask cpus = {};

	if (text->len > 0 && nb_cpumask_parse_mask(text->str, text->len, &cpus) < 0)
		return false;
	limits->default_affinity = cpus;
	return true;
}

unsigned nb_limits_read(struct nb_limits *limits)
{
	unsigned changed = 0;

	for (unsigned i = 0; i < NB_LIMIT_FILES; i++)
		if (has_changed(limits, i))
			changed |= bits[i];
	if (changed & NB_LIMITS_DEFAULT_AFFINITY && !take_default_affinity(limits))
		changed &= ~NB_LIMITS_DEFAULT_AFFINITY;
	if (!limits->read)
		changed = 0;
	limits->read = true;
	return changed;
}
