/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers that are odd, of another version, or cut. */
#include "ctl/bus/describe.h"
#include "document/document.h"
#include "support/support.h"

#define PARTS                                                                           \
	"\"nics\": [], \"queues\": [], \"cpus\": [], \"moves\": [], \"excluded\": [], " \
	"\"plan\": {\"changes\": []}, \"config\": [], \"delays\": []"

static const char whole[] = "{\"version\": 1, \"daemon\": {}, " PARTS "}";

static void assert_refused(const char *text)
{
	json_t *untouched = json_true(), *document = untouched;

	assert_int_equal(nb_describe_parse(text, &document), -EBADMSG);
	assert_ptr_equal(document, untouched);
}

static void fields_of_a_later_version_stay(void **state)
{
	json_t *document = NULL;

	(void)state;
	assert_int_equal(NB_DOCUMENT_VERSION, 1);
	assert_int_equal(nb_describe_parse("{\"version\": 1, \"daemon\": {\"mood\": 7}, "
					   "\"weather\": [], " PARTS "}",
					   &document),
			 0);
	assert_non_null(json_object_get(document, "weather"));
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(document, "daemon"), "mood")),
		7);
	json_decref(document);
}

static void a_document_that_is_cut_anywhere_is_refused(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(whole) - 1; len++) {
		g_autofree char *cut = g_strndup(whole, len);

		assert_refused(cut);
	}
}

static void another_version_of_the_form_is_refused(void **state)
{
	(void)state;
	assert_refused("{\"version\": 2, \"daemon\": {\"version\": \"9\"}, " PARTS "}");
	assert_refused("{\"version\": \"1\", \"daemon\": {}, " PARTS "}");
	assert_refused("{\"daemon\": {}, " PARTS "}");
	assert_refused("[]");
	assert_refused("7");
}

static void parts_that_lack_or_are_no_tables_are_refused(void **state)
{
	(void)state;
	assert_refused("{\"version\": 1, " PARTS "}");
	assert_refused("{\"version\": 1, \"daemon\": [], " PARTS "}");
	assert_refused("{\"version\": 1, \"daemon\": {}}");
	assert_refused("{\"version\": 1, \"daemon\": {}, \"nics\": [7], \"queues\": [], "
		       "\"cpus\": [], \"moves\": [], \"excluded\": [], \"plan\": "
		       "{\"changes\": []}, \"config\": [], \"delays\": []}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_a_later_version_stay),
		cmocka_unit_test(a_document_that_is_cut_anywhere_is_refused),
		cmocka_unit_test(another_version_of_the_form_is_refused),
		cmocka_unit_test(parts_that_lack_or_are_no_tables_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
