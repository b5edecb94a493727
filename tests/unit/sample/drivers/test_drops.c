/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/drivers/drops.h"
#include "support/support.h"

#include <errno.h>

#define MISSED "sys/class/net/eth0/statistics/rx_missed_errors"

/* What netlink would say: these stand in for those of src/netlink. */
static GArray *qstats;
static char **names;
static GArray *values;
static int error;
static unsigned n_asked;

int nb_netlink_get_queue_stats(struct nb_netlink *netlink, int ifindex, GArray *stats)
{
	assert_non_null(netlink);
	assert_int_equal(ifindex, 2);
	n_asked++;
	if (error < 0)
		return error;
	g_array_set_size(stats, 0);
	g_array_append_vals(stats, qstats->data, qstats->len);
	return 0;
}

int nb_netlink_get_stat_names(struct nb_netlink *netlink, const char *ifname, char ***ret_names)
{
	assert_non_null(netlink);
	assert_string_equal(ifname, "eth0");
	n_asked++;
	if (!names)
		return -EOPNOTSUPP;
	*ret_names = g_strdupv(names);
	return 0;
}

int nb_netlink_get_stat_values(struct nb_netlink *netlink, const char *ifname, unsigned n_names,
			       GArray *ret_values)
{
	assert_non_null(netlink);
	assert_string_equal(ifname, "eth0");
	assert_int_equal(n_names, g_strv_length(names));
	n_asked++;
	if (error < 0)
		return error;
	g_array_set_size(ret_values, 0);
	g_array_append_vals(ret_values, values->data, values->len);
	return 0;
}

struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_packets packets;
	struct nb_drops drops;
	struct nb_nic_state nic;
	struct nb_queue_state queues[4]; /* the device has those in the middle */
	struct nb_netlink *netlink;
	uint64_t now_nsec;
};

/* Three receive queues, of which two share an interrupt. */
static int setup(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);
	static const int rx[] = {1, 2, 1};

	f->dir = nb_tmp_make();
	assert_int_equal(nb_sysroot_open(f->dir, &f->root), 0);
	f->netlink = (struct nb_netlink *)f; /* never looked into */
	f->packets = (struct nb_packets){
		.ifindex = 2,
		.ifname = "eth0",
		.first_queue = 1,
		.n_queues = 2,
		.n_rx = 3,
		.rx_queues = g_memdup2(rx, sizeof(rx)),
	};
	for (unsigned i = 0; i < 4; i++)
		f->queues[i].dropped = 99;
	qstats = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue_stats));
	values = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	error = 0;
	n_asked = 0;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	g_clear_pointer(&qstats, g_array_unref);
	g_clear_pointer(&values, g_array_unref);
	g_clear_pointer(&names, g_strfreev);
	nb_drops_clear(&f->drops);
	nb_packets_clear(&f->packets);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static void probe(struct fixture *f, const char *driver)
{
	nb_drops_probe(&f->drops, &f->packets, f->root, f->netlink, driver);
}

static void read_again(struct fixture *f)
{
	f->now_nsec += 10;
	nb_drops_read(&f->drops, &f->packets, f->root, f->netlink, f->now_nsec, &f->nic, f->queues);
}

static void assert_dropped(const struct fixture *f, uint64_t missed, uint64_t first,
			   uint64_t second)
{
	assert_int_equal(f->nic.read_nsec, f->now_nsec);
	assert_int_equal(f->nic.missed, missed);
	assert_int_equal(f->queues[0].dropped, 99);
	assert_int_equal(f->queues[1].dropped, first);
	assert_int_equal(f->queues[2].dropped, second);
	assert_int_equal(f->queues[3].dropped, 99);
}

static void say(enum nb_queue_direction direction, unsigned index, bool counts, uint64_t drops)
{
	struct nb_netlink_queue_stats stats = {
		.direction = direction, .index = index, .counts_drops = counts, .drops = drops};

	g_array_append_val(qstats, stats);
}

static void the_device_counts_without_its_queues(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, MISSED, "18446744073709551615\n");
	probe(f, "ice");
	assert_int_equal(f->drops.source, NB_PACKETS_NONE);
	assert_int_equal(n_asked, 0);
	read_again(f);
	assert_dropped(f, UINT64_MAX, 99, 99);
	assert_false(f->nic.by_queue);
}

