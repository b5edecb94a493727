/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bans and claims: for root, but that everyone may list them. */
#include "ctl/bus/connect.h"
#include "ctl/ctl.h"
#include "ctl/show/columns.h"
#include "ctl/show/value.h"

#include <errno.h>
#include <stdio.h>

static const char *owner_of(const struct nb_ctl *ctl)
{
	return ctl->owner ? ctl->owner : "";
}

static int tell_remains(const char *remains)
{
	g_auto(GStrv) lines = g_strsplit(remains, "\n", -1);

	if (!*remains)
		return 0;
	g_printerr("nicbalancectl: what has not left yet:\n");
	for (char **line = lines; *line; line++)
		g_printerr("  %s\n", *line);
	return -EINPROGRESS;
}

/* A signal ends this process, and with it the connection. */
static int stay(struct nb_ctl *ctl)
{
	int r = 0;

	while (r >= 0 || r == -EINTR) {
		r = sd_bus_process(ctl->bus, NULL);
		if (r == 0)
			r = sd_bus_wait(ctl->bus, UINT64_MAX);
	}
	g_printerr("nicbalancectl: nicbalanced closed the connection, which ends the order\n");
	return r;
}

/* Prints what was ordered as far as it is read now, and what remains to be done. */
static int conclude(struct nb_ctl *ctl, const char *remains)
{
	int r = tell_remains(remains);

	if (!ctl->while_connected)
		return r;
	fflush(stdout);
	return stay(ctl);
}

int nb_ctl_ban(struct nb_ctl *ctl)
{
	g_autoptr(sd_bus_message) reply = NULL;
	const char *remains;
	uint64_t id;
	int r;

	r = nb_call_with(ctl->bus, "Ban", &reply, "sstb", ctl->argument, owner_of(ctl),
			 ctl->lease_usec, (int)ctl->while_connected);
	if (r < 0)
		return r;
	r = sd_bus_message_read(reply, "ts", &id, &remains);
	if (r < 0)
		return nb_answer_is_odd(r);
	printf("Order %" G_GUINT64_FORMAT ": CPUs %s are banned.\n", id, ctl->argument);
	return conclude(ctl, remains);
}

static const json_t *find_order(const json_t *rows, uint64_t id)
{
	for (size_t i = 0; i < json_array_size(rows); i++)
		if (nb_value_count(json_array_get(rows, i), "id") == id)
			return json_array_get(rows, i);
	return NULL;
}

/* A name that is mistyped would wait for ever. */
static int tell_absent(struct nb_ctl *ctl, uint64_t id)
{
	const json_t *order;
	int r = nb_ctl_describe(ctl);

	if (r < 0)
		return r;
	order = find_order(nb_form_rows(&nb_form_claims, ctl->document), id);
	if (json_is_false(json_object_get(order, "present")))
		printf("There is no %s now: the claim counts when it appears.\n", ctl->argument);
	return 0;
}

int nb_ctl_claim(struct nb_ctl *ctl)
{
	g_autoptr(sd_bus_message) reply = NULL;
	const char *remains;
	uint64_t id;
	int r;

	r = nb_call_with(ctl->bus, "Claim", &reply, "ssbstb", ctl->argument, ctl->cpus,
			 (int)ctl->exclusive, owner_of(ctl), ctl->lease_usec,
			 (int)ctl->while_connected);
	if (r < 0)
		return r;
	r = sd_bus_message_read(reply, "ts", &id, &remains);
	if (r < 0)
		return nb_answer_is_odd(r);
	printf("Order %" G_GUINT64_FORMAT ": CPUs %s are claimed for %s%s.\n", id, ctl->cpus,
	       ctl->argument, ctl->exclusive ? " alone" : "");
	r = tell_absent(ctl, id);
	return r < 0 ? r : conclude(ctl, remains);
}

int nb_ctl_unban(struct nb_ctl *ctl)
{
	g_autoptr(sd_bus_message) reply = NULL;
	int r;

	r = nb_call_with(ctl->bus, "Unban", &reply, "ss", ctl->argument, owner_of(ctl));
	if (r == 0)
		printf("CPUs %s are no longer banned by this owner.\n", ctl->argument);
	return r;
}

int nb_ctl_release(struct nb_ctl *ctl)
{
	g_autoptr(sd_bus_message) reply = NULL;
	uint32_t n;
	int r;

	r = nb_call_with(ctl->bus, "Release", &reply, "ss", ctl->argument, owner_of(ctl));
	if (r < 0)
		return r;
	r = sd_bus_message_read(reply, "u", &n);
	if (r < 0)
		return nb_answer_is_odd(r);
	printf("%u limit%s released.\n", n, n == 1 ? "" : "s");
	return 0;
}

int nb_ctl_claims(struct nb_ctl *ctl)
{
	int r = nb_ctl_describe(ctl);

	if (r < 0)
		return r;
	nb_ctl_print_only(ctl, &nb_form_claims, nb_form_rows(&nb_form_claims, ctl->document));
	return 0;
}
