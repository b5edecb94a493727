/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/profile.h"

#include <string.h>

static const char *const places[] = {
	"etc/nicbalance/profiles",
	"run/nicbalance/profiles",
	"usr/local/lib/nicbalance/profiles",
	"usr/lib/nicbalance/profiles",
};

/* A line for each service behind three of headings (net/netfilter/ipvs/ip_vs_ctl.c
 * ip_vs_info_seq_show()). */
static bool has_ipvs_service(struct nb_sysroot *root)
{
	static const char *const kinds[] = {"\nTCP ", "\nUDP ", "\nSCTP ", "\nFWM "};
	g_autofree char *text = NULL;
	size_t len;

	if (nb_sysroot_read(root, "proc/net/ip_vs", &text, &len) < 0)
		return false;
	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (strstr(text, kinds[i]))
			return true;
	return false;
}

/* "postgresql.service", and the slice of the instances of a template, "system-postgresql.slice". */
static bool is_database(const char *unit)
{
	static const char *const names[] = {"postgresql", "mariadb", "mysql",     "redis",
					    "valkey",     "mongod",  "memcached", "cassandra",
					    "clickhouse", "scylla"};

	if (g_str_has_prefix(unit, "system-"))
		unit += strlen("system-");
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_str_has_prefix(unit, names[i]))
			return true;
	return false;
}

/* A unit has a cgroup while it runs. Processes themselves are hidden from the daemon by
 * ProtectProc=. */
static bool has_database(struct nb_sysroot *root)
{
	g_auto(GStrv) units = NULL;

	if (nb_sysroot_list(root, "sys/fs/cgroup/system.slice", &units) < 0)
		return false;
	for (char **unit = units; *unit; unit++)
		if (is_database(*unit))
			return true;
	return false;
}

static bool forwards(struct nb_sysroot *root)
{
	uint64_t v4 = 0, v6 = 0;

	(void)nb_sysroot_read_number(root, "proc/sys/net/ipv4/ip_forward", 1, &v4);
	(void)nb_sysroot_read_number(root, "proc/sys/net/ipv6/conf/all/forwarding", 1, &v6);
	return v4 || v6;
}

static const struct kind {
	const char *name;
	bool (*is_shown)(struct nb_sysroot *root);
	const char *sign;
} kinds[] = {
	{"lvs", has_ipvs_service, "IPVS has services"},
	{"db", has_database, "a database runs"},
	{"router", forwards, "packets are forwarded"},
};

const char *nb_profile_find(struct nb_sysroot *root, const char **ret_sign)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
		g_autofree char *path = nb_profile_path(root, kinds[i].name);

		if (path && kinds[i].is_shown(root)) {
			*ret_sign = kinds[i].sign;
			return kinds[i].name;
		}
	}
	*ret_sign = "nothing tells what this host does";
	return "none";
}

static unsigned rank(const char *name)
{
	unsigned i = 0;

	while (i < G_N_ELEMENTS(kinds) && !g_str_equal(kinds[i].name, name))
		i++;
	return i;
}

bool nb_profile_goes_before(const char *name, const char *other)
{
	return rank(name) < rank(other);
}

/* A link that leads nowhere counts, as one among the drop-ins does: it is a mistake, and on a
 * captured machine it may be one to /dev/null. */
static bool is_there(struct nb_sysroot *root, const char *path)
{
	g_autofree char *target = NULL;

	return nb_sysroot_exists(root, path) || nb_sysroot_link_name(root, path, &target) == 0;
}

char *nb_profile_path(struct nb_sysroot *root, const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(places); i++) {
		g_autofree char *path = g_strdup_printf("%s/%s.conf", places[i], name);

		if (is_there(root, path))
			return g_steal_pointer(&path);
	}
	return NULL;
}

static void add_names(struct nb_sysroot *root, const char *dir, GHashTable *names)
{
	g_auto(GStrv) files = NULL;

	if (nb_sysroot_list(root, dir, &files) < 0)
		return;
	for (char **file = files; *file; file++)
		if (**file != '.' && g_str_has_suffix(*file, ".conf"))
			g_hash_table_add(names, g_strndup(*file, strlen(*file) - strlen(".conf")));
}

char *nb_profile_list(struct nb_sysroot *root)
{
	g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GList) sorted = NULL;
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(places); i++)
		add_names(root, places[i], names);
	sorted = g_list_sort(g_hash_table_get_keys(names), (GCompareFunc)strcmp);
	for (const GList *name = sorted; name; name = name->next)
		g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "",
				       (const char *)name->data);
	return g_string_free(text, FALSE);
}
