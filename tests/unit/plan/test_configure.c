/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/configure.h"

#include "plan/planner.h"
#include "support/host.h"
#include "support/plan.h"
#include "support/support.h"
#include "verify/verify.h"

#define MINUTE_NSEC (60 * NB_NSEC_PER_SEC)

struct fixture {
	struct nb_host *host;
	struct nb_planner *planner;
	enum nb_outcome outcome; /* of what is planned */
};

/* Four CPUs; a NIC with two of eight channels, which hashes UDP by addresses. */
static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);
	struct nb_nic *nic;

	f->host = nb_host_new(4, 1, 1);
	f->planner = nb_planner_new();
	f->outcome = NB_OUTCOME_APPLIED;
	nb_host_add_nic(f->host, NB_NODE_NONE, 2, 0, 100);
	nb_host_place(f->host, 1, 1);
	nic = &f->host->machine.nics[0];
	nic->n_channels = 2;
	nic->most_channels = 8;
	nic->udp_hash = NB_UDP_HASH_ADDRESSES;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_planner_free(f->planner);
	nb_host_free(f->host);
	g_free(f);
	return 0;
}

static struct nb_nic *nic_of(struct fixture *f)
{
	return &f->host->machine.nics[0];
}

/* What the NIC is set to then; found: what a change to 0 brings back. */
static void carry_out(struct nb_nic *nic, const struct nb_change *change)
{
	if (change->outcome != NB_OUTCOME_APPLIED)
		return;
	if (change->kind == NB_KIND_CHANNELS)
		nic->n_channels = change->setting->to ? change->setting->to : 2;
	if (change->kind == NB_KIND_UDP_HASH)
		nic->udp_hash = change->setting->to ? (enum nb_udp_hash)change->setting->to
						    : NB_UDP_HASH_ADDRESSES;
}

static const struct nb_plan *cycle_after(struct fixture *f, uint64_t nsec)
{
	struct nb_host *host = f->host;
	struct nb_plan *plan;

	nb_host_tick(host, nsec);
	nb_memory_sync(&host->memory, &host->snapshot);
	plan = nb_planner_run(f->planner, &host->snapshot, &host->loads, &host->policy,
			      &host->memory);
	set_outcome(plan, f->outcome);
	for (unsigned i = 0; i < plan->n_changes; i++)
		carry_out(nic_of(f), &plan->changes[i]);
	nb_verify_note(plan, host->snapshot.taken_nsec, &host->memory);
	return plan;
}

static const struct nb_plan *cycle(struct fixture *f)
{
	return cycle_after(f, NB_NSEC_PER_SEC);
}

/* Both queues together, and as much load: 100 of it is that of the second. */
static void receive(struct fixture *f, uint32_t packets_per_sec)
{
	f->host->time[0] = packets_per_sec - 100;
}

static void assert_only(const struct nb_plan *plan, enum nb_kind kind, enum nb_reason reason,
			unsigned from, unsigned to)
{
	assert_int_equal(plan->n_changes, 1);
	assert_int_equal(plan->changes[0].kind, kind);
	assert_int_equal(plan->changes[0].reason, reason);
	assert_int_equal(plan->changes[0].setting->from, from);
	assert_int_equal(plan->changes[0].setting->to, to);
}

static void nothing_is_changed_that_is_not_asked_for(void **state)
{
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(cycle(*state)->n_changes, 0);
}

static void the_hash_is_set_once_and_taken_back(void **state)
{
	struct fixture *f = *state;

	nic_of(f)->udp_hash_asked = NB_UDP_HASH_PORTS;
	assert_only(cycle(f), NB_KIND_UDP_HASH, NB_REASON_CONFIGURED, NB_UDP_HASH_ADDRESSES,
		    NB_UDP_HASH_PORTS);
	assert_int_equal(cycle(f)->n_changes, 0);
	nic_of(f)->udp_hash = NB_UDP_HASH_ADDRESSES; /* another program */
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(cycle_after(f, MINUTE_NSEC)->n_changes, 0);

	nic_of(f)->udp_hash = NB_UDP_HASH_PORTS;
	nic_of(f)->udp_hash_asked = NB_UDP_HASH_UNKNOWN;
	assert_only(cycle(f), NB_KIND_UDP_HASH, NB_REASON_UNCONFIGURED, NB_UDP_HASH_PORTS, 0);
	assert_int_equal(cycle(f)->n_changes, 0);
	assert_int_equal(f->host->memory.n_settings, 0);
}

