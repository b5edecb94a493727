/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sysroot/cpus.h"

#include "base/cpumask_text.h"

#include <errno.h>

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
