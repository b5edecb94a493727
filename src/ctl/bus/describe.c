/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/bus/describe.h"

#include "ctl/bus/connect.h"
#include "document/document.h"
#include "version.h"

#include <errno.h>

static int check_version(const json_t *document)
{
	const json_t *version = json_object_get(document, "version");
	const char *daemon =
		json_string_value(json_object_get(json_object_get(document, "daemon"), "version"));

	if (json_is_integer(version) && json_integer_value(version) == NB_DOCUMENT_VERSION)
		return 0;
	if (!json_is_integer(version))
		g_printerr("nicbalancectl: the answer of nicbalanced does not say its version\n");
	else
		g_printerr("nicbalancectl: nicbalanced %s answers in version %lld of its form, and "
			   "nicbalancectl " NB_VERSION
			   " reads version %d; use the one that came with it\n",
			   daemon ? daemon : "", (long long)json_integer_value(version),
			   NB_DOCUMENT_VERSION);
	return -EBADMSG;
}

static bool holds_objects(const json_t *array)
{
	const json_t *row;
	size_t i;

	if (!json_is_array(array))
		return false;
	json_array_foreach((json_t *)array, i, row)
	{
		if (!json_is_object(row))
			return false;
	}
	return true;
}

static int lacks(const char *name)
{
	g_printerr("nicbalancectl: the answer of nicbalanced has no proper \"%s\"\n", name);
	return -EBADMSG;
}

static int check_parts(const json_t *document)
{
	static const char *const tables[] = {"nics",     "queues", "cpus",  "moves",
					     "excluded", "config", "delays"};
	const json_t *plan = json_object_get(document, "plan");

	if (!json_is_object(json_object_get(document, "daemon")))
		return lacks("daemon");
	if (!holds_objects(json_object_get(plan, "changes")))
		return lacks("plan");
	for (size_t i = 0; i < G_N_ELEMENTS(tables); i++)
		if (!holds_objects(json_object_get(document, tables[i])))
			return lacks(tables[i]);
	return 0;
}

static int check_owners(const json_t *document)
{
	return holds_objects(json_object_get(document, "owners")) ? 0 : lacks("owners");
}

static int parse(const char *text, int (*check)(const json_t *document), json_t **ret)
{
	json_error_t error;
	json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	int r;

	if (!document) {
		g_printerr("nicbalancectl: the answer of nicbalanced is no JSON: %s (at %d)\n",
			   error.text, error.position);
		return -EBADMSG;
	}
	r = check_version(document);
	if (r == 0)
		r = check(document);
	if (r < 0) {
		json_decref(document);
		return r;
	}
	*ret = document;
	return 0;
}

int nb_describe_parse(const char *text, json_t **ret)
{
	return parse(text, check_parts, ret);
}

static int ask(sd_bus *bus, const char *method, int (*check)(const json_t *document), json_t **ret)
{
	g_autoptr(sd_bus_message) reply = NULL;
	const char *text;
	int r;

	r = nb_call(bus, method, &reply);
	if (r < 0)
		return r;
	r = sd_bus_message_read(reply, "s", &text);
	if (r < 0)
		return nb_answer_is_odd(r);
	return parse(text, check, ret);
}

int nb_describe(sd_bus *bus, json_t **ret)
{
	return ask(bus, "Describe", check_parts, ret);
}

int nb_describe_owners(sd_bus *bus, json_t **ret)
{
	return ask(bus, "DescribeOwners", check_owners, ret);
}
