/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/ini.h"
#include "config/check.h"
#include "config/config.h"
#include "config/draft.h"
#include "config/files.h"
#include "config/glob.h"
#include "config/profile.h"
#include "config/settings.h"
#include "config/suggest.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

struct loader {
	struct nb_sysroot *root;
	struct nb_config *config;
	GPtrArray *faults; /* owned lines for the operator */
	int error;         /* of the first fault; 0 */
	bool *broken;      /* per row: its last assignment was a fault */
	bool in_profile;   /* that is the file being read */
};

/* One file while it is read. */
struct reading {
	const char *path;    /* as the operator knows it */
	const char *section; /* NULL: unknown, its keys cannot be judged */
	void *record;        /* what its settings are fields of */
};

static void add_fault(struct loader *loader, int error, char *fault)
{
	g_ptr_array_add(loader->faults, fault);
	if (loader->error == 0)
		loader->error = error;
}

static void add_line_fault(struct loader *loader, const struct reading *reading, unsigned line,
			   const char *fault)
{
	add_fault(loader, -EINVAL, g_strdup_printf("%s:%u: %s", reading->path, line, fault));
}

static bool begins_glob(const char *text)
{
	return *text != '\0' && !g_ascii_isspace(*text);
}

/* No interface has a colon or a blank in its name (net/core/dev.c dev_valid_name()), but a class of
 * a glob has a colon: [[:digit:]]. */
static bool is_match(const char *match)
{
	static const char *const kinds[] = {"driver:", "pci:", "mac:"};
	size_t n = strcspn(match, "[:");

	if (match[n] != ':')
		return !strpbrk(match, " \t");
	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (g_str_has_prefix(match, kinds[i]))
			return begins_glob(match + strlen(kinds[i]));
	return false;
}

static char *explain_glob(const char *name, const char *argument)
{
	const char *fault = nb_glob_explain(argument);

	return fault ? g_strdup_printf("%s in section [%s %s] is not a glob: %s", argument, name,
				       argument, fault)
		     : NULL;
}

/* What is wrong with the argument of a section; NULL: nothing. Caller frees. */
static char *explain_argument(enum nb_setting_record kind, const char *name, const char *argument)
{
	bool given = *argument != '\0';

	switch (kind) {
	case NB_SETTING_OF_CONFIG:
		if (given)
			return g_strdup_printf("section [%s %s] takes no argument; write [%s]",
					       name, argument, name);
		return NULL;
	case NB_SETTING_OF_DEVICE:
		if (!given)
			return g_strdup_printf("section [%s] lacks an argument; write a glob such "
					       "as [%s eth*]",
					       name, name);
		if (!is_match(argument))
			return g_strdup_printf("%s names no interface; write a glob over names, or "
					       "one behind driver:, pci: or mac:",
					       argument);
		return explain_glob(name, argument);
	case NB_SETTING_OF_INTERRUPT:
		if (!given)
			return g_strdup_printf("section [%s] lacks an argument; write a number, or "
					       "a glob such as [%s nvme*]",
					       name, name);
		if (g_str_has_prefix(argument, "driver:") &&
		    !begins_glob(argument + strlen("driver:")))
			return g_strdup_printf("%s names no interrupt; write a glob over drivers "
					       "right behind the colon",
					       argument);
		return explain_glob(name, argument);
	}
	g_assert_not_reached();
}

static void enter_section(struct loader *loader, struct reading *reading,
			  const struct nb_ini_item *item)
{
	g_autofree char *fault = NULL;

	reading->section = NULL;
	if (!nb_settings_has_section(item->name)) {
		g_autofree char *remedy = nb_suggest_section(item->name);

		fault = g_strdup_printf("unknown section [%s]; %s", item->name, remedy);
	} else {
		enum nb_setting_record kind = nb_settings_record(item->name);

		fault = explain_argument(kind, item->name, item->value);
		if (!fault || kind == NB_SETTING_OF_CONFIG) {
			reading->section = item->name;
			reading->record = nb_config_record(loader->config, kind, item->value);
		}
	}
	if (fault)
		add_line_fault(loader, reading, item->line, fault);
}

static void set_origin(struct loader *loader, unsigned row, char *origin)
{
	gpointer *slot = &g_ptr_array_index(loader->config->origins, row);

	g_free(*slot);
	*slot = origin;
}

static void assign(struct loader *loader, struct reading *reading, const struct nb_ini_item *item)
{
	const struct nb_setting *setting;
	g_autofree char *fault = NULL;
	int row, r;

	row = nb_settings_find(reading->section, item->name);
	if (row < 0) {
		g_autofree char *remedy = nb_suggest_key(reading->section, item->name);

		fault = g_strdup_printf("unknown key %s= in section [%s]; %s", item->name,
					reading->section, remedy);
		add_line_fault(loader, reading, item->line, fault);
		return;
	}

	setting = nb_settings_row((unsigned)row);
	if (loader->in_profile && setting->type == NB_SETTING_PROFILE) {
		add_line_fault(loader, reading, item->line,
			       "a profile cannot set Profile=; remove the line");
		return;
	}
	r = nb_setting_assign(setting, reading->record, item->value);
	loader->broken[row] = r < 0;
	if (r < 0) {
		fault = nb_setting_explain(setting, item->value, r);
		add_line_fault(loader, reading, item->line, fault);
		return;
	}
	set_origin(loader, (unsigned)row,
		   *item->value != '\0' ? g_strdup_printf("%s:%u", reading->path, item->line)
					: NULL);
}