static void qstats_are_added_to_the_units(void **state)
{
	struct fixture *f = *state;

	f->packets.source = NB_PACKETS_QSTATS;
	nb_tmp_write(f->dir, MISSED, "7\n");
	for (unsigned i = 0; i < 4; i++)
		say(NB_QUEUE_RX, i, true, 10 + i);
	say(NB_QUEUE_TX, 0, false, 0);
	probe(f, "virtio_net");
	assert_int_equal(f->drops.source, NB_PACKETS_QSTATS);
	for (unsigned i = 0; i < 2; i++) {
		read_again(f);
		assert_dropped(f, 7, 10 + 12, 11);
		assert_true(f->nic.by_queue);
	}
}

static void an_answer_that_told_the_packets_is_not_asked_for_again(void **state)
{
	struct fixture *f = *state;

	f->packets.source = NB_PACKETS_QSTATS;
	for (unsigned i = 0; i < 4; i++)
		say(NB_QUEUE_RX, i, true, 10 + i);
	probe(f, "virtio_net");
	f->packets.buffer = g_array_copy(qstats);
	g_array_index(qstats, struct nb_netlink_queue_stats, 1).drops = 50;
	n_asked = 0;
	f->packets.answered = true;
	read_again(f);
	assert_dropped(f, 0, 10 + 12, 11);
	assert_int_equal(n_asked, 0);
	f->packets.answered = false;
	read_again(f);
	assert_dropped(f, 0, 10 + 12, 50);
	assert_int_equal(n_asked, 1);
}

static void set_ethtool(void)
{
	static const char *const some[] = {"rx_packets",       "rx_queue_0_drops",
					   "rx_queue_1_drops", "rx_queue_2_packets",
					   "rx_queue_2_drops", NULL};

	names = g_strdupv((char **)some);
	for (uint64_t i = 0; i < 5; i++) {
		uint64_t value = 100 + i;

		g_array_append_val(values, value);
	}
}

static void ethtool_statistics_are_next(void **state)
{
	struct fixture *f = *state;

	f->packets.source = NB_PACKETS_QSTATS;
	say(NB_QUEUE_RX, 0, false, 0);
	set_ethtool();
	probe(f, "igb");
	assert_int_equal(f->drops.source, NB_PACKETS_ETHTOOL);
	read_again(f);
	assert_dropped(f, 0, 101 + 104, 102);
	assert_true(f->nic.by_queue);
}

static void a_driver_that_counts_no_such_thing_is_not_asked(void **state)
{
	struct fixture *f = *state;

	set_ethtool();
	probe(f, "i40e");
	assert_int_equal(n_asked, 0);
	read_again(f);
	assert_int_equal(f->nic.read_nsec, 0);
	assert_int_equal(n_asked, 0);
}

/* Nothing of it counts. */
static void read_in_vain(struct fixture *f)
{
	read_again(f);
	f->now_nsec -= 10;
	assert_dropped(f, 7, 101 + 104, 102);
}

static void a_device_that_does_not_answer_keeps_its_counts(void **state)
{
	struct fixture *f = *state;

	nb_tmp_write(f->dir, MISSED, "7\n");
	set_ethtool();
	probe(f, "igb");
	read_again(f);
	for (unsigned i = 0; i < values->len; i++)
		g_array_index(values, uint64_t, i)++;
	nb_tmp_write(f->dir, MISSED, "many\n");
	read_in_vain(f);
	nb_tmp_write(f->dir, MISSED, "8\n");
	error = -ENODEV;
	read_in_vain(f);
	error = 0;
	g_array_set_size(values, 3);
	read_in_vain(f);
}

static void without_netlink_there_is_the_device(void **state)
{
	struct fixture *f = *state;

	f->netlink = NULL;
	nb_tmp_write(f->dir, MISSED, "7\n");
	probe(f, "igb");
	read_again(f);
	assert_dropped(f, 7, 99, 99);
}

int main(void)
{
#define claim(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		claim(the_device_counts_without_its_queues),
		claim(qstats_are_added_to_the_units),
		claim(an_answer_that_told_the_packets_is_not_asked_for_again),
		claim(ethtool_statistics_are_next),
		claim(a_driver_that_counts_no_such_thing_is_not_asked),
		claim(a_device_that_does_not_answer_keeps_its_counts),
		claim(without_netlink_there_is_the_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
