/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "document/document.h"
#include "nicbalance/names.h"
#include "support/support.h"

#define SCHEMA NB_SOURCE_DIR "/systemd/owners.schema.json"

static void what_is_unknown_is_null(void **state)
{
	const struct nb_owned rows[] = {
		{.tunable = NB_TUNABLE_XPS,
		 .nic = "eth0",
		 .queue = 3,
		 .irq = -1,
		 .value = (char *)"off"},
		{.tunable = NB_TUNABLE_AFFINITY,
		 .queue = -1,
		 .irq = 0,
		 .value = (char *)"2",
		 .writer = NB_WRITER_CLAIM,
		 .owner = "kubelet",
		 .since_realtime_usec = 1},
	};
	g_autofree char *text = nb_document_owners(rows, 2);
	g_autofree char *none = nb_document_owners(NULL, 0);

	(void)state;
	assert_string_equal(
		text,
		"{\"version\":1,\"owners\":["
		"{\"nic\":\"eth0\",\"queue\":3,\"irq\":null,\"setting\":\"xps\",\"value\":\"off\","
		"\"who\":\"found\",\"owner\":null,\"since\":null},"
		"{\"nic\":null,\"queue\":null,\"irq\":0,\"setting\":\"affinity\",\"value\":\"2\","
		"\"who\":\"claim\",\"owner\":\"kubelet\",\"since\":\"1970-01-01T00:00:00.000001Z\"}"
		"]}");
	assert_string_equal(none, "{\"version\":1,\"owners\":[]}");
}

static const json_t *words_of(const json_t *schema, const char *field)
{
	static const char *const way[] = {"properties", "owners", "items", "properties"};

	for (size_t i = 0; i < G_N_ELEMENTS(way); i++)
		schema = json_object_get(schema, way[i]);
	return json_object_get(json_object_get(schema, field), "enum");
}

static void assert_words(const json_t *words, const char *(*word_of)(int value), size_t n)
{
	assert_int_equal(json_array_size(words), n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(json_string_value(json_array_get(words, i)), word_of((int)i));
}

static const char *tunable(int value)
{
	return nb_tunable_to_string((enum nb_tunable)value);
}

static const char *writer(int value)
{
	return nb_writer_to_string((enum nb_writer)value);
}

static void the_schema_knows_every_word(void **state)
{
	json_t *schema = json_load_file(SCHEMA, 0, NULL);

	(void)state;
	assert_non_null(schema);
	assert_words(words_of(schema, "setting"), tunable, _NB_TUNABLE_MAX);
	assert_words(words_of(schema, "who"), writer, _NB_WRITER_MAX);
	json_decref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_unknown_is_null),
		cmocka_unit_test(the_schema_knows_every_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