static void a_hash_that_a_reset_loses_is_set_again(void **state)
{
	struct fixture *f = *state;

	nic_of(f)->udp_hash_asked = NB_UDP_HASH_PORTS;
	cycle(f);
	nic_of(f)->udp_hash = NB_UDP_HASH_ADDRESSES;
	assert_int_equal(cycle(f)->n_changes, 0);
	f->host->memory.cpus_unsteady_until_nsec = UINT64_MAX;
	assert_int_equal(cycle(f)->n_changes, 1);
}

/* It was no wish of ours that it has ports: they stay when the line is taken away. */
static void a_hash_that_was_right_before_is_not_ours(void **state)
{
	struct fixture *f = *state;

	nic_of(f)->udp_hash_asked = nic_of(f)->udp_hash = NB_UDP_HASH_PORTS;
	assert_int_equal(cycle(f)->n_changes, 0);
	nic_of(f)->udp_hash_asked = NB_UDP_HASH_UNKNOWN;
	assert_int_equal(cycle(f)->n_changes, 0);
}

static void assert_rfs(const struct nb_plan *plan, enum nb_reason reason, unsigned to,
		       unsigned n_rx)
{
	assert_only(plan, NB_KIND_RFS, reason, 0, to);
	assert_int_equal(plan->changes[0].setting->n_rx, n_rx);
}

static void flow_tables_are_asked_for_once_and_taken_back(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rfs_flows = 1024;
	assert_rfs(cycle(f), NB_REASON_CONFIGURED, 1024, 2);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(cycle_after(f, MINUTE_NSEC)->n_changes, 0);
	f->host->policy.rfs_flows = 2048;
	assert_rfs(cycle(f), NB_REASON_CONFIGURED, 2048, 2);
	f->host->policy.rfs_flows = 0;
	assert_rfs(cycle(f), NB_REASON_UNCONFIGURED, 0, 2);
	assert_int_equal(cycle(f)->n_changes, 0);
	f->host->policy.rfs_flows = 2048;
	assert_rfs(cycle(f), NB_REASON_CONFIGURED, 2048, 2);
}

/* Those that are new have no table. */
static void flow_tables_are_asked_for_again_with_other_queues(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rfs_flows = 1024;
	cycle(f);
	nic_of(f)->n_rx = 4;
	assert_rfs(cycle(f), NB_REASON_CONFIGURED, 1024, 4);
	assert_int_equal(cycle(f)->n_changes, 0);
	nic_of(f)->n_rx = 0; /* transmits only */
	assert_int_equal(cycle(f)->n_changes, 0);
	nic_of(f)->n_rx = 4;
	nic_of(f)->scope = NB_SCOPE_IGNORED;
	f->host->policy.rfs_flows = 2048;
	assert_int_equal(cycle(f)->n_changes, 0);
}

static void flow_tables_of_one_nic_a_cycle(void **state)
{
	struct fixture *f = *state;

	nb_host_add_nic(f->host, NB_NODE_NONE, 2, 2, 100);
	nb_host_place(f->host, 3, 3);
	f->host->policy.rfs_flows = 1024;
	assert_rfs(cycle(f), NB_REASON_CONFIGURED, 1024, 2);
	assert_int_equal(f->host->memory.n_settings, 1);
	assert_int_equal(cycle(f)->n_changes, 1);
	assert_int_equal(cycle(f)->n_changes, 0);
	assert_int_equal(f->host->memory.n_settings, 2);
}

