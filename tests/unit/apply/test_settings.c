/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of a NIC as a whole, from the plan into the kernel and back. */
#include "unit/apply/fixture.h"

#include <errno.h>
#include <linux/ethtool.h>

#define ADDRESSES (RXH_IP_SRC | RXH_IP_DST)
#define PORTS (RXH_L4_B_0_1 | RXH_L4_B_2_3)

static struct fixture *new_nic(void)
{
	struct fixture *f = fixture_new(NB_FAKE_6_12);

	f->rss.n_rings = 1;
	f->rss.most_channels = 4;
	f->rss.udp_fields[0] = f->rss.udp_fields[1] = ADDRESSES;
	nb_fake_rss_reset(&f->rss);
	return f;
}

static enum nb_outcome set(struct fixture *f, enum nb_kind kind, unsigned to)
{
	struct nb_setting_change change = {.key.ifindex = ETH0, .to = to};
	struct nb_plan plan = PLAN_OF(SET(kind, &change));

	(void)apply_plan(f, &plan);
	return f->outcomes[0];
}

static enum nb_outcome set_channels(struct fixture *f, unsigned n)
{
	return set(f, NB_KIND_CHANNELS, n);
}

static enum nb_outcome set_hash(struct fixture *f, enum nb_udp_hash hash)
{
	return set(f, NB_KIND_UDP_HASH, hash);
}

static void assert_fields(const struct fixture *f, uint64_t v4, uint64_t v6)
{
	assert_int_equal(f->rss.udp_fields[0], v4);
	assert_int_equal(f->rss.udp_fields[1], v6);
}

