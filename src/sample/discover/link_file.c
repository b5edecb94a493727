/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/link_file.h"

#include "base/cpumask_text.h"
#include "base/ini.h"

#include <errno.h>
#include <string.h>

/* Of a record of udev's database: "E:KEY=value". */
static char *property(char *const *lines, const char *key)
{
	g_autofree char *prefix = g_strdup_printf("E:%s=", key);

	for (char *const *line = lines; *line; line++)
		if (g_str_has_prefix(*line, prefix))
			return g_strdup(*line + strlen(prefix));
	return NULL;
}

/* The file, then its drop-ins in their order; NULL: there is none. */
static char **list_files(struct nb_sysroot *root, int ifindex)
{
	g_autofree char *path = g_strdup_printf("run/udev/data/n%d", ifindex);
	g_autofree char *text = NULL, *file = NULL, *dropins = NULL, *all = NULL;
	g_auto(GStrv) lines = NULL;
	size_t len;

	if (nb_sysroot_read(root, path, &text, &len) < 0)
		return NULL;
	lines = g_strsplit(text, "\n", -1);
	file = property(lines, "ID_NET_LINK_FILE");
	if (!file)
		return NULL;
	dropins = property(lines, "ID_NET_LINK_FILE_DROPINS");
	all = g_strconcat(file, dropins ? ":" : NULL, dropins, NULL);
	return g_strsplit(all, ":", -1);
}

/* What the file and its drop-ins say. */
struct reading {
	struct nb_link_settings settings;
	bool single; /* IRQAffinityPolicy= */
};

/* Between white space or commas. */
static bool add_cpus(const char *value, struct nb_cpumask *cpus)
{
	g_auto(GStrv) words = g_strsplit_set(value, " \t,", -1);

	for (char **word = words; *word; word++) {
		struct nb_cpumask some;

		if (nb_cpumask_parse_list(*word, strlen(*word), &some) < 0)
			return false;
		nb_cpumask_or(cpus, &some);
	}
	return true;
}

static int set_cpus(const char *path, const struct nb_ini_item *item, struct nb_cpumask *cpus,
		    char **ret_fault)
{
	if (*item->value == '\0')
		*cpus = (struct nb_cpumask){};
	if (add_cpus(item->value, cpus))
		return 0;
	*ret_fault = g_strdup_printf("%s:%u: %s=%s is not a list of CPUs; "
				     "write CPU numbers and ranges such as 0-3,8",
				     path, item->line, item->name, item->value);
	return -EINVAL;
}

/* As systemd has it, "all" and "disable" take the place of what was before. */
static int set_rps(const char *path, const struct nb_ini_item *item,
		   struct nb_link_settings *settings, char **ret_fault)
{
	bool disabled = g_str_equal(item->value, "disable");

	settings->limits_rps =
		disabled || !(*item->value == '\0' || g_str_equal(item->value, "all"));
	if (disabled || !settings->limits_rps) {
		settings->rps = (struct nb_cpumask){};
		return 0;
	}
	return set_cpus(path, item, &settings->rps, ret_fault);
}

static int read_text(const char *path, const char *text, size_t len, struct reading *reading,
		     char **ret_fault)
{
	g_autoptr(nb_ini) ini = nb_ini_new(text, len);
	struct nb_ini_item item;
	bool in_link = false;
	int r = 0;

	while (r == 0 && nb_ini_next(ini, &item)) {
		if (item.kind == NB_INI_SECTION)
			in_link = g_str_equal(item.name, "Link");
		if (item.kind != NB_INI_ASSIGNMENT || !in_link)
			continue;
		if (g_str_equal(item.name, "IRQAffinity"))
			r = set_cpus(path, &item, &reading->settings.cpus, ret_fault);
		else if (g_str_equal(item.name, "IRQAffinityPolicy"))
			reading->single = g_str_equal(item.value, "single");
		else if (g_str_equal(item.name, "ReceivePacketSteeringCPUMask"))
			r = set_rps(path, &item, &reading->settings, ret_fault);
	}
	return r;
}

/* One that is gone since is one that says nothing any more. */
static int read_file(struct nb_sysroot *root, const char *path, struct reading *reading,
		     char **ret_fault)
{
	g_autofree char *text = NULL;
	size_t len;

	if (*path != '/' || nb_sysroot_read(root, path + 1, &text, &len) < 0)
		return 0;
	return read_text(path, text, len, reading, ret_fault);
}

/* systemd gives all interrupts to the first CPU then (src/udev/net/link-config.c
 * link_apply_irq_affinity_single()). */
static void leave_first(struct nb_cpumask *cpus)
{
	unsigned first = nb_cpumask_empty(cpus) ? 0 : nb_cpumask_next(cpus, 0);

	*cpus = (struct nb_cpumask){};
	nb_cpumask_add(cpus, first);
}

int nb_link_file_read(struct nb_sysroot *root, int ifindex, struct nb_link_settings *ret,
		      char **ret_fault)
{
	g_auto(GStrv) files = list_files(root, ifindex);
	struct reading reading = {};

	for (char **file = files; file && *file; file++) {
		int r = read_file(root, *file, &reading, ret_fault);

		if (r < 0)
			return r;
	}
	if (reading.single)
		leave_first(&reading.settings.cpus);
	*ret = reading.settings;
	return 0;
}
