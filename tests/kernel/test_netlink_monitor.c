/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes as this kernel tells them. */
#include "kernel/test_netlink.h"
#include "netlink/netlink.h"
#include "netlink/port.h"
#include "netlink/uevent.h"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MSEC 10000
#define N_ADDED_PAIRS 500
#define N_CHANGES (NB_NOTICE_LOST + 1)

/* What the monitor told since the last forget(). */
struct watch {
	nb_netlink_monitor *monitor;
	unsigned calls[N_CHANGES];
	int ifindex[N_CHANGES];
};

static void count(enum nb_notice change, int ifindex, void *userdata)
{
	struct watch *watch = userdata;

	watch->calls[change]++;
	watch->ifindex[change] = ifindex;
}

static void watch_begin(struct watch *watch)
{
	*watch = (struct watch){0};
	assert_int_equal(nb_netlink_monitor_new(count, watch, &watch->monitor), 0);
}

static void forget(struct watch *watch)
{
	memset(watch->calls, 0, sizeof(watch->calls));
	memset(watch->ifindex, 0, sizeof(watch->ifindex));
}

static bool is_waiting(const struct watch *watch, int timeout_msec)
{
	int fds[NB_NETLINK_MONITOR_FDS];
	struct pollfd polled[NB_NETLINK_MONITOR_FDS];
	unsigned n = nb_netlink_monitor_fds(watch->monitor, fds);

	for (unsigned i = 0; i < n; i++)
		polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	return poll(polled, n, timeout_msec) > 0;
}

static void dispatch(struct watch *watch)
{
	assert_int_equal(nb_netlink_monitor_dispatch(watch->monitor), 0);
}

static void dispatch_until(struct watch *watch, enum nb_notice change)
{
	while (watch->calls[change] == 0) {
		assert_true(is_waiting(watch, PATIENCE_MSEC));
		dispatch(watch);
	}
}

static void expect_link(struct watch *watch, const char *command, int ifindex)
{
	forget(watch);
	run(command);
	dispatch_until(watch, NB_NOTICE_LINK);
	assert_int_equal(watch->calls[NB_NOTICE_LINK], 1);
	assert_int_equal(watch->ifindex[NB_NOTICE_LINK], ifindex);
}

/* Of the devices that a namespace may have, the loopback alone has no kind. */
static void a_link_that_changes_is_told_by_its_number(void **state)
{
	struct watch watch;

	(void)state;
	watch_begin(&watch);
	expect_link(&watch, "ip link set lo up", 1);
	expect_link(&watch, "ip link set lo down", 1);
	expect_link(&watch, "ip link set lo name vv9", 1);
	expect_link(&watch, "ip link set vv9 name lo", 1);
	nb_netlink_monitor_free(watch.monitor);
}

static void a_change_made_before_the_monitor_is_not_told(void **state)
{
	struct watch watch;

	(void)state;
	run("ip link set lo up");
	watch_begin(&watch);
	run("ip link set lo alias same");
	assert_true(is_waiting(&watch, PATIENCE_MSEC));
	dispatch(&watch);
	assert_int_equal(watch.calls[NB_NOTICE_LINK], 0);
	nb_netlink_monitor_free(watch.monitor);
	run("ip link set lo down");
}

/* Links, carriers, queues (by ethtool and by uevents): none of it wakes anybody. */
static void virtual_devices_are_not_told(void **state)
{
	struct watch watch;

	(void)state;
	watch_begin(&watch);
	run("ip link set vv0 up");
	run("ip link set vv1 up");
	run("ip link add vv2 type veth peer name vv3");
	run("ip link del vv2");
	assert_false(is_waiting(&watch, 0));
	run("ethtool -L vv0 rx 2 tx 2");
	dispatch(&watch);
	for (unsigned i = 0; i < N_CHANGES; i++)
		assert_int_equal(watch.calls[i], 0);
	nb_netlink_monitor_free(watch.monitor);
}

