/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/bus_internal.h"

static int append_setting(sd_bus_message *reply, const struct nb_config *config, unsigned row)
{
	g_autofree char *value = nb_config_value(config, row);
	const char *origin = config->origins->pdata[row];
	int r;

	r = sd_bus_message_open_container(reply, 'r', NB_BUS_SETTING);
	if (r < 0)
		return r;
	r = nb_bus_append_texts(reply, nb_config_section(row), nb_config_key(row), value,
				nb_config_default(row), origin ? origin : "", NULL);
	if (r < 0)
		return r;
	return sd_bus_message_close_container(reply);
}

static int append_settings(sd_bus_message *reply, const struct nb_config *config)
{
	int r;

	r = sd_bus_message_open_container(reply, 'a', "(" NB_BUS_SETTING ")");
	if (r < 0)
		return r;
	for (unsigned row = 0; row < nb_config_n_settings(); row++) {
		r = append_setting(reply, config, row);
		if (r < 0)
			return r;
	}
	return sd_bus_message_close_container(reply);
}

int nb_bus_config(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	g_autoptr(sd_bus_message) reply = NULL;
	struct nb_bus *bus = userdata;
	int r;

	(void)error;
	r = sd_bus_message_new_method_return(call, &reply);
	if (r < 0)
		return r;
	r = append_settings(reply, bus->handlers.get_config(bus->userdata));
	if (r < 0)
		return r;
	return sd_bus_send(sd_bus_message_get_bus(call), reply, NULL);
}
