/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a tunnel explains that one queue has most of the load: by bytes. */
#include "base/spells.h"
#include "daemon/fixture.h"

#define KIB 1024u

static int set_up(void **state)
{
	struct fixture *f;

	if (set_up_machine(state, "[Daemon]\nMode=observe\n") < 0)
		return -1;
	f = *state;
	nb_tmp_write(f->options.root, "sys/class/net/gre1/ifindex", "77\n");
	nb_tmp_write(f->options.root, "sys/class/net/gre1/flags", "0x91\n");
	nb_tmp_write(f->options.root, "sys/class/net/gre1/type", "778\n");
	nb_tmp_write(f->options.root, "sys/class/net/gre1/iflink", "0\n");
	return start_daemon(f);
}

static const struct nb_nic *lab0(const struct fixture *f)
{
	const struct nb_machine *machine = f->daemon->loop.snapshot->machine;

	for (unsigned i = 0; i < machine->n_nics; i++)
		if (strcmp(machine->nics[i].name, "lab0") == 0)
			return &machine->nics[i];
	fail_msg("no lab0");
	return NULL;
}

static void count(struct fixture *f, const char *name, uint64_t bytes)
{
	g_autofree char *path = g_strdup_printf("sys/class/net/%s/statistics/rx_bytes", name);
	g_autofree char *text = g_strdup_printf("%" PRIu64 "\n", bytes);

	nb_tmp_write(f->options.root, path, text);
}

/* A second in which a queue has most of lab0's load. */
static void pass(struct fixture *f, uint64_t nic_bytes, uint64_t tunnel_bytes)
{
	count(f, "lab0", nic_bytes);
	count(f, "gre1", tunnel_bytes);
	look(f);
	nb_spells_note(&f->daemon->loop.memory.lopsided, lab0(f)->ifindex, f->now_nsec);
	nb_daemon_watch_tunnels(f->daemon);
}

static bool is_noted(const struct fixture *f)
{
	return nb_spells_find(&f->daemon->loop.memory.tunnelled, lab0(f)->ifindex) != NULL;
}

static void a_third_of_the_bytes_are_enough(void **state)
{
	struct fixture *f = *state;

	look(f);
	assert_string_equal(lab0(f)->tunnel, "gre1");
	pass(f, 1000, 1000);
	assert_false(is_noted(f));
	pass(f, 1000 + 3 * KIB, 1000 + KIB - 1);
	assert_false(is_noted(f));
	pass(f, 1000 + 6 * KIB, 1000 + 2 * KIB - 1);
	assert_true(is_noted(f));
}

static void more_than_the_nic_receives_comes_over_another(void **state)
{
	struct fixture *f = *state;

	look(f);
	pass(f, 1000, 1000);
	pass(f, 2000, 2001);
	assert_false(is_noted(f));
	pass(f, 3000, 3001);
	assert_true(is_noted(f));
}

static void without_such_a_queue_nothing_is_read(void **state)
{
	struct fixture *f = *state;

	look(f);
	look(f);
	assert_int_equal(f->daemon->tunnel_counts->len, 0);
	pass(f, 1000, 1000);
	assert_int_equal(f->daemon->tunnel_counts->len, 1);
	g_clear_pointer(&f->daemon->loop.memory.lopsided.rows, g_free);
	f->daemon->loop.memory.lopsided.n = 0;
	look(f);
	assert_int_equal(f->daemon->tunnel_counts->len, 0);
	assert_false(is_noted(f));
}

static void counters_that_do_not_grow_tell_nothing(void **state)
{
	struct fixture *f = *state;

	look(f);
	pass(f, 3000, 2000);
	pass(f, 3000, 3000);
	pass(f, 4000, 3000);
	pass(f, 1000, 4000);
	pass(f, 2000, 100);
	assert_false(is_noted(f));
	pass(f, 3000, 1100);
	assert_true(is_noted(f));
}

static void pass_five_seconds(struct fixture *f)
{
	for (unsigned i = 0; i <= 5; i++)
		pass(f, (f->now_nsec / NB_NSEC_PER_SEC) * 1000,
		     (f->now_nsec / NB_NSEC_PER_SEC) * 900);
}

static void after_five_seconds_it_is_told(void **state)
{
	struct fixture *f = *state;
	g_autofree char *early = NULL, *told = NULL;

	look(f);
	early = said_by(pass_five_seconds, f);
	assert_int_equal(count_in(early, "gre1"), 0);
	told = said_by(pass_five_seconds, f);
	assert_int_equal(count_in(told, "lab0: most packets are of tunnel gre1"), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_third_of_the_bytes_are_enough, set_up, tear_down),
		cmocka_unit_test_setup_teardown(more_than_the_nic_receives_comes_over_another,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_such_a_queue_nothing_is_read, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(counters_that_do_not_grow_tell_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(after_five_seconds_it_is_told, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
