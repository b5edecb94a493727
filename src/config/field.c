/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpumask_text.h"
#include "base/values.h"
#include "config/glob.h"
#include "config/settings.h"
#include "nicbalance/names.h"

#include <errno.h>
#include <string.h>

/* MAX_NUMNODES of the largest configurations (NODES_SHIFT 10). */
#define NODE_MAX 1023u
/* More than any driver has: MSI-X has vectors for 2048. */
#define CHANNELS_MAX 2048u

static int parse_mode(const char *text, uint64_t *ret)
{
	enum nb_mode mode = nb_mode_from_string(text);

	if (mode == _NB_MODE_INVALID)
		return -EINVAL;
	*ret = (uint64_t)mode;
	return 0;
}

static char *format_mode(uint64_t value)
{
	return g_strdup(nb_mode_to_string((enum nb_mode)value));
}

static int parse_found(const char *text, uint64_t *ret)
{
	*ret = g_str_equal(text, "keep");
	return *ret || g_str_equal(text, "correct") ? 0 : -EINVAL;
}

static char *format_found(uint64_t value)
{
	return g_strdup(value ? "keep" : "correct");
}

static int parse_node(const char *text, uint64_t *ret)
{
	uint64_t node;

	if (*text == '\0')
		node = (uint32_t)NB_NODE_UNSET;
	else if (g_str_equal(text, "any"))
		node = (uint32_t)NB_NODE_NONE;
	else if (!g_ascii_string_to_unsigned(text, 10, 0, NODE_MAX, &node, NULL))
		return -EINVAL;
	*ret = node;
	return 0;
}

static char *format_node(uint64_t value)
{
	int node = (int)value;

	if (node == NB_NODE_UNSET)
		return g_strdup("");
	return node == NB_NODE_NONE ? g_strdup("any") : g_strdup_printf("%d", node);
}

static int parse_channels(const char *text, uint64_t *ret)
{
	uint64_t n;

	if (g_str_equal(text, "keep"))
		n = NB_CHANNELS_KEEP;
	else if (g_str_equal(text, "max"))
		n = NB_CHANNELS_MAX;
	else if (!g_ascii_string_to_unsigned(text, 10, 1, CHANNELS_MAX, &n, NULL))
		return -EINVAL;
	*ret = n;
	return 0;
}

static char *format_channels(uint64_t value)
{
	if (value == NB_CHANNELS_KEEP)
		return g_strdup("keep");
	return value == NB_CHANNELS_MAX ? g_strdup("max") : g_strdup_printf("%u", (unsigned)value);
}

/* sdfn as ethtool(8) has it: source and destination, address and port. */
static int parse_udp_hash(const char *text, uint64_t *ret)
{
	if (!g_str_equal(text, "keep") && !g_str_equal(text, "sdfn"))
		return -EINVAL;
	*ret = g_str_equal(text, "sdfn") ? NB_UDP_HASH_PORTS : NB_UDP_HASH_UNKNOWN;
	return 0;
}

static char *format_udp_hash(uint64_t value)
{
	return g_strdup(value == NB_UDP_HASH_PORTS ? "sdfn" : "keep");
}

/* How the values of one type are written. Those without parse are not numbers. */
static const struct form {
	int (*parse)(const char *text, uint64_t *ret);
	char *(*format)(uint64_t value);
	const char *noun;
	const char *remedy;
	const char *example; /* for a key whose default is empty */
} forms[] = {
	[NB_SETTING_SHARE] = {nb_share_parse, nb_share_format, "a share",
			      "write a share of one CPU"},
	[NB_SETTING_SPAN] = {nb_span_parse, nb_span_format, "a time span", "write a time span"},
	[NB_SETTING_BOOLEAN] = {nb_boolean_parse, nb_boolean_format, "a boolean",
				"write yes or no"},
	[NB_SETTING_COUNT] = {nb_count_parse, nb_count_format, "a whole number",
			      "write a whole number"},
	[NB_SETTING_MODE] = {parse_mode, format_mode, "a mode", "write balance or observe"},
	[NB_SETTING_CPUS] = {NULL, NULL, "a list of CPUs", "write CPU numbers and ranges", "0-3,8"},
	[NB_SETTING_NODE] = {parse_node, format_node, "a NUMA node", "write a number, or any,",
			     "0"},
	[NB_SETTING_FOUND] = {parse_found, format_found, "what to do with what is found",
			      "write correct or keep"},
	[NB_SETTING_CHANNELS] = {parse_channels, format_channels, "a number of channels",
				 "write keep, max or a number"},
	[NB_SETTING_UDP_HASH] = {parse_udp_hash, format_udp_hash, "a hash of UDP",
				 "write keep or sdfn"},
	[NB_SETTING_PROFILE] = {NULL, NULL, "the name of a profile",
				"write none, auto, or letters, digits, - and _,"},
};