static void channels_grow_and_return(void **state)
{
	g_autoptr(fixture) f = new_nic();
	g_autofree char *text = NULL;
	unsigned ours = 0;

	(void)state;
	assert_int_equal(nb_applier_owns_setting(f->applier, NB_KIND_CHANNELS, ETH0, "eth0", &ours),
			 0);
	assert_int_equal(set_channels(f, 4), NB_OUTCOME_APPLIED);
	assert_int_equal(f->rss.n_rings, 4);
	text = nb_tmp_read(f->dir, BASELINE);
	assert_string_equal(text, "nicbalance baseline 1\nchannels 2 1 1 4 eth0\n");
	assert_int_equal(set_channels(f, 4), NB_OUTCOME_UNCHANGED);

	assert_int_equal(fixture_restart(f), 0);
	assert_int_equal(nb_applier_owns_setting(f->applier, NB_KIND_CHANNELS, ETH0, "eth0", &ours),
			 1);
	assert_int_equal(ours, 4);
	f->rss.fail_first = 1;
	f->rss.fail_count = 1;
	f->rss.fail_error = -ETIMEDOUT;
	f->rss.n_requests = 0;
	assert_int_equal(nb_applier_owns_setting(f->applier, NB_KIND_CHANNELS, ETH0, "eth0", &ours),
			 -EBUSY);
	assert_int_equal(set_channels(f, 0), NB_OUTCOME_APPLIED);
	assert_int_equal(f->rss.n_rings, 1);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void channels_of_another_program_stay(void **state)
{
	g_autoptr(fixture) f = new_nic();
	unsigned ours;

	(void)state;
	assert_int_equal(set_channels(f, 4), NB_OUTCOME_APPLIED);
	f->rss.n_rings = 2;
	assert_int_equal(nb_applier_owns_setting(f->applier, NB_KIND_CHANNELS, ETH0, "eth0", &ours),
			 0);
	assert_int_equal(set_channels(f, 0), NB_OUTCOME_UNCHANGED);
	assert_int_equal(nb_applier_restore(f->applier, NULL), 0);
	assert_int_equal(f->rss.n_rings, 2);
	assert_int_equal(f->rss.n_flaps, 1);
}

static void a_table_that_prefers_queues_keeps_the_channels(void **state)
{
	g_autoptr(fixture) f = new_nic();

	(void)state;
	f->rss.n_rings = 2;
	nb_fake_rss_set(&f->rss, "0,0,0,0,0,0,1,1");
	assert_int_equal(set_channels(f, 4), NB_OUTCOME_REFUSED);
	nb_fake_rss_set(&f->rss, "0,0,0,0,1,1,1,1"); /* in the order of igb */
	assert_int_equal(set_channels(f, 4), NB_OUTCOME_APPLIED);
}

static void what_a_nic_does_not_offer_is_refused(void **state)
{
	g_autoptr(fixture) f = new_nic();

	(void)state;
	f->rss.udp_fields[0] = 0;
	assert_int_equal(set_hash(f, NB_UDP_HASH_PORTS), NB_OUTCOME_REFUSED);
	assert_int_equal(f->rss.udp_fields[1], ADDRESSES);
	assert_int_equal(set_channels(f, 5), NB_OUTCOME_REFUSED);
	f->rss.most_channels = 0;
	assert_int_equal(set_channels(f, 4), NB_OUTCOME_REFUSED);
	assert_int_equal(nb_applier_count(f->applier), 0);
}

static void udp_is_hashed_by_ports_over_either_ip(void **state)
{
	g_autoptr(fixture) f = new_nic();
	g_autoptr(GArray) report = g_array_new(FALSE, FALSE, sizeof(struct nb_restored));
	unsigned ours;

	(void)state;
	f->rss.udp_fields[1] = ADDRESSES | RXH_VLAN;
	assert_int_equal(set_hash(f, NB_UDP_HASH_PORTS), NB_OUTCOME_APPLIED);
	assert_fields(f, ADDRESSES | PORTS, ADDRESSES | PORTS | RXH_VLAN);
	assert_int_equal(fixture_restart(f), 0);
	assert_int_equal(nb_applier_owns_setting(f->applier, NB_KIND_UDP_HASH, ETH0, "eth0", &ours),
			 1);
	assert_int_equal(ours, NB_UDP_HASH_PORTS);

	assert_int_equal(nb_applier_restore(f->applier, report), 0);
	assert_fields(f, ADDRESSES, ADDRESSES | RXH_VLAN);
	assert_int_equal(report->len, 2);
	for (unsigned i = 0; i < 2; i++) {
		const struct nb_restored *row = &g_array_index(report, struct nb_restored, i);

		assert_int_equal(row->type, NB_KNOB_UDP_HASH);
		assert_int_equal(row->outcome, NB_OUTCOME_APPLIED);
		assert_int_equal(row->number_ours & PORTS, PORTS);
		assert_int_equal(row->number_found & PORTS, 0);
	}
}

static void one_version_of_ip_alone_may_need_it(void **state)
{
	g_autoptr(fixture) f = new_nic();
	unsigned ours;

	(void)state;
	f->rss.udp_fields[1] = 0;
	assert_int_equal(set_hash(f, NB_UDP_HASH_PORTS), NB_OUTCOME_APPLIED);
	assert_fields(f, ADDRESSES | PORTS, 0);
	assert_int_equal(set_hash(f, NB_UDP_HASH_UNKNOWN), NB_OUTCOME_APPLIED);
	assert_fields(f, ADDRESSES, 0);

	f->rss.udp_fields[0] = ADDRESSES | PORTS;
	f->rss.udp_fields[1] = ADDRESSES;
	assert_int_equal(set_hash(f, NB_UDP_HASH_PORTS), NB_OUTCOME_APPLIED);
	assert_fields(f, ADDRESSES | PORTS, ADDRESSES | PORTS);
	assert_int_equal(nb_applier_owns_setting(f->applier, NB_KIND_UDP_HASH, ETH0, "eth0", &ours),
			 1);
	assert_int_equal(set_hash(f, NB_UDP_HASH_UNKNOWN), NB_OUTCOME_APPLIED);
	assert_fields(f, ADDRESSES | PORTS, ADDRESSES);
}

static void nobody_without_privilege_changes_anything(void **state)
{
	g_autoptr(fixture) f = new_nic();

	(void)state;
	f->rss.lacks_net_admin = true;
	assert_int_equal(set_hash(f, NB_UDP_HASH_PORTS), NB_OUTCOME_REFUSED);
	assert_int_equal(set_channels(f, 4), NB_OUTCOME_REFUSED);
	assert_fields(f, ADDRESSES, ADDRESSES);
	assert_int_equal(f->rss.n_flaps, 0);
}

static void a_captured_machine_has_neither(void **state)
{
	g_autoptr(fixture) f = new_nic();
	g_autoptr(nb_applier) applier = NULL;
	struct nb_setting_change change = {.key.ifindex = ETH0, .to = 4};
	struct nb_plan plan =
		PLAN_OF(SET(NB_KIND_UDP_HASH, &change), SET(NB_KIND_CHANNELS, &change));

	(void)state;
	assert_int_equal(nb_applier_new(f->root, NULL, &applier), 0);
	assert_int_equal(nb_apply(applier, &f->machine, &plan), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(plan.changes[i].outcome, NB_OUTCOME_REFUSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(channels_grow_and_return),
		cmocka_unit_test(channels_of_another_program_stay),
		cmocka_unit_test(a_table_that_prefers_queues_keeps_the_channels),
		cmocka_unit_test(what_a_nic_does_not_offer_is_refused),
		cmocka_unit_test(udp_is_hashed_by_ports_over_either_ip),
		cmocka_unit_test(one_version_of_ip_alone_may_need_it),
		cmocka_unit_test(nobody_without_privilege_changes_anything),
		cmocka_unit_test(a_captured_machine_has_neither),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
