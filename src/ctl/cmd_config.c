/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/columns.h"
#include "ctl/ctl.h"
#include "ctl/fetch.h"

int nb_ctl_config(struct nb_ctl *ctl)
{
	g_auto(nb_rows) settings = {0};
	int r;

	r = nb_fetch_settings(ctl->bus, &settings);
	if (r < 0)
		return r;
	nb_ctl_print_only(ctl, &nb_form_settings, &settings);
	return 0;
}
