/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/drivers/packets.h"
#include "support/support.h"

#include <errno.h>

/* What netlink would say: these stand in for those of src/netlink. */
static GArray *qstats;
static char **names;
static GArray *values;
static int values_error;

int nb_netlink_get_queue_stats(struct nb_netlink *netlink, int ifindex, GArray *stats)
{
	assert_non_null(netlink);
	assert_int_equal(ifindex, 2);
	if (!qstats)
		return -EOPNOTSUPP;
	g_array_set_size(stats, 0);
	g_array_append_vals(stats, qstats->data, qstats->len);
	return 0;
}

int nb_netlink_get_stat_names(struct nb_netlink *netlink, const char *ifname, char ***ret_names)
{
	assert_non_null(netlink);
	assert_string_equal(ifname, "eth0");
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
	if (values_error < 0)
		return values_error;
	g_array_set_size(ret_values, 0);
	g_array_append_vals(ret_values, values->data, values->len);
	return 0;
}

struct fixture {
	struct nb_packets packets;
	struct nb_queue_state queues[4]; /* the device has those in the middle */
	struct nb_netlink *netlink;
};

/* Three receive queues, of which two share an interrupt, and three transmit queues. */
static int setup(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);
	static const int rx[] = {1, 2, 1}, tx[] = {1, 2, -1};

	f->netlink = (struct nb_netlink *)f; /* never looked into */
	f->packets = (struct nb_packets){
		.ifindex = 2,
		.ifname = "eth0",
		.first_queue = 1,
		.n_queues = 2,
		.n_rx = 3,
		.n_tx = 3,
		.rx_queues = g_memdup2(rx, sizeof(rx)),
		.tx_queues = g_memdup2(tx, sizeof(tx)),
	};
	for (unsigned i = 0; i < 4; i++)
		f->queues[i].rx_packets = f->queues[i].tx_packets = 99;
	qstats = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue_stats));
	values = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	values_error = 0;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	g_clear_pointer(&qstats, g_array_unref);
	g_clear_pointer(&values, g_array_unref);
	g_clear_pointer(&names, g_strfreev);
	nb_packets_clear(&f->packets);
	g_free(f);
	return 0;
}

static void say(enum nb_queue_direction direction, unsigned index, uint64_t packets)
{
	struct nb_netlink_queue_stats stats = {direction, index, packets, 1};

	g_array_append_val(qstats, stats);
}

static void assert_packets(const struct fixture *f, unsigned i, uint64_t rx, uint64_t tx)
{
	assert_int_equal(f->queues[i].rx_packets, rx);
	assert_int_equal(f->queues[i].tx_packets, tx);
}

static void qstats_are_added_to_the_units(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 4; i++) {
		say(NB_QUEUE_RX, i, 10 + i);
		say(NB_QUEUE_TX, i, 20 + i);
	}
	nb_packets_probe(&f->packets, f->netlink, "mlx5_core");
	assert_int_equal(f->packets.source, NB_PACKETS_QSTATS);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(nb_packets_read(&f->packets, f->netlink, f->queues), 0);
		assert_packets(f, 0, 99, 99);
		assert_packets(f, 1, 10 + 12, 20);
		assert_packets(f, 2, 11, 21);
		assert_packets(f, 3, 99, 99);
	}
}

static void set_ethtool(void)
{
	static const char *const some[] = {"rx_packets",         "rx_queue_0_packets",
					   "rx_queue_1_packets", "tx_queue_1_packets",
					   "rx_queue_2_packets", NULL};

	g_clear_pointer(&qstats, g_array_unref);
	names = g_strdupv((char **)some);
	for (uint64_t i = 0; i < 5; i++) {
		uint64_t value = 100 + i;

		g_array_append_val(values, value);
	}
}

static void ethtool_statistics_are_next(void **state)
{
	struct fixture *f = *state;

	set_ethtool();
	nb_packets_probe(&f->packets, f->netlink, "igb");
	assert_int_equal(f->packets.source, NB_PACKETS_ETHTOOL);
	assert_int_equal(nb_packets_read(&f->packets, f->netlink, f->queues), 0);
	assert_packets(f, 1, 101 + 104, 0);
	assert_packets(f, 2, 102, 103);
}

static void qstats_without_queues_are_passed_over(void **state)
{
	struct fixture *f = *state;

	set_ethtool();
	qstats = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue_stats));
	nb_packets_probe(&f->packets, f->netlink, "igb");
	assert_int_equal(f->packets.source, NB_PACKETS_ETHTOOL);
}

static void a_device_that_does_not_answer_keeps_its_counts(void **state)
{
	struct fixture *f = *state;

	set_ethtool();
	nb_packets_probe(&f->packets, f->netlink, "igb");
	values_error = -ENODEV;
	assert_int_equal(nb_packets_read(&f->packets, f->netlink, f->queues), -ENODEV);
	assert_packets(f, 1, 99, 99);
	values_error = -ESTALE;
	assert_int_equal(nb_packets_read(&f->packets, f->netlink, f->queues), -ESTALE);
	values_error = 0;
	g_array_set_size(values, 3);
	assert_int_equal(nb_packets_read(&f->packets, f->netlink, f->queues), -ESTALE);
	assert_packets(f, 1, 99, 99);
}

static void no_source_leaves_the_counts_alone(void **state)
{
	struct fixture *f = *state;

	g_clear_pointer(&qstats, g_array_unref);
	nb_packets_probe(&f->packets, f->netlink, "igb");
	assert_int_equal(f->packets.source, NB_PACKETS_NONE);
	nb_packets_probe(&f->packets, NULL, "igb");
	assert_int_equal(f->packets.source, NB_PACKETS_NONE);
	assert_int_equal(nb_packets_read(&f->packets, NULL, f->queues), 0);
	assert_packets(f, 1, 99, 99);
}

int main(void)
{
#define claim(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		claim(qstats_are_added_to_the_units),
		claim(ethtool_statistics_are_next),
		claim(qstats_without_queues_are_passed_over),
		claim(a_device_that_does_not_answer_keeps_its_counts),
		claim(no_source_leaves_the_counts_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