static void send_to_itself(void)
{
	struct sockaddr address = {.sa_family = AF_UNSPEC};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(address);
	char byte = 'x';

	assert_true(fd >= 0);
	assert_int_equal(
		bind(fd, &(struct sockaddr){.sa_family = AF_INET, .sa_data = {0, 0, 127, 0, 0, 1}},
		     len),
		0);
	assert_int_equal(getsockname(fd, &address, &len), 0);
	assert_int_equal(sendto(fd, &byte, 1, 0, &address, len), 1);
	assert_int_equal(read(fd, &byte, 1), 1);
	close(fd);
}

/* The loopback device has no carrier to change behind our back. An alias makes the kernel send a
 * message with the whole link, its statistics among it. */
static void new_statistics_alone_are_not_told(void **state)
{
	struct watch watch;

	(void)state;
	run("ip link set lo up");
	watch_begin(&watch);
	for (unsigned i = 0; i < 3; i++) {
		g_autofree char *command = g_strdup_printf("ip link set lo alias n%u", i);

		send_to_itself();
		run(command);
		assert_true(is_waiting(&watch, PATIENCE_MSEC));
		dispatch(&watch);
	}
	for (unsigned i = 0; i < N_CHANGES; i++)
		assert_int_equal(watch.calls[i], 0);
	nb_netlink_monitor_free(watch.monitor);
}

static void many_changes_of_a_kind_are_told_once(void **state)
{
	struct watch watch;

	(void)state;
	watch_begin(&watch);
	run("ip link set lo up");
	run("ip link set lo down");
	dispatch(&watch);
	assert_int_equal(watch.calls[NB_NOTICE_LINK], 1);
	assert_int_equal(watch.ifindex[NB_NOTICE_LINK], 1);
	assert_int_equal(watch.calls[NB_NOTICE_QUEUES], 0);
	assert_int_equal(watch.calls[NB_NOTICE_CPUS], 0);
	assert_int_equal(watch.calls[NB_NOTICE_LOST], 0);
	nb_netlink_monitor_free(watch.monitor);
}

/* As if there were hardware behind it. */
static void make_real(char *text, size_t len)
{
	char *virtual = g_strstr_len(text, (gssize)len, "/virtual/");

	if (virtual)
		memcpy(virtual, "/pci0000/", strlen("/pci0000/"));
}

/* Counts the events about queues of a device that wait on a uevent socket. */
static unsigned count_queue_events(nb_port *port, const char *ifname)
{
	unsigned n = 0;
	void *data;
	size_t len;
	int r;

	for (;;) {
		struct nb_uevent event;

		r = nb_port_receive(port, &data, &len);
		if (r == -EAGAIN)
			return n;
		assert_int_equal(r, 0);
		make_real(data, len);
		if (!nb_uevent_parse(data, len, &event))
			continue;
		assert_int_equal(event.change, NB_NOTICE_QUEUES);
		if (strcmp(event.ifname, ifname) == 0)
			n++;
	}
}

static void the_kernels_own_uevents_about_queues_are_understood(void **state)
{
	g_autoptr(nb_port) port = NULL;

	(void)state;
	assert_int_equal(nb_port_open(NETLINK_KOBJECT_UEVENT, &port), 0);
	assert_int_equal(nb_port_join(port, 1), 0);
	run("ethtool -L vv0 rx 1 tx 2");
	assert_int_equal(count_queue_events(port, "vv0"), 3 + 2);
	run("ethtool -L vv0 rx 4 tx 4");
	assert_int_equal(count_queue_events(port, "vv0"), 3 + 2);
}

static void a_uevent_that_is_not_the_kernels_is_passed_over(void **state)
{
	static const char forged[] = "add@/devices/pci0000/net/vv0/queues/rx-0";
	struct sockaddr_nl group = {.nl_family = AF_NETLINK, .nl_groups = 1};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	struct watch watch;

	(void)state;
	watch_begin(&watch);
	assert_true(fd >= 0);
	assert_int_equal(
		sendto(fd, forged, sizeof(forged), 0, (struct sockaddr *)&group, sizeof(group)),
		sizeof(forged));
	close(fd);
	assert_true(is_waiting(&watch, PATIENCE_MSEC));
	dispatch(&watch);
	assert_int_equal(watch.calls[NB_NOTICE_QUEUES], 0);
	nb_netlink_monitor_free(watch.monitor);
}

