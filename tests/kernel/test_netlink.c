/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queues and their statistics as this kernel tells them. */
#include "kernel/test_netlink.h"
#include "netlink/messages.h"
#include "netlink/netdev_family.h"
#include "netlink/session.h"

#include <stdlib.h>
#include <sys/utsname.h>

#define NO_SUCH_IFINDEX 1000000

static nb_netlink *open_netlink(void)
{
	nb_netlink *netlink = NULL;

	assert_int_equal(nb_netlink_new(&netlink), 0);
	return netlink;
}

static GArray *new_queues(void)
{
	return g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue));
}

/* Kernels before 6.8 cannot tell queues: then there is nothing to test. */
#define GET_QUEUES_OR_SKIP(netlink, ifname, queues)                                            \
	do {                                                                                   \
		int got = nb_netlink_get_queues(netlink, (int)if_nametoindex(ifname), queues); \
                                                                                               \
		if (got == -EOPNOTSUPP)                                                        \
			nb_skip("this kernel has no queue-get");                               \
		assert_int_equal(got, 0);                                                      \
	} while (0)

/* drivers/net/veth.c has NAPIs, but does not link its queues to them (netif_queue_set_napi()). */
static void the_queues_of_a_veth_name_neither_napi_nor_interrupt(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) queues = new_queues();
	unsigned seen[2] = {0};

	(void)state;
	bring_up_with_napi();
	GET_QUEUES_OR_SKIP(netlink, "vv1", queues);
	assert_int_equal(queues->len, 8);
	for (unsigned i = 0; i < queues->len; i++) {
		const struct nb_netlink_queue *queue =
			&g_array_index(queues, struct nb_netlink_queue, i);

		seen[queue->direction] |= 1u << queue->index;
		assert_int_equal(queue->irq, 0);
		assert_int_equal(queue->napi_id, 0);
	}
	assert_int_equal(seen[NB_QUEUE_RX], 0xf);
	assert_int_equal(seen[NB_QUEUE_TX], 0xf);
}

static void queues_follow_the_channels(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) queues = new_queues();

	(void)state;
	bring_up_with_napi();
	run("ethtool -L vv1 rx 3 tx 2");
	GET_QUEUES_OR_SKIP(netlink, "vv1", queues);
	assert_int_equal(queues->len, 3 + 2);
}

static void queues_of_several_devices_stand_behind_each_other(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) queues = new_queues();

	(void)state;
	bring_up_with_napi();
	GET_QUEUES_OR_SKIP(netlink, "vv0", queues);
	GET_QUEUES_OR_SKIP(netlink, "vv1", queues);
	assert_int_equal(queues->len, 16);
	assert_int_equal(nb_netlink_get_queues(netlink, NO_SUCH_IFINDEX, queues), -ENODEV);
	assert_int_equal(queues->len, 16);
}

static void a_device_that_is_down_has_no_queues(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) queues = new_queues();

	(void)state;
	GET_QUEUES_OR_SKIP(netlink, "vv0", queues);
	assert_int_equal(queues->len, 0);
}

static void a_device_that_is_not_there_has_no_statistics_of_queues(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) stats = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue_stats));
	int r;

	(void)state;
	r = nb_netlink_get_queue_stats(netlink, NO_SUCH_IFINDEX, stats);
	assert_true(r == -ENODEV || r == -EOPNOTSUPP);
}

static void the_loopback_device_has_no_statistics_of_queues(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) stats = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue_stats));

	(void)state;
	assert_int_equal(nb_netlink_get_queue_stats(netlink, (int)if_nametoindex("lo"), stats),
			 -EOPNOTSUPP);
}

/* The veth driver has no per-queue statistics up to 6.18; later ones may. */
static void a_refusal_leaves_the_session_usable(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) stats = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue_stats));
	g_autoptr(GArray) queues = new_queues();
	int r;

	(void)state;
	bring_up_with_napi();
	r = nb_netlink_get_queue_stats(netlink, (int)if_nametoindex("vv0"), stats);
	assert_true(r == 0 || r == -EOPNOTSUPP);
	GET_QUEUES_OR_SKIP(netlink, "vv0", queues);
	assert_int_equal(queues->len, 8);
}

