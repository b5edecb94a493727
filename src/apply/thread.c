/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/thread.h"

#include "base/cpumask_text.h"

#include <errno.h>
#include <string.h>

/* net/core/dev.c napi_kthread_create(): "napi/%s-%d" of device and id. */
#define NAME_BEGINS "napi/"
/* include/linux/sched.h PF_KTHREAD: any program may call itself as it likes. */
#define KERNEL_THREAD 0x00200000u

/* proc_pid_stat(5): fields after the name, which may contain anything. */
enum { FLAGS = 9 - 3, BEGAN = 22 - 3 };

/* A name that is kept in one line of the baseline, and is not all of another one. */
static bool is_napi(const char *name, size_t len)
{
	return len < NB_THREAD_NAME_MAX && g_str_has_prefix(name, NAME_BEGINS) &&
	       !memchr(name, '\n', len) && !memchr(name, '\t', len);
}

int nb_thread_parse_stat(const char *text, size_t len, struct nb_thread *ret)
{
	g_autofree char *copy = g_strndup(text, len);
	char *name = strchr(copy, '('), *end = strrchr(copy, ')');
	g_auto(GStrv) fields = NULL;
	uint64_t flags, began;

	if (!name || !end || end < name || strlen(copy) != len)
		return -EBADMSG;
	name++;
	*end = '\0';
	fields = g_strsplit(g_strstrip(end + 1), " ", BEGAN + 2);
	if (g_strv_length(fields) <= BEGAN ||
	    !g_ascii_string_to_unsigned(fields[FLAGS], 10, 0, UINT32_MAX, &flags, NULL) ||
	    !g_ascii_string_to_unsigned(fields[BEGAN], 10, 0, UINT64_MAX, &began, NULL))
		return -EBADMSG;
	if (!(flags & KERNEL_THREAD) || !is_napi(name, strlen(name)))
		return -ENOENT;

	g_strlcpy(ret->name, name, sizeof(ret->name));
	ret->began = began;
	return 0;
}

int nb_thread_parse_status(const char *text, size_t len, struct nb_cpumask *ret)
{
	static const char key[] = "\nCpus_allowed:\t";
	const char *line = g_strstr_len(text, (gssize)len, key), *end;

	if (!line)
		return -EBADMSG;
	line += strlen(key);
	end = memchr(line, '\n', len - (size_t)(line - text));
	if (!end)
		return -EBADMSG;
	return nb_cpumask_parse_mask(line, (size_t)(end - line), ret) < 0 ? -EBADMSG : 0;
}

/* A task that goes between open and read answers ESRCH (fs/proc/base.c proc_single_show()). */
static int read_of(struct nb_sysroot *root, uint32_t pid, const char *file, char **ret,
		   size_t *ret_len)
{
	g_autofree char *path = g_strdup_printf("proc/%u/%s", pid, file);
	int r = nb_sysroot_read(root, path, ret, ret_len);

	return r == -ESRCH ? -ENOENT : r;
}

int nb_thread_find(struct nb_sysroot *root, uint32_t pid, struct nb_thread *ret)
{
	g_autofree char *text = NULL;
	size_t len;
	int r;

	r = read_of(root, pid, "stat", &text, &len);
	if (r < 0)
		return r;
	return nb_thread_parse_stat(text, len, ret);
}

int nb_thread_read_cpus(struct nb_sysroot *root, uint32_t pid, struct nb_cpumask *ret)
{
	g_autofree char *text = NULL;
	size_t len;
	int r;

	r = read_of(root, pid, "status", &text, &len);
	if (r < 0)
		return r;
	return nb_thread_parse_status(text, len, ret);
}
