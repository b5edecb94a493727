/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/written.h"

#include "base/cpumask_text.h"
#include "base/device_irq_memory.h"
#include "base/memory.h"
#include "base/pools.h"
#include "support/host.h"
#include "support/support.h"

/* Three queues on CPU 1 of eight, as they were found. */
struct fixture {
	struct nb_host *host;
	struct nb_several several[3];
	struct nb_nic_state nic;
};

/* A second later. */
static void review(struct fixture *f)
{
	struct nb_host *host = f->host;

	host->snapshot.taken_nsec += NB_NSEC_PER_SEC;
	nb_memory_sync(&host->memory, &host->snapshot);
	nb_written_review(&host->memory, &host->snapshot, &host->policy);
}

static struct nb_queue_memory *queue(const struct fixture *f, unsigned i)
{
	return &f->host->memory.queues[i];
}

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->host = nb_host_new(8, 1, 1);
	nb_host_add_nic(f->host, NB_NODE_NONE, 3, 1, 1000);
	f->nic = (struct nb_nic_state){.ifindex = 2, .carrier_changes = 5};
	f->host->snapshot.nics = &f->nic;
	f->host->snapshot.n_nics = 1;
	f->host->snapshot.several = f->several;
	review(f);
	for (unsigned i = 0; i < 3; i++)
		queue(f, i)->fresh = false;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_host_free(f->host);
	g_free(f);
	return 0;
}

static struct nb_cpumask cpus_of(const char *list)
{
	struct nb_cpumask cpus;

	assert_int_equal(nb_cpumask_parse_list(list, strlen(list), &cpus), 0);
	return cpus;
}

/* The mask of the first queue is one of several CPUs now; held apart: of one interrupt each. */
static void spread(struct fixture *f, const char *list, bool apart)
{
	struct nb_queue_state *state = &f->host->snapshot.queues[0];

	f->several[0] =
		(struct nb_several){.key = state->key, .apart = apart, .cpus = cpus_of(list)};
	f->host->snapshot.n_several = 1;
	state->affinity_cpu = -1;
	state->n_allowed = nb_cpumask_count(&f->several[0].cpus);
}

/* All CPUs, or the default affinity. */
static void set_free(struct fixture *f, unsigned i, unsigned n_allowed)
{
	f->host->snapshot.n_several = 0;
	f->host->snapshot.queues[i].affinity_cpu = -1;
	f->host->snapshot.queues[i].n_allowed = n_allowed;
}

static void place(struct fixture *f, unsigned i, unsigned cpu)
{
	f->host->snapshot.n_several = 0;
	nb_host_place(f->host, i, cpu);
}

static const struct nb_pool *row_of(const struct fixture *f, unsigned i)
{
	return nb_pools_find(&f->host->memory.written, queue(f, i)->key);
}

static void assert_row(const struct fixture *f, unsigned i, bool pin, const char *list)
{
	const struct nb_pool *row = row_of(f, i);
	g_autofree char *found = NULL;

	assert_non_null(row);
	found = nb_cpumask_format_list(&row->cpus);
	assert_string_equal(found, list);
	assert_int_equal(row->pin, pin);
	assert_int_equal(row->rule, NB_RULE_WRITTEN);
}

static void assert_reset(const struct fixture *f, unsigned i)
{
	assert_true(queue(f, i)->fresh);
	assert_int_equal(queue(f, i)->expected_cpu, -1);
	assert_false(queue(f, i)->affinity.unjudged);
	assert_null(row_of(f, i));
}

static void what_is_found_first_is_a_default(void **state)
{
	struct fixture *f = *state;

	review(f);
	assert_int_equal(f->host->memory.written.n, 0);
	assert_int_equal(f->host->memory.written_version, 0);
	assert_false(queue(f, 0)->affinity.unjudged);
}

