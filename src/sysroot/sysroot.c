/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sysroot/open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* ".." below a root fails with EAGAIN while something on the host is renamed or mounted
 * (openat2(2)): a passing state. */
#define OPEN_TRIES 64

#define NSEC_PER_SEC UINT64_C(1000000000)

/* The host's own paths need no fence. They get none because openat2 is out of reach in a unit with
 * RestrictSUIDSGID=: seccomp cannot look into its struct, so systemd answers ENOSYS for it
 * (src/shared/seccomp-util.c seccomp_restrict_suid_sgid()). */
static int open_on_host(struct nb_sysroot *root, const char *path, int flags)
{
	int fd;

	do {
		fd = openat(root->fd, *path ? path : ".", flags | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

static int open_inside(struct nb_sysroot *root, const char *path, int flags)
{
	/* /proc/self is an ordinary link and still works; /proc/PID/{cwd,root,fd} would lead out.
	 */
	struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = -EAGAIN;

	for (int i = 0; i < OPEN_TRIES && (fd == -EAGAIN || fd == -EINTR); i++) {
		fd = syscall(SYS_openat2, root->fd, *path ? path : ".", &how, sizeof(how));
		if (fd < 0)
			fd = -errno;
	}
	return (int)fd;
}

int nb_sysroot_open_path(struct nb_sysroot *root, const char *path, int flags)
{
	return root->is_host ? open_on_host(root, path, flags) : open_inside(root, path, flags);
}

int nb_sysroot_open(const char *dir, struct nb_sysroot **ret)
{
	g_autoptr(nb_sysroot) root = g_new0(nb_sysroot, 1);

	if (!dir)
		dir = "/";
	root->is_host = g_str_equal(dir, "/");
	root->fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root->fd < 0)
		return -errno;

	*ret = g_steal_pointer(&root);
	return 0;
}

void nb_sysroot_free(struct nb_sysroot *root)
{
	if (!root)
		return;
	nb_closep(&root->fd);
	g_free(root);
}

bool nb_sysroot_is_host(const struct nb_sysroot *root)
{
	return root->is_host;
}

int nb_sysroot_open_file(struct nb_sysroot *root, const char *path, int *ret_fd)
{
	/* A FIFO in place of a file would wait for a writer. */
	int fd = nb_sysroot_open_path(root, path, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return fd;
	*ret_fd = fd;
	return 0;
}

bool nb_sysroot_exists(struct nb_sysroot *root, const char *path)
{
	nb_autoclose int fd = nb_sysroot_open_path(root, path, O_PATH);

	return fd >= 0;
}

bool nb_sysroot_is_writable(struct nb_sysroot *root, const char *path)
{
	nb_autoclose int fd = nb_sysroot_open_path(root, path, O_PATH);
	struct stat st;

	/* Not faccessat(2): root may open what the kernel shows as 0444, and is then refused. */
	return fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & S_IWUSR);
}

struct nb_file_stamp nb_sysroot_stamp(struct nb_sysroot *root, const char *path)
{
	nb_autoclose int fd = nb_sysroot_open_path(root, path, O_PATH);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return (struct nb_file_stamp){};
	return (struct nb_file_stamp){
		.inode = st.st_ino,
		.size = (uint64_t)st.st_size,
		.written_nsec =
			(uint64_t)st.st_mtim.tv_sec * NSEC_PER_SEC + (uint64_t)st.st_mtim.tv_nsec,
	};
}

int nb_sysroot_link_name(struct nb_sysroot *root, const char *path, char **ret_name)
{
	nb_autoclose int fd = nb_sysroot_open_path(root, path, O_PATH | O_NOFOLLOW);
	char target[PATH_MAX];
	ssize_t n;

	if (fd < 0)
		return fd;
	n = readlinkat(fd, "", target, sizeof(target) - 1);
	if (n < 0)
		/* ENOENT is what readlinkat(2) says of a descriptor that is no link. */
		return errno == ENOENT ? -EINVAL : -errno;
	target[n] = '\0';
	*ret_name = g_path_get_basename(target);
	return 0;
}

static size_t length_without_number(const char *name)
{
	size_t len = strlen(name);

	while (len > 0 && g_ascii_isdigit(name[len - 1]))
		len--;
	return len;
}

static int compare_names(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t x_len = length_without_number(x), y_len = length_without_number(y);
	uint64_t x_number, y_number;

	int r = memcmp(x, y, MIN(x_len, y_len));

	/* The part before the number first, or the order would not be one ("a2", "a10", "a1b"). */
	if (r != 0 || x_len != y_len)
		return r != 0 ? r : x_len < y_len ? -1 : 1;
	x_number = g_ascii_strtoull(x + x_len, NULL, 10);
	y_number = g_ascii_strtoull(y + y_len, NULL, 10);
	return x_number < y_number ? -1 : x_number > y_number ? 1 : strcmp(x, y);
}

int nb_sysroot_list(struct nb_sysroot *root, const char *path, char ***ret_names)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	int fd = nb_sysroot_open_path(root, path, O_RDONLY | O_DIRECTORY);
	const struct dirent *entry;
	DIR *dir;

	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		int r = -errno;

		close(fd);
		return r;
	}
	while ((errno = 0, entry = readdir(dir)))
		if (!g_str_equal(entry->d_name, ".") && !g_str_equal(entry->d_name, ".."))
			g_ptr_array_add(names, g_strdup(entry->d_name));
	int error = errno;

	closedir(dir);
	if (error != 0)
		return -error;

	g_ptr_array_sort(names, compare_names);
	g_ptr_array_add(names, NULL);
	*ret_names = (char **)g_ptr_array_steal(names, NULL);
	return 0;
}