static int take_napi(struct nlmsghdr *hdr, void *userdata)
{
	struct nb_dump_rows *dump = userdata;
	struct nb_napi napi;

	assert_int_equal(nb_message_parse_napi(hdr, &napi), 0);
	g_array_append_val(dump->rows, napi);
	return 0;
}

/* Those of vv1. */
static GArray *dump_napis(struct nb_netlink *netlink)
{
	GArray *napis = g_array_new(FALSE, FALSE, sizeof(struct nb_napi));
	g_autoptr(nl_msg) msg = NULL;
	int ifindex = (int)if_nametoindex("vv1");

	if (nb_netlink_dump_message(netlink, NB_NETDEV_NAPI_GET, NB_NETDEV_NAPI_IFINDEX, ifindex,
				    &msg) == 0)
		assert_int_equal(nb_netlink_dump_rows(netlink, msg, take_napi, napis), 0);
	return napis;
}

static void switch_napi(struct nb_netlink *netlink, uint32_t id, uint32_t threaded)
{
	g_autoptr(nl_msg) msg = NULL;

	assert_int_equal(nb_message_set_threading(netlink->netdev.id, id, threaded, &msg), 0);
	assert_int_equal(nb_port_change(netlink->port, msg), 0);
}

/* By its id, since a veth links no queue to it. */
static void one_napi_of_several_gets_a_thread(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) before = NULL, on = NULL, off = NULL;
	enum nb_threading threading;

	(void)state;
	bring_up_with_napi();
	before = dump_napis(netlink);
	if (before->len == 0 ||
	    g_array_index(before, struct nb_napi, 0).threading == NB_THREADING_UNKNOWN) {
		assert_int_equal(
			nb_netlink_set_threading(netlink, (int)if_nametoindex("vv1"), 0, true),
			-EOPNOTSUPP);
		nb_skip("this kernel switches threaded NAPI of whole devices alone");
	}
	assert_int_equal(before->len, 4);
	switch_napi(netlink, g_array_index(before, struct nb_napi, 2).id, 1);
	assert_int_equal(find_napi_threads(NULL, 0), 1);
	on = dump_napis(netlink);
	for (unsigned i = 0; i < on->len; i++) {
		const struct nb_napi *napi = &g_array_index(on, struct nb_napi, i);

		assert_int_equal(napi->threading, i == 2 ? NB_THREADING_ON : NB_THREADING_OFF);
		assert_int_equal(napi->thread != 0, i == 2);
	}
	switch_napi(netlink, g_array_index(before, struct nb_napi, 2).id, 0);
	assert_int_equal(find_napi_threads(NULL, 0), 0);
	off = dump_napis(netlink);
	assert_memory_equal(off->data, before->data, 4 * sizeof(struct nb_napi));
	assert_int_equal(
		nb_netlink_get_threading(netlink, (int)if_nametoindex("vv1"), 0, &threading),
		-EOPNOTSUPP);
}

/* And the switch of the device is one of all its NAPIs. */
static void that_of_the_whole_device_switches_each(void **state)
{
	g_autoptr(nb_netlink) netlink = open_netlink();
	g_autoptr(GArray) napis = NULL;

	(void)state;
	bring_up_with_napi();
	if (!enter_private_mounts())
		nb_skip("no mounts of one's own");
	napis = dump_napis(netlink);
	if (napis->len == 0 ||
	    g_array_index(napis, struct nb_napi, 0).threading == NB_THREADING_UNKNOWN)
		nb_skip("this kernel switches threaded NAPI of whole devices alone");
	switch_napi(netlink, g_array_index(napis, struct nb_napi, 0).id, 1);
	run("grep -qx 0 /sys/class/net/vv1/threaded");
	run("sh -c 'echo 1 > /sys/class/net/vv1/threaded'");
	assert_int_equal(find_napi_threads(NULL, 0), 4);
	run("sh -c 'echo 0 > /sys/class/net/vv1/threaded'");
	switch_napi(netlink, g_array_index(napis, struct nb_napi, 0).id, 1);
	run("sh -c 'echo 0 > /sys/class/net/vv1/threaded'");
	assert_int_equal(find_napi_threads(NULL, 0), 0);
}

/* The host's own devices, asked from before the namespace was entered; nothing of them is changed.
 */
struct host {
	nb_netlink *netlink;
	struct if_nameindex *devices;
};

