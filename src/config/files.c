/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const nb_config_main_files[] = {
	"etc/nicbalance/nicbalance.conf",
	"run/nicbalance/nicbalance.conf",
	"usr/lib/nicbalance/nicbalance.conf",
	NULL,
};

static bool is_dropin_name(const char *name)
{
	return name[0] != '.' && g_str_has_suffix(name, ".conf");
}

static int add_dropins_of(struct nb_sysroot *root, const char *dir, GHashTable *paths_by_name)
{
	g_auto(GStrv) names = NULL;
	int r;

	r = nb_sysroot_list(root, dir, &names);
	if (r < 0)
		return r == -ENOENT ? 0 : r;

	for (char **name = names; *name; name++)
		if (is_dropin_name(*name) && !g_hash_table_contains(paths_by_name, *name))
			g_hash_table_insert(paths_by_name, g_strdup(*name),
					    g_build_filename(dir, *name, NULL));
	return 0;
}

int nb_config_list_dropins(struct nb_sysroot *root, const char *const *places, GPtrArray *paths,
			   char **ret_path)
{
	g_autoptr(GHashTable) paths_by_name =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_autoptr(GList) names = NULL;
	g_autofree char *failed = NULL;
	int error = 0;

	for (const char *const *file = places; *file; file++) {
		g_autofree char *dir = g_strconcat(*file, ".d", NULL);
		int r = add_dropins_of(root, dir, paths_by_name);

		if (r < 0 && error == 0) {
			error = r;
			failed = g_steal_pointer(&dir);
		}
	}

	names = g_list_sort(g_hash_table_get_keys(paths_by_name), (GCompareFunc)strcmp);
	for (const GList *name = names; name; name = name->next)
		g_ptr_array_add(paths, g_strdup(g_hash_table_lookup(paths_by_name, name->data)));
	if (error < 0)
		*ret_path = g_steal_pointer(&failed);
	return error;
}

/* A link that leads nowhere is a mistake, unless it is one to /dev/null on a captured machine,
 * which has no devices. */
static int explain_missing(struct nb_sysroot *root, const char *path)
{
	g_autofree char *target = NULL;

	if (nb_sysroot_link_name(root, path, &target) < 0)
		return -ENOENT;
	return g_str_equal(target, "null") ? 0 : -ENOLINK;
}

static int read_open_file(int fd, GString *text)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISCHR(st.st_mode))
		return 0;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -ENXIO;
	if (st.st_size > (off_t)NB_CONFIG_FILE_MAX)
		return -EFBIG;
	return nb_sysroot_pread(fd, text);
}

int nb_config_read_file(struct nb_sysroot *root, const char *path, GString *text)
{
	int fd, r;

	g_string_truncate(text, 0);
	r = nb_sysroot_open_file(root, path, &fd);
	if (r == -ENOENT)
		return explain_missing(root, path);
	if (r < 0)
		return r;

	r = read_open_file(fd, text);
	close(fd);
	return r;
}

char *nb_config_explain_read(int error)
{
	switch (error) {
	case -EISDIR:
		return g_strdup("is a directory; replace it by a file, or remove it");
	/* open(2) says this of a socket. */
	case -ENXIO:
		return g_strdup("is a FIFO, socket or device; replace it by a file, or remove it");
	case -ENOTDIR:
		return g_strdup("cannot be read: there is a file in place of a directory; "
				"remove that file");
	case -EFBIG:
		return g_strdup("is larger than 1 MiB; check that it is a configuration file");
	case -ENOLINK:
		return g_strdup("is a link to a file that does not exist; "
				"create that file, or remove the link");
	case -ENOENT:
		return g_strdup("does not exist; create it, or name another file");
	case -EACCES:
	case -EPERM:
		return g_strdup_printf("cannot be read: %s; check its mode and the directories "
				       "above it",
				       g_strerror(-error));
	default:
		return g_strdup_printf("cannot be read: %s; check the file system it is on",
				       g_strerror(-error));
	}
}
