/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/drivers/pattern.h"
#include "support/support.h"

static const char *const others[] = {"eth1", "ens3f0", NULL};
static const struct nb_pattern_names exact = {"eth0", "0000:3b:00.0", "virtio2", NULL};
static const struct nb_pattern_names renamed = {"eth0", "0000:3b:00.0", "virtio2", others};

static void assert_fits(const char *pattern, const char *text, const struct nb_pattern_names *names,
			unsigned number)
{
	unsigned got = 12345;

	assert_true(nb_pattern_match(pattern, text, names, &got));
	assert_int_equal(got, number);
}

static void assert_differs(const char *pattern, const char *text,
			   const struct nb_pattern_names *names)
{
	unsigned got = 12345;

	assert_false(nb_pattern_match(pattern, text, names, &got));
	assert_int_equal(got, 12345);
}

static void places_stand_for_the_names_of_the_device(void **state)
{
	(void)state;
	assert_fits("{if}-TxRx-{n}", "eth0-TxRx-17", &exact, 17);
	assert_fits("{dev}-input.{n}", "virtio2-input.3", &exact, 3);
	assert_fits("mlx5_comp{n}@pci:{pci}", "mlx5_comp7@pci:0000:3b:00.0", &exact, 7);
	assert_differs("{if}-TxRx-{n}", "eth1-TxRx-0", &exact);
	assert_differs("{if}-TxRx-{n}", "eth00-TxRx-0", &exact);
	assert_differs("{dev}-input.{n}", "virtio22-input.3", &exact);
	assert_differs("mlx5_comp{n}@pci:{pci}", "mlx5_comp7@pci:0000:3b:00.1", &exact);
}

static void the_whole_text_must_fit(void **state)
{
	(void)state;
	assert_differs("{if}-rx-{n}", "eth0-rx-0x", &exact);
	assert_differs("{if}-rx-{n}", "eth0-rx-", &exact);
	assert_differs("{if}-rx-{n}", "xeth0-rx-0", &exact);
	assert_differs("{if}", "eth0-rx-0", &exact);
	assert_differs("{if}-rx-{n}", "eth0-rx-100000000", &exact);
	assert_differs("abc", "", &exact);
	assert_fits("", "", &exact, 0);
}

static void a_star_is_any_text(void **state)
{
	(void)state;
	assert_fits("*:misc", "i40e-0000:3b:00.0:misc", &exact, 0);
	assert_fits("{if}-tx-*-rx-{n}", "eth0-tx-0-rx-4", &exact, 4);
	assert_fits("a*", "a", &exact, 0);
	assert_fits("*a*b*", "xxaxxbxx", &exact, 0);
	assert_differs("*a*b*", "xxbxxaxx", &exact);
}

static void stars_and_numbers_go_together(void **state)
{
	(void)state;
	assert_fits("*_async{n}@*", "mlx5_async_async12@pci:x", &exact, 12);
	assert_fits("a{n}*b{n}c", "a1b2b34c", &exact, 34);
	assert_fits("*1*{n}", "x1y7", &exact, 7);
	assert_fits("*{pci}:*", "x0000:3b:00.0:misc", &exact, 0);
	assert_fits("x-{if}-*-{n}", "x-was-0-tx-3", &renamed, 3);
	assert_differs("*_async{n}@*", "mlx5_async@pci", &exact);
	assert_differs("a*{n}b", "a12", &exact);
}

/* Each star used to multiply the ways to try. */
static void many_stars_are_tried_one_after_another(void **state)
{
	g_autoptr(GString) pattern = g_string_new(NULL), text = g_string_new(NULL);

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		g_string_append(pattern, "*a");
	for (unsigned i = 0; i < 2000; i++)
		g_string_append(text, "a");
	assert_fits(pattern->str, text->str, &renamed, 0);
	g_string_append(pattern, "b");
	assert_differs(pattern->str, text->str, &renamed);
}

static void a_brace_that_opens_no_place_is_itself(void **state)
{
	(void)state;
	assert_fits("{x}-{n}", "{x}-3", &exact, 3);
	assert_fits("{", "{", &exact, 0);
	assert_differs("{if", "eth0", &exact);
}

static void an_older_name_fits_unless_another_interface_has_it(void **state)
{
	(void)state;
	assert_fits("{if}-TxRx-{n}", "enp1s0-TxRx-4", &renamed, 4);
	assert_fits("{if}-TxRx-{n}", "eth0-TxRx-4", &renamed, 4);
	assert_differs("{if}-TxRx-{n}", "eth1-TxRx-4", &renamed);
	assert_differs("{if}-TxRx-{n}", "ens3f0-TxRx-4", &renamed);
	assert_differs("{if}-TxRx-{n}", "-TxRx-4", &renamed);
	assert_differs("{if}-TxRx-{n}", "muchtoolonganame-TxRx-4", &renamed);
}

static void a_missing_name_fits_nothing(void **state)
{
	static const struct nb_pattern_names bare = {"eth0", "", "", NULL};

	(void)state;
	assert_differs("{dev}-config", "-config", &bare);
	assert_differs("x@{pci}", "x@", &bare);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_stand_for_the_names_of_the_device),
		cmocka_unit_test(the_whole_text_must_fit),
		cmocka_unit_test(a_star_is_any_text),
		cmocka_unit_test(stars_and_numbers_go_together),
		cmocka_unit_test(many_stars_are_tried_one_after_another),
		cmocka_unit_test(a_brace_that_opens_no_place_is_itself),
		cmocka_unit_test(an_older_name_fits_unless_another_interface_has_it),
		cmocka_unit_test(a_missing_name_fits_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