static void flow_tables_of_another_program_are_left(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_FOREIGN;
	f->host->policy.rfs_flows = 1024;
	assert_int_equal(cycle(f)->n_changes, 1);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(cycle_after(f, MINUTE_NSEC)->n_changes, 0);
	f->outcome = NB_OUTCOME_BUSY;
	f->host->policy.rfs_flows = 2048;
	assert_int_equal(cycle(f)->n_changes, 1);
	assert_int_equal(cycle(f)->n_changes, 0);
	f->outcome = NB_OUTCOME_APPLIED;
	assert_int_equal(cycle_after(f, MINUTE_NSEC)->n_changes, 1);
}

static void a_single_queue_needs_no_hash(void **state)
{
	struct fixture *f = *state;

	nic_of(f)->udp_hash_asked = NB_UDP_HASH_PORTS;
	nic_of(f)->n_rx = 1;
	assert_int_equal(cycle(f)->n_changes, 0);
}

static void what_is_refused_is_not_tried_again(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_REFUSED;
	nic_of(f)->udp_hash_asked = NB_UDP_HASH_PORTS;
	assert_int_equal(cycle(f)->n_changes, 1);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(cycle_after(f, MINUTE_NSEC)->n_changes, 0);
	/* Until someone pauses and resumes, or takes the line away and writes it again. */
	nb_memory_refresh(&f->host->memory);
	assert_int_equal(cycle(f)->n_changes, 1);
}

static void what_fails_for_a_passing_reason_is_tried_again_later(void **state)
{
	struct fixture *f = *state;
	unsigned n = 0;

	f->outcome = NB_OUTCOME_BUSY;
	nic_of(f)->udp_hash_asked = NB_UDP_HASH_PORTS;
	for (unsigned i = 0; i < 60; i++)
		n += cycle(f)->n_changes;
	assert_in_range(n, 3, 5); /* at 0, 5, 15 and 35 s, with the cooldown of 5 s */
}

static void channels_are_as_many_as_there_are_cpus_for(void **state)
{
	struct fixture *f = *state;
	const struct nb_plan *plan;

	nic_of(f)->channels_asked = NB_CHANNELS_MAX;
	receive(f, 9000);
	plan = cycle(f);
	assert_only(plan, NB_KIND_CHANNELS, NB_REASON_CONFIGURED, 2, 4);
	assert_int_equal(plan->verdict, NB_VERDICT_CONFIGURING);
	assert_int_equal(cycle(f)->n_changes, 0);
	nb_host_isolate(f->host, 3);
	assert_int_equal(cycle(f)->n_changes, 0); /* once is enough */
}

static void a_number_is_taken_as_it_is_if_the_nic_has_so_many(void **state)
{
	struct fixture *f = *state;

	nic_of(f)->channels_asked = 6;
	assert_only(cycle(f), NB_KIND_CHANNELS, NB_REASON_CONFIGURED, 2, 6);
	nic_of(f)->channels_asked = 20;
	assert_only(cycle(f), NB_KIND_CHANNELS, NB_REASON_CONFIGURED, 6, 8);
	nic_of(f)->channels_asked = 1;
	assert_only(cycle(f), NB_KIND_CHANNELS, NB_REASON_CONFIGURED, 8, 1);
}

/* The link goes down: after the start not while packets come. */
static void channels_wait_for_a_moment_without_traffic(void **state)
{
	struct fixture *f = *state;

	cycle(f);
	cycle_after(f, MINUTE_NSEC);
	nic_of(f)->channels_asked = 8;
	receive(f, 1000);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(cycle(f)->n_changes, 0);
	receive(f, 999);
	assert_only(cycle(f), NB_KIND_CHANNELS, NB_REASON_CONFIGURED, 2, 8);
	nic_of(f)->channels_asked = NB_CHANNELS_KEEP;
	receive(f, 1000);
	assert_int_equal(cycle(f)->n_changes, 0);
	receive(f, 100);
	assert_only(cycle(f), NB_KIND_CHANNELS, NB_REASON_UNCONFIGURED, 8, 0);
}

