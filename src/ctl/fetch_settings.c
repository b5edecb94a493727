/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/fetch_rows.h"
#include "nicbalance/interface.h"

static int read_setting(sd_bus_message *reply, void *row)
{
	struct nb_setting_row *setting = row;

	return sd_bus_message_read(reply, "(" NB_BUS_SETTING ")", &setting->section, &setting->key,
				   &setting->value, &setting->fallback, &setting->origin);
}

int nb_fetch_settings(sd_bus *bus, nb_rows *ret)
{
	return nb_fetch_rows(bus, "Config", NB_BUS_SETTING, sizeof(struct nb_setting_row),
			     read_setting, ret);
}