static void read_text(struct loader *loader, const char *path, const GString *text)
{
	g_autoptr(nb_ini) ini = nb_ini_new(text->str, text->len);
	struct reading reading = {.path = path};
	struct nb_ini_item item;

	while (nb_ini_next(ini, &item)) {
		switch (item.kind) {
		case NB_INI_SECTION:
			enter_section(loader, &reading, &item);
			break;
		case NB_INI_ASSIGNMENT:
			if (reading.section)
				assign(loader, &reading, &item);
			break;
		case NB_INI_FAULT:
			add_line_fault(loader, &reading, item.line, item.value);
			break;
		}
	}
}

/* path is below the root. A file that is not there: -ENOENT, and no fault. */
static int read_file(struct loader *loader, const char *path)
{
	g_autofree char *shown = g_build_filename("/", path, NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	int r;

	r = nb_config_read_file(loader->root, path, text);
	if (r == -ENOENT)
		return r;
	if (r < 0) {
		g_autofree char *fault = nb_config_explain_read(r);

		add_fault(loader, r, g_strdup_printf("%s: %s", shown, fault));
		return r;
	}
	read_text(loader, shown, text);
	return 0;
}

/* Someone asked for this file: that it is missing is a fault. */
static void read_named_file(struct loader *loader, const char *file)
{
	g_autofree char *path = nb_sysroot_is_host(loader->root)
					? g_canonicalize_filename(file, NULL)
					: g_build_filename("/", file, NULL);

	if (read_file(loader, path + 1) == -ENOENT) {
		g_autofree char *fault = nb_config_explain_read(-ENOENT);

		add_fault(loader, -ENOENT, g_strdup_printf("%s: %s", path, fault));
	}
}

static void read_main_file(struct loader *loader)
{
	for (const char *const *file = nb_config_main_files; *file; file++)
		if (read_file(loader, *file) != -ENOENT)
			return;
}

static void read_dropins(struct loader *loader)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *dir = NULL;
	int r;

	r = nb_config_list_dropins(loader->root, nb_config_main_files, paths, &dir);
	if (r < 0) {
		g_autofree char *fault = nb_config_explain_read(r);

		add_fault(loader, r, g_strdup_printf("/%s: %s", dir, fault));
	}
	for (unsigned i = 0; i < paths->len; i++)
		read_file(loader, g_ptr_array_index(paths, i));
}

/* Its rules are taken out, for the end. */
static void read_profile(struct loader *loader, const struct nb_config *asked,
			 struct nb_device_rules *ret_rules)
{
	g_autofree char *path = nb_profile_path(loader->root, asked->profile_used);
	g_autofree char *names = NULL;

	if (!path) {
		int row = nb_settings_find("Daemon", "Profile");

		names = nb_profile_list(loader->root);
		add_fault(
			loader, -EINVAL,
			g_strdup_printf("%s: there is no profile %s; write none, auto%s%s, or put "
					"it into /etc/nicbalance/profiles/%s.conf",
					(char *)g_ptr_array_index(asked->origins, (unsigned)row),
					asked->profile_used, *names ? ", " : "", names,
					asked->profile_used));
		return;
	}
	loader->in_profile = true;
	(void)read_file(loader, path);
	loader->in_profile = false;
	*ret_rules = loader->config->devices;
	loader->config->devices = (struct nb_device_rules){};
}

static void use_profile(struct nb_sysroot *root, struct nb_config *config)
{
	config->profile_used = config->profile;
	if (g_str_equal(config->profile, "auto"))
		config->profile_used = nb_profile_find(root, &config->profile_sign);
}

static void check(struct loader *loader)
{
	unsigned n_before = loader->faults->len;

	nb_config_check(loader->config, loader->broken, loader->faults);
	if (loader->faults->len > n_before && loader->error == 0)
		loader->error = -EINVAL;
}

/* asked: the configuration without its profile; NULL: this is to become that. */
static int load(struct nb_sysroot *root, const char *file, const struct nb_config *asked,
		struct nb_config **ret, char **ret_error)
{
	struct nb_device_rules rules = {};
	g_autoptr(nb_config) config = nb_config_new_default();
	g_autoptr(GPtrArray) faults = g_ptr_array_new_with_free_func(g_free);
	g_autofree bool *broken = g_new0(bool, nb_settings_count());
	struct loader loader = {.root = root, .config = config, .faults = faults, .broken = broken};

	if (asked)
		read_profile(&loader, asked, &rules);
	if (file)
		read_named_file(&loader, file);
	else
		read_main_file(&loader);
	read_dropins(&loader);
	nb_config_append_rules(config, &rules);
	check(&loader);

	if (faults->len > 0) {
		g_ptr_array_add(faults, NULL);
		*ret_error = g_strjoinv("\n", (char **)faults->pdata);
		return loader.error;
	}
	use_profile(root, config);
	*ret = g_steal_pointer(&config);
	return 0;
}

int nb_config_load(struct nb_sysroot *root, const char *file, struct nb_config **ret,
		   char **ret_error)
{
	g_autoptr(nb_config) asked = NULL;
	int r = load(root, file, NULL, &asked, ret_error);

	if (r < 0)
		return r;
	assert(asked);
	if (!g_str_equal(asked->profile_used, "none"))
		return load(root, file, asked, ret, ret_error);
	*ret = g_steal_pointer(&asked);
	return 0;
}