static void read_stats_twice(const struct host *host, const struct if_nameindex *device)
{
	g_autoptr(GArray) first = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue_stats));
	g_autoptr(GArray) second = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue_stats));
	int r;

	r = nb_netlink_get_queue_stats(host->netlink, (int)device->if_index, first);
	if (r == -EOPNOTSUPP)
		return;
	assert_int_equal(r, 0);
	assert_int_equal(nb_netlink_get_queue_stats(host->netlink, (int)device->if_index, second),
			 0);
	assert_int_equal(first->len, second->len);
	for (unsigned i = 0; i < first->len; i++) {
		const struct nb_netlink_queue_stats *a =
			&g_array_index(first, struct nb_netlink_queue_stats, i);
		const struct nb_netlink_queue_stats *b =
			&g_array_index(second, struct nb_netlink_queue_stats, i);

		assert_int_equal(a->direction, b->direction);
		assert_int_equal(a->index, b->index);
		assert_true(a->packets <= b->packets);
		assert_true(a->bytes <= b->bytes);
	}
	print_message("%s: packets of %u queues\n", device->if_name, first->len);
}

static void packets_of_the_hosts_queues_only_grow(void **state)
{
	const struct host *host = *state;

	for (const struct if_nameindex *device = host->devices; device->if_index; device++)
		read_stats_twice(host, device);
}

/* Since 6.13 each NAPI says whether it defers its interrupt. */
static bool napis_have_settings(void)
{
	struct utsname name;
	unsigned major, minor;

	assert_int_equal(uname(&name), 0);
	assert_int_equal(sscanf(name.release, "%u.%u", &major, &minor), 2);
	return major > 6 || (major == 6 && minor >= 13);
}

static void only_a_linked_queue_of_the_host_names_its_interrupt_and_its_deferral(void **state)
{
	const struct host *host = *state;

	for (const struct if_nameindex *device = host->devices; device->if_index; device++) {
		g_autoptr(GArray) queues = new_queues();
		int r = nb_netlink_get_queues(host->netlink, (int)device->if_index, queues);
		unsigned n_napis = 0, n_irqs = 0;

		assert_true(r == 0 || r == -EOPNOTSUPP);
		for (unsigned i = 0; i < queues->len; i++) {
			const struct nb_netlink_queue *queue =
				&g_array_index(queues, struct nb_netlink_queue, i);

			assert_true(queue->irq == 0 || queue->napi_id != 0);
			assert_int_equal(queue->deferral != NB_DEFERRAL_UNKNOWN,
					 queue->napi_id != 0 && napis_have_settings());
			n_napis += queue->napi_id != 0;
			n_irqs += queue->irq != 0;
		}
		print_message("%s: %u queues, %u with NAPI, %u with interrupt\n", device->if_name,
			      queues->len, n_napis, n_irqs);
	}
}

int main(void)
{
	struct host host = {.devices = if_nameindex()};
	int r;

	const struct CMUnitTest tests[] = {
#define WITH_VETH(test) cmocka_unit_test_setup_teardown(test, add_veth, del_veth)
		WITH_VETH(the_queues_of_a_veth_name_neither_napi_nor_interrupt),
		WITH_VETH(queues_follow_the_channels),
		WITH_VETH(queues_of_several_devices_stand_behind_each_other),
		WITH_VETH(a_device_that_is_down_has_no_queues),
		cmocka_unit_test(a_device_that_is_not_there_has_no_statistics_of_queues),
		cmocka_unit_test(the_loopback_device_has_no_statistics_of_queues),
		WITH_VETH(a_refusal_leaves_the_session_usable),
		WITH_VETH(one_napi_of_several_gets_a_thread),
		WITH_VETH(that_of_the_whole_device_switches_each),
		cmocka_unit_test_prestate(packets_of_the_hosts_queues_only_grow, &host),
		cmocka_unit_test_prestate(
			only_a_linked_queue_of_the_host_names_its_interrupt_and_its_deferral,
			&host),
	};

	if (nb_netlink_new(&host.netlink) < 0)
		r = EXIT_FAILURE;
	else if (!enter_namespace())
		r = NB_TEST_SKIPPED;
	else
		r = cmocka_run_group_tests(tests, NULL, NULL);
	nb_netlink_free(host.netlink);
	if_freenameindex(host.devices);
	return r;
}
