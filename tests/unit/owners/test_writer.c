/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "owners/writer.h"

#include "support/support.h"

#include <string.h>

#define SEC NB_NSEC_PER_SEC
#define NOW_USEC (UINT64_C(5000) * 1000000)

struct fixture {
	struct nb_queue_memory queue;
	struct nb_memory memory;
	struct nb_snapshot snapshot;
	struct nb_record history[4];
	struct nb_order orders[3];
	struct nb_status status;
	struct nb_owned_facts facts;
	struct nb_owned row;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->queue.key = (struct nb_queue_key){2, 3};
	f->memory = (struct nb_memory){.queues = &f->queue, .n_queues = 1};
	f->snapshot.taken_nsec = 100 * SEC;
	f->status = (struct nb_status){
		.memory = &f->memory,
		.snapshot = &f->snapshot,
		.history = f->history,
		.orders = f->orders,
	};
	f->facts = (struct nb_owned_facts){.kind = NB_KIND_QUEUE, .key = {2, 3}};
	f->row = (struct nb_owned){.nic = "eth0", .queue = 3, .irq = 43, .value = (char *)"2"};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	g_free(*state);
	return 0;
}

static void add_record(struct fixture *f, enum nb_event event, enum nb_outcome outcome,
		       uint64_t usec)
{
	f->history[f->status.n_history++] = (struct nb_record){
		.kind = NB_KIND_QUEUE,
		.key = {2, 3},
		.event = event,
		.outcome = outcome,
		.realtime_usec = usec,
	};
}

static void assert_writer(struct fixture *f, enum nb_writer writer, uint64_t since_usec)
{
	nb_owned_judge(&f->status, NOW_USEC, &f->facts, &f->row);
	assert_int_equal(f->row.writer, writer);
	assert_int_equal(f->row.since_realtime_usec, since_usec);
	f->row.since_realtime_usec = 0;
}

static void nothing_known_is_found(void **state)
{
	struct fixture *f = *state;

	assert_writer(f, NB_WRITER_FOUND, 0);
	f->facts.kind = _NB_KIND_INVALID;
	assert_writer(f, NB_WRITER_FOUND, 0);
	f->status.memory = NULL;
	f->status.snapshot = NULL;
	f->facts.kind = NB_KIND_QUEUE;
	assert_writer(f, NB_WRITER_FOUND, 0);
}

static void what_it_equals_tells_driver_and_kernel(void **state)
{
	struct fixture *f = *state;

	f->facts.initial = true;
	assert_writer(f, NB_WRITER_KERNEL, 0);
	f->facts.hinted = true;
	assert_writer(f, NB_WRITER_DRIVER, 0);
	f->facts.locked = true;
	assert_writer(f, NB_WRITER_KERNEL, 0);
}

static void ours_is_since_it_was_written_last(void **state)
{
	struct fixture *f = *state;

	f->facts.ours = true;
	f->facts.initial = true;
	assert_writer(f, NB_WRITER_OURS, 0);
	add_record(f, NB_EVENT_MOVED, NB_OUTCOME_APPLIED, 10);
	add_record(f, NB_EVENT_MOVED, NB_OUTCOME_APPLIED, 20);
	add_record(f, NB_EVENT_MOVED, NB_OUTCOME_REFUSED, 30);
	assert_writer(f, NB_WRITER_OURS, 20);
	f->history[1].key.index = 4;
	assert_writer(f, NB_WRITER_OURS, 10);
	f->history[0].kind = NB_KIND_RPS;
	assert_writer(f, NB_WRITER_OURS, 0);
}

static void a_claim_is_ours_for_its_owner(void **state)
{
	struct fixture *f = *state;

	f->orders[0] = (struct nb_order){
		.target = {NB_TARGET_QUEUE, "eth0", 3}, .present = true, .owner = "queue"};
	f->orders[1] = (struct nb_order){
		.target = {NB_TARGET_NIC, "eth0", 0}, .present = true, .owner = "nic"};
	f->orders[2] = (struct nb_order){.owner = "ban"};
	f->status.n_orders = 3;
	assert_writer(f, NB_WRITER_FOUND, 0);
	f->facts.ours = true;
	assert_writer(f, NB_WRITER_CLAIM, 0);
	assert_string_equal(f->row.owner, "queue");
	f->orders[0].present = false;
	assert_writer(f, NB_WRITER_CLAIM, 0);
	assert_string_equal(f->row.owner, "nic");
	f->orders[1].target = (struct nb_target){NB_TARGET_IRQ, "", 44};
	assert_writer(f, NB_WRITER_OURS, 0);
}

static void what_another_program_wrote_is_foreign(void **state)
{
	struct fixture *f = *state;
	struct nb_pool pool = {.key = {2, 3}, .rule = NB_RULE_WRITTEN};

	f->facts.initial = true;
	f->queue.yielded_until_nsec = 101 * SEC;
	assert_writer(f, NB_WRITER_FOREIGN, 0);
	f->queue.yielded_until_nsec = 100 * SEC;
	assert_writer(f, NB_WRITER_KERNEL, 0);
	f->memory.written = (struct nb_pools){&pool, 1};
	assert_writer(f, NB_WRITER_FOREIGN, 0);
	pool.since_nsec = 93 * SEC;
	assert_writer(f, NB_WRITER_FOREIGN, NOW_USEC - 7000000);
	pool.key.index = 2;
	assert_writer(f, NB_WRITER_KERNEL, 0);
	add_record(f, NB_EVENT_MOVED, NB_OUTCOME_APPLIED, 10);
	add_record(f, NB_EVENT_YIELDED, NB_OUTCOME_APPLIED, 20);
	f->history[1].cpu_to = 2;
	assert_writer(f, NB_WRITER_FOREIGN, 20);
	add_record(f, NB_EVENT_RESTORED, NB_OUTCOME_APPLIED, 30);
	assert_writer(f, NB_WRITER_KERNEL, 0);
}

static void what_they_wrote_before_a_reset_is_gone(void **state)
{
	struct fixture *f = *state;

	add_record(f, NB_EVENT_YIELDED, NB_OUTCOME_APPLIED, 20);
	f->history[0].cpu_to = 1;
	assert_writer(f, NB_WRITER_FOUND, 0);
	f->history[0].cpu_to = -1;
	assert_writer(f, NB_WRITER_FOUND, 0);
	f->history[0].limited_to = (char *)"2";
	assert_writer(f, NB_WRITER_FOREIGN, 20);
	f->facts.kind = f->history[0].kind = NB_KIND_RPS;
	f->history[0].rps_to = (char *)"1-3";
	assert_writer(f, NB_WRITER_FOUND, 0);
	f->history[0].rps_to = (char *)"2";
	assert_writer(f, NB_WRITER_FOREIGN, 20);
	f->history[0].rps_to = (char *)"";
	f->row.value = (char *)"off";
	assert_writer(f, NB_WRITER_FOREIGN, 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_known_is_found),
		TEST(what_it_equals_tells_driver_and_kernel),
		TEST(ours_is_since_it_was_written_last),
		TEST(a_claim_is_ours_for_its_owner),
		TEST(what_another_program_wrote_is_foreign),
		TEST(what_they_wrote_before_a_reset_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
