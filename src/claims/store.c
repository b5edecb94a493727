/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claims/store.h"

#include "base/lines.h"
#include "claims/orders_text.h"

#include <errno.h>
#include <string.h>

int nb_orders_load(struct nb_sysroot *root, struct nb_orders **ret, char **ret_damaged)
{
	g_autoptr(GArray) damaged = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autofree char *text = NULL;
	size_t len;
	int r;

	r = nb_sysroot_read(root, NB_CLAIMS_PATH, &text, &len);
	if (r == -ENOENT) {
		*ret = nb_orders_new();
		return 0;
	}
	if (r < 0)
		return r;

	*ret = nb_orders_parse(text, len, damaged);
	if (damaged->len == 0)
		return 0;
	*ret_damaged = nb_lines_describe(damaged);
	return -EBADMSG;
}

static bool any_to_keep(const struct nb_orders *orders)
{
	for (unsigned i = 0; i < orders->rows->len; i++)
		if (!*nb_orders_get(orders, i)->connection)
			return true;
	return false;
}

int nb_orders_save(struct nb_sysroot *root, const struct nb_orders *orders)
{
	g_autofree char *text = NULL;
	int r;

	if (any_to_keep(orders)) {
		text = nb_orders_format(orders);
		return nb_sysroot_replace(root, NB_CLAIMS_PATH, text, strlen(text));
	}
	r = nb_sysroot_unlink(root, NB_CLAIMS_PATH);
	return r == -ENOENT ? 0 : r;
}
