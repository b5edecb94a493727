/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/show/trim.h"
#include "ctl/show/value.h"
#include "support/support.h"

static json_t *make_cpus(int n)
{
	json_t *cpus = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(cpus, json_pack("{s:i, s:i, s:f}", "cpu", i, "queues", 0,
						      "busy-percent", 0.0));
	return cpus;
}

static void set_at(json_t *rows, size_t i, const char *name, json_t *value)
{
	json_object_set_new(json_array_get(rows, i), name, value);
}

static uint64_t number_at(const json_t *rows, size_t i, const char *name)
{
	return nb_value_count(json_array_get(rows, i), name);
}

static void a_small_host_shows_every_cpu(void **state)
{
	json_t *cpus = make_cpus(32);

	(void)state;
	assert_int_equal(nb_trim_cpus(cpus), 0);
	assert_int_equal(json_array_size(cpus), 32);
	json_decref(cpus);
}

static void a_large_host_shows_cpus_that_serve_or_work(void **state)
{
	json_t *cpus = make_cpus(64);

	(void)state;
	set_at(cpus, 3, "queues", json_integer(1));
	set_at(cpus, 40, "busy-percent", json_real(5.01));
	set_at(cpus, 41, "busy-percent", json_real(5));
	assert_int_equal(nb_trim_cpus(cpus), 62);
	assert_int_equal(json_array_size(cpus), 2);
	assert_int_equal(number_at(cpus, 0, "cpu"), 3);
	assert_int_equal(number_at(cpus, 1, "cpu"), 40);
	json_decref(cpus);
}

static void the_last_moves_stay(void **state)
{
	json_t *moves = json_array();

	(void)state;
	for (int i = 0; i < 13; i++)
		json_array_append_new(moves, json_pack("{s:i}", "queue", i));
	assert_int_equal(nb_trim_moves(moves), 3);
	assert_int_equal(json_array_size(moves), 10);
	assert_int_equal(number_at(moves, 0, "queue"), 3);
	assert_int_equal(nb_trim_moves(moves), 0);
	json_decref(moves);
}

static json_t *make_excluded(unsigned n_virtual)
{
	json_t *excluded =
		json_pack("[{s:s, s:s, s:s}]", "kind", "nic", "what", "eth1", "reason", "down");

	for (unsigned i = 0; i < n_virtual; i++)
		json_array_append_new(excluded, json_pack("{s:s, s:s, s:s}", "kind", "nic", "what",
							  "veth", "reason", "virtual"));
	return excluded;
}

static void many_virtual_devices_give_way_to_those_with_hardware(void **state)
{
	json_t *few = make_excluded(11), *many = make_excluded(12);

	(void)state;
	assert_int_equal(nb_trim_excluded(few), 0);
	assert_int_equal(nb_trim_excluded(many), 12);
	assert_int_equal(json_array_size(many), 1);
	assert_string_equal(nb_value_text(json_array_get(many, 0), "what"), "eth1");
	json_decref(few);
	json_decref(many);
}

static void nics_out_of_scope_are_told_of_elsewhere(void **state)
{
	json_t *nics = json_pack("[{s:s, s:s}, {s:s, s:s}]", "nic", "lo", "scope", "virtual", "nic",
				 "eth0", "scope", "in");

	(void)state;
	assert_int_equal(nb_trim_nics(nics), 1);
	assert_string_equal(nb_value_text(json_array_get(nics, 0), "nic"), "eth0");
	json_decref(nics);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_host_shows_every_cpu),
		cmocka_unit_test(a_large_host_shows_cpus_that_serve_or_work),
		cmocka_unit_test(the_last_moves_stay),
		cmocka_unit_test(many_virtual_devices_give_way_to_those_with_hardware),
		cmocka_unit_test(nics_out_of_scope_are_told_of_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
