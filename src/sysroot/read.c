/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sysroot/open.h"

#include <errno.h>

/* At least so much room for each read(2). A sequence file gives a page at most in one read
 * (fs/seq_file.c), so there is always a next one until it answers 0. */
#define READ_ROOM 4096u

static void make_room(GString *buffer)
{
	gsize len = buffer->len;

	if (buffer->allocated_len - len > READ_ROOM)
		return;
	g_string_set_size(buffer, len + READ_ROOM);
	g_string_truncate(buffer, len);
}

int nb_sysroot_pread(int fd, GString *buffer)
{
	g_string_truncate(buffer, 0);
	for (;;) {
		ssize_t n;

		make_room(buffer);
		n = pread(fd, buffer->str + buffer->len, buffer->allocated_len - buffer->len - 1,
			  (off_t)buffer->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		buffer->len += (gsize)n;
	}
	buffer->str[buffer->len] = '\0';
	return 0;
}

int nb_sysroot_read_into(struct nb_sysroot *root, const char *path, GString *buffer)
{
	nb_autoclose int fd = nb_sysroot_open_path(root, path, O_RDONLY);

	if (fd < 0)
		return fd;
	return nb_sysroot_pread(fd, buffer);
}

int nb_sysroot_read(struct nb_sysroot *root, const char *path, char **ret_text, size_t *ret_len)
{
	g_autoptr(GString) buffer = g_string_new(NULL);
	int r;

	r = nb_sysroot_read_into(root, path, buffer);
	if (r < 0)
		return r;

	*ret_len = buffer->len;
	*ret_text = g_string_free(g_steal_pointer(&buffer), FALSE);
	return 0;
}

int nb_sysroot_read_number(struct nb_sysroot *root, const char *path, uint64_t most, uint64_t *ret)
{
	g_autofree char *text = NULL;
	size_t len;
	int r;

	r = nb_sysroot_read(root, path, &text, &len);
	if (r < 0)
		return r;
	if (!g_ascii_string_to_unsigned(g_strchomp(text), 10, 0, most, ret, NULL))
		return -EBADMSG;
	return 0;
}