static void unless_it_is_to_be_kept(void **state)
{
	struct fixture *f = *state;

	f->host->policy.keep_found = true;
	f->host->snapshot.queues[0].settable = false;
	f->host->snapshot.queues[1].hinted = true;
	nb_memory_clear(&f->host->memory);
	review(f);
	assert_null(row_of(f, 0));
	assert_null(row_of(f, 1));
	assert_row(f, 2, true, "1");
	nb_memory_clear(&f->host->memory);
	f->host->snapshot.default_affinity = cpus_of("1");
	review(f);
	assert_int_equal(f->host->memory.written.n, 0);
}

/* Of a queue that was never touched. */
static void one_cpu_is_a_pin(void **state)
{
	struct fixture *f = *state;

	place(f, 0, 3);
	review(f);
	assert_row(f, 0, true, "3");
	assert_true(row_of(f, 0)->since_nsec == f->host->snapshot.taken_nsec);
	assert_true(queue(f, 0)->affinity.unjudged);
	assert_int_equal(queue(f, 0)->affinity.cpu_before, 1);
	assert_int_equal(f->host->memory.written.n, 1);
	assert_int_equal(f->host->memory.written_version, 1);
	review(f);
	assert_int_equal(f->host->memory.written_version, 1);
}

static void several_are_a_pool_and_a_pair_held_apart_is_a_pin(void **state)
{
	struct fixture *f = *state;

	spread(f, "2-4", false);
	review(f);
	assert_row(f, 0, false, "2-4");
	spread(f, "2-3,5", false);
	review(f);
	assert_row(f, 0, false, "2-3,5");
	assert_int_equal(queue(f, 0)->affinity.in_a_row, 2);
	spread(f, "2-3,5", true);
	review(f);
	assert_row(f, 0, true, "2-3,5");
}

static void what_we_wrote_is_ours(void **state)
{
	struct fixture *f = *state;

	queue(f, 0)->expected_cpu = 6;
	place(f, 0, 6);
	review(f);
	assert_null(row_of(f, 0));
	assert_false(queue(f, 0)->affinity.unjudged);
}

static void what_is_as_before_we_wrote_it_was_written_back(void **state)
{
	struct fixture *f = *state;

	queue(f, 0)->expected_cpu = 6;
	review(f);
	assert_row(f, 0, true, "1");
	assert_true(queue(f, 0)->affinity.unjudged);
}

static void inside_a_pool_it_stands_and_outside_it_is_over(void **state)
{
	struct fixture *f = *state;

	spread(f, "2-4", false);
	review(f);
	queue(f, 0)->affinity.unjudged = false;
	queue(f, 0)->expected_cpu = 3;
	place(f, 0, 3);
	review(f);
	assert_row(f, 0, false, "2-4");
	queue(f, 0)->expected_cpu = 7;
	place(f, 0, 7);
	review(f);
	assert_null(row_of(f, 0));
	assert_false(queue(f, 0)->affinity.unjudged);
}

static void all_cpus_or_the_default_affinity_end_it(void **state)
{
	struct fixture *f = *state;

	place(f, 0, 3);
	place(f, 1, 3);
	review(f);
	assert_int_equal(f->host->memory.written.n, 2);
	set_free(f, 0, 8);
	set_free(f, 1, 4);
	review(f);
	assert_int_equal(f->host->memory.written.n, 0);
	assert_true(queue(f, 0)->affinity.unjudged);
	f->host->snapshot.default_affinity = cpus_of("5");
	place(f, 2, 5);
	review(f);
	assert_null(row_of(f, 2));
}

static void a_cpu_that_is_offline_limits_nothing(void **state)
{
	struct fixture *f = *state;

	nb_host_set_offline(f->host, 3);
	review(f);
	f->host->snapshot.taken_nsec += 60 * NB_NSEC_PER_SEC;
	place(f, 0, 3);
	review(f);
	assert_true(queue(f, 0)->affinity.unjudged);
	assert_null(row_of(f, 0));
}

