/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/trim.h"
#include "support/support.h"

static GArray *make_cpus(unsigned n)
{
	GArray *cpus = g_array_new(FALSE, TRUE, sizeof(struct nb_cpu_row));

	for (unsigned i = 0; i < n; i++) {
		struct nb_cpu_row cpu = {.id = i};

		g_array_append_val(cpus, cpu);
	}
	return cpus;
}

static struct nb_cpu_row *cpu_at(GArray *cpus, unsigned i)
{
	return &g_array_index(cpus, struct nb_cpu_row, i);
}

static void a_small_host_shows_every_cpu(void **state)
{
	g_autoptr(GArray) cpus = make_cpus(32);

	(void)state;
	assert_int_equal(nb_trim_cpus(cpus), 0);
	assert_int_equal(cpus->len, 32);
}

static void a_large_host_shows_cpus_that_serve_or_work(void **state)
{
	g_autoptr(GArray) cpus = make_cpus(64);

	(void)state;
	cpu_at(cpus, 3)->n_queues = 1;
	cpu_at(cpus, 40)->busy = 501;
	cpu_at(cpus, 41)->busy = 500;
	assert_int_equal(nb_trim_cpus(cpus), 62);
	assert_int_equal(cpus->len, 2);
	assert_int_equal(cpu_at(cpus, 0)->id, 3);
	assert_int_equal(cpu_at(cpus, 1)->id, 40);
}

static void the_last_moves_stay(void **state)
{
	g_autoptr(GArray) moves = g_array_new(FALSE, TRUE, sizeof(struct nb_move_row));

	(void)state;
	for (unsigned i = 0; i < 13; i++) {
		struct nb_move_row move = {.realtime_usec = i};

		g_array_append_val(moves, move);
	}
	assert_int_equal(nb_trim_moves(moves), 3);
	assert_int_equal(moves->len, 10);
	assert_int_equal(g_array_index(moves, struct nb_move_row, 0).realtime_usec, 3);
	assert_int_equal(nb_trim_moves(moves), 0);
}

static GArray *make_excluded(unsigned n_virtual)
{
	GArray *excluded = g_array_new(FALSE, TRUE, sizeof(struct nb_excluded_row));
	const struct nb_excluded_row down = {"nic", "eth1", "down", "it is down"};

	g_array_append_val(excluded, down);
	for (unsigned i = 0; i < n_virtual; i++) {
		const struct nb_excluded_row veth = {"nic", "veth", "virtual", "no hardware"};

		g_array_append_val(excluded, veth);
	}
	return excluded;
}

static void many_virtual_devices_give_way_to_those_with_hardware(void **state)
{
	g_autoptr(GArray) few = make_excluded(11), many = make_excluded(12);

	(void)state;
	assert_int_equal(nb_trim_excluded(few), 0);
	assert_int_equal(nb_trim_excluded(many), 12);
	assert_int_equal(many->len, 1);
	assert_string_equal(g_array_index(many, struct nb_excluded_row, 0).what, "eth1");
}

static void nics_out_of_scope_are_told_of_elsewhere(void **state)
{
	g_autoptr(GArray) nics = g_array_new(FALSE, TRUE, sizeof(struct nb_nic_row));
	const struct nb_nic_row out = {.name = "lo", .scope = "virtual"};
	const struct nb_nic_row in = {.name = "eth0", .scope = "in"};

	(void)state;
	g_array_append_val(nics, out);
	g_array_append_val(nics, in);
	assert_int_equal(nb_trim_nics(nics), 1);
	assert_string_equal(g_array_index(nics, struct nb_nic_row, 0).name, "eth0");
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