static void channels_wait_for_a_table_that_is_ours(void **state)
{
	struct fixture *f = *state;
	int ifindex = nic_of(f)->ifindex;

	nic_of(f)->channels_asked = 8;
	nb_cpumask_add(&nb_memory_get_rss(&f->host->memory, ifindex)->queues, 0);
	assert_int_equal(nb_plan_count(cycle(f), NB_KIND_CHANNELS), 0);
	nb_memory_get_rss(&f->host->memory, ifindex)->spread = 1;
	assert_int_equal(nb_plan_count(cycle(f), NB_KIND_CHANNELS), 0);
	nb_memory_drop_rss(&f->host->memory, ifindex);
	assert_int_equal(nb_plan_count(cycle(f), NB_KIND_CHANNELS), 1);
}

static void what_the_run_before_set_is_ours_and_done(void **state)
{
	struct fixture *f = *state;

	nic_of(f)->channels_asked = nic_of(f)->n_channels = 8;
	nb_memory_adopt_setting(&f->host->memory, NB_KIND_CHANNELS, nic_of(f)->ifindex, 8);
	assert_int_equal(cycle(f)->n_changes, 0);
	nic_of(f)->n_channels = 3;
	assert_int_equal(cycle(f)->n_changes, 0);
	nic_of(f)->n_channels = 8;
	nic_of(f)->channels_asked = NB_CHANNELS_KEEP;
	assert_only(cycle(f), NB_KIND_CHANNELS, NB_REASON_UNCONFIGURED, 8, 0);
}

/* Or nothing else would ever be rehearsed. */
static void a_rehearsal_is_planned_once(void **state)
{
	struct fixture *f = *state;

	f->outcome = NB_OUTCOME_REHEARSED;
	nic_of(f)->channels_asked = 8;
	assert_int_equal(cycle(f)->n_changes, 1);
	assert_int_equal(cycle(f)->n_changes, 0);
	f->outcome = NB_OUTCOME_APPLIED;
	nb_memory_refresh(&f->host->memory);
	assert_only(cycle(f), NB_KIND_CHANNELS, NB_REASON_CONFIGURED, 2, 8);
	assert_int_equal(cycle(f)->n_changes, 0);
}

/* The lines go in a pause. */
static void what_a_pause_held_back_is_taken_back_when_it_ends(void **state)
{
	struct fixture *f = *state;

	f->host->policy.rfs_flows = 1024;
	nic_of(f)->udp_hash_asked = NB_UDP_HASH_PORTS;
	cycle(f);
	f->outcome = NB_OUTCOME_REHEARSED;
	f->host->policy.rfs_flows = 0;
	nic_of(f)->udp_hash_asked = NB_UDP_HASH_UNKNOWN;
	assert_int_equal(cycle(f)->n_changes, 2);
	assert_int_equal(cycle(f)->n_changes, 0);
	f->outcome = NB_OUTCOME_APPLIED;
	nb_memory_refresh(&f->host->memory);
	assert_int_equal(cycle(f)->n_changes, 2);
	assert_true(nic_of(f)->udp_hash == NB_UDP_HASH_ADDRESSES);
	assert_int_equal(cycle(f)->n_changes, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_changed_that_is_not_asked_for),
		TEST(the_hash_is_set_once_and_taken_back),
		TEST(a_hash_that_a_reset_loses_is_set_again),
		TEST(a_hash_that_was_right_before_is_not_ours),
		TEST(flow_tables_are_asked_for_once_and_taken_back),
		TEST(flow_tables_are_asked_for_again_with_other_queues),
		TEST(flow_tables_of_one_nic_a_cycle),
		TEST(flow_tables_of_another_program_are_left),
		TEST(a_single_queue_needs_no_hash),
		TEST(what_is_refused_is_not_tried_again),
		TEST(what_fails_for_a_passing_reason_is_tried_again_later),
		TEST(channels_are_as_many_as_there_are_cpus_for),
		TEST(a_number_is_taken_as_it_is_if_the_nic_has_so_many),
		TEST(channels_wait_for_a_moment_without_traffic),
		TEST(channels_wait_for_a_table_that_is_ours),
		TEST(what_the_run_before_set_is_ours_and_done),
		TEST(a_rehearsal_is_planned_once),
		TEST(what_a_pause_held_back_is_taken_back_when_it_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
