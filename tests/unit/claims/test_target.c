/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claims/target.h"

#include "unit/claims/fixture.h"

static void a_target_is_written_as_it_was_read(void **state)
{
	static const char *const texts[] = {"eth0", "eth0:3", "41", "4294967295", "br-lan.7:0"};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		struct nb_target target;
		g_autofree char *text = NULL;

		assert_int_equal(nb_target_parse(texts[i], &target), 0);
		text = nb_target_format(&target);
		assert_string_equal(text, texts[i]);
	}
}

static void what_names_nothing_is_refused(void **state)
{
	static const char *const texts[] = {
		"",        ":",   ":3",  "eth0:", "eth0:x",          "eth0:3:4", "eth0:4294967295",
		"eth0:-1", "a/b", "a b", "..",    "sixteen-letters0"};
	struct nb_target target;

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		if (nb_target_parse(texts[i], &target) != -EINVAL)
			fail_msg("\"%s\" is a target", texts[i]);
}

static void assert_finds(const char *text, const struct nb_queue_key *expected)
{
	struct nb_machine machine;
	struct nb_target target;
	struct nb_queue_key key;

	make_machine(&machine);
	assert_int_equal(nb_target_parse(text, &target), 0);
	assert_int_equal(nb_target_find(&target, &machine, &key), expected != NULL);
	if (expected)
		assert_int_equal(nb_queue_key_compare(key, *expected), 0);
}

static void what_is_there_is_found_by_its_key(void **state)
{
	(void)state;
	assert_finds("eth0", &eth0);
	assert_finds("eth0:1", &second);
	assert_finds("40", &first);
	assert_finds("30", &disk);
	assert_finds("eth1", NULL);
	assert_finds("eth0:2", NULL);
	assert_finds("31", NULL);
}

static void a_ban_has_no_target(void **state)
{
	const struct nb_target none = {};
	struct nb_queue_key key;
	struct nb_machine machine;

	(void)state;
	make_machine(&machine);
	assert_null(nb_target_format(&none));
	assert_false(nb_target_find(&none, &machine, &key));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_target_is_written_as_it_was_read),
		cmocka_unit_test(what_names_nothing_is_refused),
		cmocka_unit_test(what_is_there_is_found_by_its_key),
		cmocka_unit_test(a_ban_has_no_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
