/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/handlers.h"
#include "sample/parse/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSFS "sys/kernel/irq"

/* An interrupt's number from the name of its directory. */
static bool parse_irq(const char *name, uint32_t *ret)
{
	uint64_t value;

	if (!g_ascii_string_to_unsigned(name, 10, 1, UINT32_MAX, &value, NULL))
		return false;
	*ret = (uint32_t)value;
	return true;
}

static void handler_clear(void *p)
{
	struct nb_handler *handler = p;

	g_strfreev(handler->names);
}

/* actions: handler names joined by commas, with or without a blank. NULL when there are none. */
static char **split(const char *actions, size_t len)
{
	g_autofree char *text = g_strstrip(g_strndup(actions, len));
	char **names;

	if (*text == '\0')
		return NULL;
	names = g_strsplit(text, ",", -1);
	for (char **name = names; *name; name++)
		g_strchug(*name);
	return names;
}

static void add(GArray *all, uint32_t irq, char **names)
{
	struct nb_handler handler = {irq, names};

	if (names)
		g_array_append_val(all, handler);
}

/* One that is gone meanwhile has no handler either. */
static char **read_actions(struct nb_sysroot *root, uint32_t irq)
{
	g_autoptr(GString) actions = g_string_new(NULL);
	char path[64];

	snprintf(path, sizeof(path), SYSFS "/%u/actions", irq);
	return nb_sysroot_read_into(root, path, actions) == 0 ? split(actions->str, actions->len)
							      : NULL;
}

static int read_sysfs(struct nb_sysroot *root, GArray *all)
{
	g_auto(GStrv) names = NULL;
	uint32_t irq;
	int r;

	r = nb_sysroot_list(root, SYSFS, &names);
	if (r < 0)
		return r;
	for (char **name = names; *name; name++)
		if (parse_irq(*name, &irq))
			add(all, irq, read_actions(root, irq));
	return all->len > 0 ? 0 : -ENOENT;
}

static void add_row(const struct nb_interrupt_row *row, void *userdata)
{
	add(userdata, row->irq, split(row->actions, row->actions_len));
}

static int read_interrupts(struct nb_sysroot *root, GArray *all)
{
	g_autofree char *text = NULL;
	size_t len;
	int r;

	r = nb_sysroot_read(root, "proc/interrupts", &text, &len);
	if (r < 0)
		return r;
	g_array_set_size(all, 0);
	r = nb_parse_interrupts(text, len, add_row, all);
	if (r < 0)
		return r;
	return all->len > 0 ? 0 : -ENOENT;
}

/* Each handler has a directory named after it, unless its name holds a slash (kernel/irq/proc.c
 * register_handler_proc()). */
static void add_directory(struct nb_sysroot *root, GArray *all, const char *name)
{
	g_autofree char *path = g_strdup_printf("proc/irq/%s", name);
	g_autoptr(GString) actions = g_string_new(NULL);
	g_auto(GStrv) entries = NULL;
	uint32_t irq;

	if (!parse_irq(name, &irq) || nb_sysroot_list(root, path, &entries) < 0)
		return;
	for (char **entry = entries; *entry; entry++) {
		g_autofree char *below = g_strdup_printf("%s/%s", path, *entry);
		g_auto(GStrv) inside = NULL;

		if (nb_sysroot_list(root, below, &inside) < 0)
			continue;
		g_string_append_printf(actions, "%s%s", actions->len > 0 ? "," : "", *entry);
	}
	add(all, irq, split(actions->str, actions->len));
}

static int read_directories(struct nb_sysroot *root, GArray *all)
{
	g_auto(GStrv) names = NULL;
	int r;

	r = nb_sysroot_list(root, "proc/irq", &names);
	if (r < 0)
		return r;
	g_array_set_size(all, 0);
	for (char **name = names; *name; name++)
		add_directory(root, all, *name);
	return 0;
}

static int compare_handlers(const void *a, const void *b)
{
	const struct nb_handler *x = a, *y = b;

	return x->irq < y->irq ? -1 : x->irq > y->irq;
}

static int read_all(struct nb_handlers *handlers)
{
	int r;

	handlers->all = g_array_new(FALSE, FALSE, sizeof(struct nb_handler));
	g_array_set_clear_func(handlers->all, handler_clear);
	r = read_sysfs(handlers->root, handlers->all);
	if (r < 0)
		r = read_interrupts(handlers->root, handlers->all);
	if (r < 0)
		r = read_directories(handlers->root, handlers->all);
	g_array_sort(handlers->all, compare_handlers);
	return r;
}

int nb_handlers_open(struct nb_sysroot *root, struct nb_handlers **ret)
{
	g_autoptr(nb_handlers) handlers = g_new0(nb_handlers, 1);
	int r;

	handlers->root = root;
	handlers->in_sysfs = nb_sysroot_exists(root, SYSFS);
	if (!handlers->in_sysfs) {
		r = read_all(handlers);
		if (r < 0)
			return r;
	}
	*ret = g_steal_pointer(&handlers);
	return 0;
}

void nb_handlers_free(struct nb_handlers *handlers)
{
	if (!handlers)
		return;
	g_clear_pointer(&handlers->all, g_array_unref);
	g_free(handlers);
}

char **nb_handlers_of(struct nb_handlers *handlers, uint32_t irq)
{
	struct nb_handler key = {.irq = irq};
	const struct nb_handler *found;

	if (handlers->in_sysfs)
		return read_actions(handlers->root, irq);
	if (handlers->all->len == 0)
		return NULL;
	found = bsearch(&key, handlers->all->data, handlers->all->len, sizeof(key),
			compare_handlers);
	return found ? g_strdupv(found->names) : NULL;
}

void nb_handlers_join(char **names, char ret[NB_HANDLERS_MAX])
{
	g_autofree char *joined = g_strjoinv(",", names);

	g_strlcpy(ret, joined, NB_HANDLERS_MAX);
}

const GArray *nb_handlers_all(struct nb_handlers *handlers)
{
	if (!handlers->all)
		(void)read_all(handlers);
	return handlers->all;
}