static void an_unreadable_affinity_tells_nothing(void **state)
{
	struct fixture *f = *state;

	place(f, 0, 3);
	review(f);
	f->host->snapshot.queues[0].n_allowed = 0;
	f->host->snapshot.queues[0].affinity_cpu = -1;
	review(f);
	assert_row(f, 0, true, "3");
	place(f, 0, 3);
	review(f);
	assert_int_equal(queue(f, 0)->affinity.in_a_row, 1);
}

static void an_incomplete_sample_tells_nothing(void **state)
{
	struct fixture *f = *state;

	f->host->snapshot.complete = false;
	place(f, 0, 3);
	review(f);
	assert_null(row_of(f, 0));
	f->host->snapshot.complete = true;
	review(f);
	assert_row(f, 0, true, "3");
}

static void a_move_that_the_kernel_lost_is_no_write(void **state)
{
	struct fixture *f = *state;

	queue(f, 0)->expected_cpu = 3;
	place(f, 0, 3);
	review(f);
	queue(f, 0)->expected_cpu = 5;
	queue(f, 0)->pending = (struct nb_pending){.active = true, .move.cpu_from = 1};
	place(f, 0, 1);
	review(f);
	assert_null(row_of(f, 0));
	assert_false(queue(f, 0)->affinity.unjudged);
}

static void what_nobody_may_set_is_no_wish(void **state)
{
	struct fixture *f = *state;

	f->host->snapshot.queues[0].settable = false;
	place(f, 0, 3);
	review(f);
	assert_reset(f, 0);
}

/* The carrier goes before the affinity changes; 15 s later that is another matter. */
static void with_the_carrier_goes_what_was_written(void **state)
{
	struct fixture *f = *state;

	place(f, 0, 3);
	review(f);
	queue(f, 1)->expected_cpu = 1;
	f->nic.carrier_changes++;
	review(f);
	assert_row(f, 0, true, "3");
	set_free(f, 0, 8);
	place(f, 1, 0);
	review(f);
	assert_reset(f, 0);
	assert_reset(f, 1);
	f->host->snapshot.taken_nsec += 15 * NB_NSEC_PER_SEC;
	place(f, 1, 4);
	review(f);
	assert_row(f, 1, true, "4");
}

static void another_nics_carrier_tells_nothing(void **state)
{
	struct fixture *f = *state;

	f->nic.ifindex = 3;
	f->nic.carrier_changes++;
	review(f);
	f->nic.carrier_changes++;
	place(f, 0, 3);
	review(f);
	assert_row(f, 0, true, "3");
}

static void what_stands_after_a_reset_still_counts(void **state)
{
	struct fixture *f = *state;

	place(f, 0, 3);
	spread(f, "2-4", false);
	review(f);
	f->nic.carrier_changes++;
	place(f, 0, 2);
	review(f);
	assert_true(queue(f, 0)->fresh);
	assert_row(f, 0, false, "2-4");
}

static void channels_that_change_are_a_reset(void **state)
{
	struct fixture *f = *state;

	g_array_index(f->host->nics, struct nb_nic, 0).n_tx++;
	place(f, 0, 3);
	review(f);
	assert_reset(f, 0);
}

static void counters_that_restarted_tell_of_a_reset_of_their_queue(void **state)
{
	struct fixture *f = *state;

	f->host->snapshot.queues[0].rx_packets = 1000;
	f->host->snapshot.queues[1].interrupts = UINT32_MAX;
	f->host->snapshot.queues[2].rx_packets = 1000;
	review(f);
	f->host->snapshot.taken_nsec += 60 * NB_NSEC_PER_SEC;
	f->host->snapshot.queues[0].rx_packets = 10;
	f->host->snapshot.queues[1].interrupts = 7; /* wrapped */
	for (unsigned i = 0; i < 3; i++)
		place(f, i, 3);
	review(f);
	assert_reset(f, 0);
	assert_row(f, 1, true, "3");
	assert_row(f, 2, true, "3");
}