static void store_number(void *field, size_t size, uint64_t value)
{
	switch (size) {
	case sizeof(uint64_t):
		*(uint64_t *)field = value;
		break;
	case sizeof(uint32_t): /* enums too */
		*(uint32_t *)field = (uint32_t)value;
		break;
	case sizeof(bool):
		*(bool *)field = value != 0;
		break;
	default:
		g_assert_not_reached();
	}
}

uint64_t nb_setting_number(const struct nb_setting *setting, const void *record)
{
	const void *field = (const char *)record + setting->offset;

	switch (setting->size) {
	case sizeof(uint64_t):
		return *(const uint64_t *)field;
	case sizeof(uint32_t):
		return *(const uint32_t *)field;
	case sizeof(bool):
		return *(const bool *)field;
	default:
		g_assert_not_reached();
	}
}

static bool is_within_bounds(const struct nb_setting *setting, uint64_t value)
{
	const struct form *form = &forms[setting->type];
	uint64_t bound;

	if (setting->least && form->parse(setting->least, &bound) == 0 && value < bound)
		return false;
	if (setting->most && form->parse(setting->most, &bound) == 0 && value > bound)
		return false;
	return true;
}

static int assign_number(const struct nb_setting *setting, void *field, const char *text)
{
	uint64_t value;
	int r;

	r = forms[setting->type].parse(text, &value);
	if (r < 0)
		return r;
	if (!is_within_bounds(setting, value))
		return -ERANGE;

	store_number(field, setting->size, value);
	return 0;
}

/* It becomes part of a path. */
static bool is_profile_name(const char *text)
{
	return text[strspn(text, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_")] == '\0';
}

static void assign_text(char **field, const char *text)
{
	g_free(*field);
	*field = *text != '\0' ? g_strdup(text) : NULL;
}

static bool is_text(const struct nb_setting *setting)
{
	return setting->type == NB_SETTING_GLOB || setting->type == NB_SETTING_PROFILE;
}

int nb_setting_assign(const struct nb_setting *setting, void *record, const char *text)
{
	void *field = (char *)record + setting->offset;

	if (*text == '\0')
		text = setting->initial;
	if (setting->type == NB_SETTING_CPUS)
		return nb_cpumask_parse_list(text, strlen(text), field);
	if (setting->type == NB_SETTING_PROFILE && !is_profile_name(text))
		return -EINVAL;
	if (setting->type == NB_SETTING_GLOB && nb_glob_explain(text))
		return -EINVAL;
	if (is_text(setting)) {
		assign_text(field, text);
		return 0;
	}
	return assign_number(setting, field, text);
}

char *nb_setting_explain(const struct nb_setting *setting, const char *text, int error)
{
	const struct form *form = &forms[setting->type];
	const char *example = *setting->initial != '\0' ? setting->initial : form->example;
	g_autofree char *wrong = NULL;

	if (setting->type == NB_SETTING_GLOB)
		return g_strdup_printf("%s=%s is not a glob: %s", setting->key, text,
				       nb_glob_explain(text));
	if (error == -ERANGE && setting->least)
		wrong = g_strdup_printf("between %s and %s", setting->least, setting->most);
	else
		wrong = g_strdup(form->noun);
	return g_strdup_printf("%s=%s is not %s; %s such as %s=%s%s", setting->key, text, wrong,
			       form->remedy, setting->key, example,
			       strpbrk(text, "#;") ? ", and a comment on a line of its own" : "");
}

char *nb_setting_format(const struct nb_setting *setting, const void *record)
{
	const void *field = (const char *)record + setting->offset;

	if (setting->type == NB_SETTING_CPUS)
		return nb_cpumask_format_list(field);
	if (is_text(setting)) {
		const char *const *stored = field;

		return g_strdup(*stored ? *stored : "");
	}
	return forms[setting->type].format(nb_setting_number(setting, record));
}
