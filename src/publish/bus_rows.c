/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/bus_internal.h"

int nb_bus_append_texts(sd_bus_message *message, ...)
{
	const char *text;
	va_list args;
	int r = 0;

	va_start(args, message);
	while (r >= 0 && (text = va_arg(args, const char *))) {
		g_autofree char *valid = g_utf8_make_valid(text, -1);

		r = sd_bus_message_append_basic(message, 's', valid);
	}
	va_end(args);
	return r;
}

int nb_bus_append_irqs(sd_bus_message *message, const uint32_t *irqs, unsigned n_irqs)
{
	return sd_bus_message_append_array(message, 'u', irqs, n_irqs * sizeof(irqs[0]));
}

int nb_bus_reply_rows(sd_bus_message *call, void *userdata, const char *struct_signature,
		      int (*render)(sd_bus_message *reply, const struct nb_status *status))
{
	g_autofree char *contents = g_strdup_printf("(%s)", struct_signature);
	g_autoptr(sd_bus_message) reply = NULL;
	struct nb_status status;
	int r;

	nb_bus_get_status(userdata, &status);
	r = sd_bus_message_new_method_return(call, &reply);
	if (r < 0)
		return r;
	r = sd_bus_message_open_container(reply, 'a', contents);
	if (r < 0)
		return r;
	r = render(reply, &status);
	if (r < 0)
		return r;
	r = sd_bus_message_close_container(reply);
	if (r < 0)
		return r;
	return sd_bus_send(sd_bus_message_get_bus(call), reply, NULL);
}