static void counters_of_another_grade_tell_nothing(void **state)
{
	struct fixture *f = *state;

	f->host->snapshot.queues[0].rx_packets = 1000;
	review(f);
	f->host->snapshot.queues[0].rx_packets = 10;
	f->host->snapshot.grade = NB_GRADE_MEASURED;
	place(f, 0, 3);
	review(f);
	assert_row(f, 0, true, "3");
}

static void cpus_that_come_or_go_make_the_kernel_and_drivers_write(void **state)
{
	struct fixture *f = *state;

	nb_host_set_offline(f->host, 7);
	place(f, 0, 3);
	review(f);
	assert_reset(f, 0);
	f->host->snapshot.taken_nsec += 60 * NB_NSEC_PER_SEC;
	place(f, 0, 4);
	review(f);
	assert_row(f, 0, true, "4");
}

static void what_its_driver_asks_for_is_a_reset_once(void **state)
{
	struct fixture *f = *state;

	f->host->snapshot.queues[0].hinted = true;
	place(f, 0, 3);
	review(f);
	assert_reset(f, 0);
	queue(f, 0)->expected_cpu = 5;
	place(f, 0, 5);
	review(f);
	place(f, 0, 3);
	review(f);
	assert_row(f, 0, true, "3");
	f->host->snapshot.taken_nsec += f->host->policy.yield_nsec;
	queue(f, 0)->expected_cpu = 5;
	place(f, 0, 5);
	review(f);
	place(f, 0, 3);
	review(f);
	assert_reset(f, 0);
}

/* As igb does, which frees its interrupts with their affinities kept. */
static void while_the_device_is_closed_it_is_remembered(void **state)
{
	struct fixture *f = *state;
	struct nb_host *host = f->host;

	place(f, 0, 3);
	place(f, 1, 3);
	review(f);
	host->machine.n_queues = 0;
	host->machine.generation++;
	host->snapshot.n_queues = 0;
	host->snapshot.n_nics = 0;
	review(f);
	assert_int_equal(host->memory.n_queues, 0);
	assert_int_equal(host->memory.written.n, 2);
	host->machine.n_queues = 3;
	host->machine.generation++;
	host->snapshot.n_queues = 3;
	host->snapshot.n_nics = 1;
	place(f, 1, 5);
	review(f);
	assert_row(f, 0, true, "3");
	assert_null(row_of(f, 1));
}

static void a_queue_that_its_nic_no_longer_has_takes_it_along(void **state)
{
	struct fixture *f = *state;
	struct nb_host *host = f->host;

	place(f, 2, 3);
	review(f);
	assert_row(f, 2, true, "3");
	host->machine.n_queues = host->snapshot.n_queues = 2;
	host->machine.generation++;
	review(f);
	assert_int_equal(host->memory.written.n, 0);
}

static void a_nic_that_is_gone_takes_it_along(void **state)
{
	struct fixture *f = *state;
	struct nb_host *host = f->host;

	place(f, 0, 3);
	review(f);
	host->machine.n_queues = host->machine.n_nics = 0;
	host->machine.generation++;
	host->snapshot.n_queues = host->snapshot.n_nics = 0;
	review(f);
	assert_int_equal(host->memory.written.n, 0);
	host->machine.n_queues = 3;
	host->machine.n_nics = 1;
	host->snapshot.n_queues = 3;
}

static void other_interrupts_are_another_queue(void **state)
{
	struct fixture *f = *state;

	place(f, 0, 3);
	place(f, 1, 3);
	review(f);
	f->host->machine.queues[0].irqs[0] = 777;
	f->host->machine.queues[1].irqs[0] = 778;
	f->host->machine.generation++;
	place(f, 0, 4);
	review(f);
	assert_null(row_of(f, 0));
	assert_false(queue(f, 0)->affinity.unjudged);
	assert_row(f, 1, true, "3");
}