/* Each change of the MTU is a link message; the smallest buffer holds hardly one. */
static void overflow(const struct watch *watch, const char *ifname)
{
	int fds[NB_NETLINK_MONITOR_FDS], least = 1;
	unsigned n = nb_netlink_monitor_fds(watch->monitor, fds);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {0};

	for (unsigned i = 0; i < n; i++)
		assert_int_equal(setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)),
				 0);
	g_strlcpy(request.ifr_name, ifname, sizeof(request.ifr_name));
	for (int i = 0; i < 100; i++) {
		request.ifr_mtu = 1400 + i;
		assert_int_equal(ioctl(fd, SIOCSIFMTU, &request), 0);
	}
	close(fd);
}

static void an_overflow_is_told_once(void **state)
{
	struct watch watch;

	(void)state;
	watch_begin(&watch);
	overflow(&watch, "lo");
	dispatch(&watch);
	assert_int_equal(watch.calls[NB_NOTICE_LOST], 1);
	assert_int_equal(watch.ifindex[NB_NOTICE_LOST], 0);
	forget(&watch);
	dispatch(&watch);
	assert_int_equal(watch.calls[NB_NOTICE_LOST], 0);
	nb_netlink_monitor_free(watch.monitor);
}

static void a_change_that_was_lost_does_not_hide_the_next(void **state)
{
	struct watch watch;

	(void)state;
	watch_begin(&watch);
	overflow(&watch, "lo");
	run("ip link set lo up");
	dispatch(&watch);
	assert_int_equal(watch.calls[NB_NOTICE_LOST], 1);
	assert_int_equal(watch.calls[NB_NOTICE_LINK], 0);
	expect_link(&watch, "ip link set lo down", 1);
	nb_netlink_monitor_free(watch.monitor);
}

static GPid start_adding_links(char *path)
{
	const char *argv[] = {"ip", "-batch", path, NULL};
	g_autoptr(GString) batch = g_string_new("");
	GPid ip;

	for (unsigned i = 0; i < N_ADDED_PAIRS; i++)
		g_string_append_printf(batch, "link add b%u type veth peer name c%u\n", i, i);
	assert_true(g_file_set_contents(path, batch->str, (gssize)batch->len, NULL));
	assert_true(g_spawn_async(NULL, (char **)argv, NULL,
				  G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &ip,
				  NULL));
	return ip;
}

/* As on a host that starts its containers: each list of links is inconsistent. */
static void links_that_keep_coming_do_not_hinder_the_start(void **state)
{
	char *dir = nb_tmp_make();
	g_autofree char *path = g_build_filename(dir, "batch", NULL);
	GPid ip = start_adding_links(path);
	int status;

	(void)state;
	while (waitpid(ip, &status, WNOHANG) == 0) {
		struct watch watch;

		watch_begin(&watch);
		nb_netlink_monitor_free(watch.monitor);
	}
	assert_int_equal(status, 0);
	nb_tmp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define WITH_VETH(test) cmocka_unit_test_setup_teardown(test, add_veth, del_veth)
		cmocka_unit_test(a_link_that_changes_is_told_by_its_number),
		cmocka_unit_test(a_change_made_before_the_monitor_is_not_told),
		WITH_VETH(virtual_devices_are_not_told),
		cmocka_unit_test(new_statistics_alone_are_not_told),
		cmocka_unit_test(many_changes_of_a_kind_are_told_once),
		WITH_VETH(the_kernels_own_uevents_about_queues_are_understood),
		WITH_VETH(a_uevent_that_is_not_the_kernels_is_passed_over),
		cmocka_unit_test(an_overflow_is_told_once),
		cmocka_unit_test(a_change_that_was_lost_does_not_hide_the_next),
		cmocka_unit_test(links_that_keep_coming_do_not_hinder_the_start),
	};

	if (!enter_namespace())
		return NB_TEST_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
