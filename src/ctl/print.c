/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/ctl.h"
#include "ctl/json.h"

void nb_ctl_print_only(const struct nb_ctl *ctl, const struct nb_form *form, const nb_rows *rows)
{
	GString *json;

	if (!ctl->json) {
		nb_table_print(form, rows->rows, ctl->columns, &ctl->style);
		return;
	}
	json = nb_json_begin();
	nb_json_add_array(json, form, rows->rows, ctl->columns);
	nb_json_end(json);
}