static void what_an_earlier_run_found_counts_if_it_stands(void **state)
{
	struct fixture *f = *state;
	struct nb_pool row = {.rule = NB_RULE_WRITTEN, .since_nsec = 7, .cpus = cpus_of("1-2")};

	nb_memory_clear(&f->host->memory);
	nb_memory_sync(&f->host->memory, &f->host->snapshot);
	nb_memory_adopt_queue(&f->host->memory, queue(f, 1)->key, 1);
	place(f, 2, 3);
	for (unsigned i = 0; i < 3; i++) {
		row.key = queue(f, i)->key;
		nb_written_adopt(&f->host->memory, &row);
	}
	row.key.ifindex = 99;
	nb_written_adopt(&f->host->memory, &row);
	review(f);
	assert_row(f, 0, false, "1-2");
	assert_true(row_of(f, 0)->since_nsec == 7);
	assert_row(f, 1, false, "1-2");
	assert_null(row_of(f, 2));
	assert_int_equal(f->host->memory.written.n, 2);
}

static void what_is_released_is_placed_again(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 3; i++)
		place(f, i, 3);
	review(f);
	queue(f, 0)->yielded_until_nsec = UINT64_MAX;
	assert_int_equal(nb_written_release(&f->host->memory, queue(f, 0)->key), 1);
	assert_true(queue(f, 0)->fresh);
	assert_int_equal(queue(f, 0)->yielded_until_nsec, 0);
	assert_false(queue(f, 1)->fresh);
	assert_int_equal(nb_written_release(&f->host->memory, queue(f, 0)->key), 0);
	review(f);
	assert_null(row_of(f, 0));
	assert_int_equal(
		nb_written_release(&f->host->memory,
				   (struct nb_queue_key){.ifindex = 2, .index = NB_EVERY_QUEUE}),
		2);
	assert_int_equal(f->host->memory.written.n, 0);
}

static void the_rest_doubles_up_to_the_yield(void **state)
{
	struct fixture *f = *state;
	struct nb_affinity_memory affinity = {.in_a_row = 1};

	assert_true(nb_written_rest_nsec(&affinity, &f->host->policy) == 30 * NB_NSEC_PER_SEC);
	affinity.in_a_row = 3;
	assert_true(nb_written_rest_nsec(&affinity, &f->host->policy) == 120 * NB_NSEC_PER_SEC);
	affinity.in_a_row = UINT32_MAX;
	assert_true(nb_written_rest_nsec(&affinity, &f->host->policy) ==
		    f->host->policy.yield_nsec);
	for (unsigned i = 0; i < 3; i++) {
		place(f, 0, 3 + i);
		review(f);
	}
	assert_int_equal(queue(f, 0)->affinity.in_a_row, 3);
	f->host->snapshot.taken_nsec += f->host->policy.yield_nsec;
	place(f, 0, 3);
	review(f);
	assert_int_equal(queue(f, 0)->affinity.in_a_row, 1);
}

static void a_pin_holds_where_all_its_cpus_may_be_used(void **state)
{
	struct fixture *f = *state;
	const struct nb_pools *written = &f->host->memory.written;
	struct nb_queue_key key = queue(f, 0)->key;
	struct nb_cpumask some = cpus_of("0-3"), others = cpus_of("0-2");

	assert_false(nb_written_holds(written, key, &some));
	place(f, 0, 3);
	review(f);
	assert_true(nb_written_holds(written, key, &some));
	assert_false(nb_written_holds(written, key, &others));
	spread(f, "2-3", false);
	review(f);
	assert_false(nb_written_holds(written, key, &some));
	spread(f, "2-3", true);
	review(f);
	assert_true(nb_written_holds(written, key, &some));
	assert_false(nb_written_holds(written, key, &others));
}

/* Read once a minute; one that is silent keeps what is known of it. */
static void device_interrupts_are_reviewed_when_they_are_read(void **state)
{
	struct fixture *f = *state;
	struct nb_queue_key key = nb_device_irq_key(500);
	const struct nb_pools *written = &f->host->memory.written;
	struct nb_device_irq *device_irq;

	for (unsigned i = 0; i < 3; i++)
		nb_host_add_device_irq(f->host, NB_NODE_NONE, "", 2, 1000);
	device_irq = f->host->machine.device_irqs;
	device_irq[1].foreign = true;
	device_irq[2].portal = true;
	nb_host_look(f->host);
	review(f);
	device_irq[0].cpu = device_irq[1].cpu = device_irq[2].cpu = 5;
	review(f);
	assert_int_equal(written->n, 0);
	nb_host_look(f->host);
	review(f);
	assert_int_equal(written->n, 1);
	assert_true(nb_pools_find(written, key)->pin);
	f->host->machine.n_device_irqs = 0;
	nb_host_look(f->host);
	review(f);
	assert_int_equal(written->n, 1);
	f->host->machine.n_device_irqs = 3;
	device_irq[0].n_allowed = 3;
	nb_host_look(f->host);
	review(f);
	assert_false(nb_pools_find(written, key)->pin);
	/* A minute after its CPU is gone. */
	device_irq[0].n_allowed = 1;
	nb_device_irq_memory_find(&f->host->memory, 500)->expected_cpu = 2;
	device_irq[0].cpu = 2;
	nb_host_look(f->host);
	review(f);
	nb_host_set_offline(f->host, 2);
	review(f);
	f->host->snapshot.taken_nsec += 60 * NB_NSEC_PER_SEC;
	device_irq[0].n_allowed = 2;
	nb_host_look(f->host);
	review(f);
	assert_null(nb_pools_find(written, key));
	assert_int_equal(nb_device_irq_memory_find(&f->host->memory, 500)->expected_cpu, -1);
	assert_false(nb_device_irq_memory_find(&f->host->memory, 500)->affinity.unjudged);
	device_irq[0].n_allowed = 3;
	nb_host_look(f->host);
	review(f);
	assert_int_equal(nb_written_release(&f->host->memory, key), 1);
	assert_int_equal(written->n, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_found_first_is_a_default),
		TEST(unless_it_is_to_be_kept),
		TEST(one_cpu_is_a_pin),
		TEST(several_are_a_pool_and_a_pair_held_apart_is_a_pin),
		TEST(what_we_wrote_is_ours),
		TEST(what_is_as_before_we_wrote_it_was_written_back),
		TEST(inside_a_pool_it_stands_and_outside_it_is_over),
		TEST(all_cpus_or_the_default_affinity_end_it),
		TEST(a_cpu_that_is_offline_limits_nothing),
		TEST(an_unreadable_affinity_tells_nothing),
		TEST(an_incomplete_sample_tells_nothing),
		TEST(a_move_that_the_kernel_lost_is_no_write),
		TEST(what_nobody_may_set_is_no_wish),
		TEST(with_the_carrier_goes_what_was_written),
		TEST(another_nics_carrier_tells_nothing),
		TEST(what_stands_after_a_reset_still_counts),
		TEST(channels_that_change_are_a_reset),
		TEST(counters_that_restarted_tell_of_a_reset_of_their_queue),
		TEST(counters_of_another_grade_tell_nothing),
		TEST(cpus_that_come_or_go_make_the_kernel_and_drivers_write),
		TEST(what_its_driver_asks_for_is_a_reset_once),
		TEST(while_the_device_is_closed_it_is_remembered),
		TEST(a_queue_that_its_nic_no_longer_has_takes_it_along),
		TEST(a_nic_that_is_gone_takes_it_along),
		TEST(other_interrupts_are_another_queue),
		TEST(what_an_earlier_run_found_counts_if_it_stands),
		TEST(what_is_released_is_placed_again),
		TEST(the_rest_doubles_up_to_the_yield),
		TEST(a_pin_holds_where_all_its_cpus_may_be_used),
		TEST(device_interrupts_are_reviewed_when_they_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
