/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/filter.h"
#include "netlink/libnl.h"
#include "support/support.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Whether what is sent arrives. */
static bool passes(int (*filter)(int fd), const void *data, size_t len)
{
	char buffer[4096];
	int fds[2];
	bool got;

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, fds), 0);
	assert_int_equal(filter(fds[0]), 0);
	/* Unix sockets report a drop as success or -EPERM. */
	(void)!write(fds[1], data, len);
	got = read(fds[0], buffer, sizeof(buffer)) == (ssize_t)len;
	close(fds[0]);
	close(fds[1]);
	return got;
}

struct look {
	int family;
	const char *parent, *kind, *slave_kind;
};

static bool link_passes(struct look look)
{
	g_autoptr(nl_msg) msg = nlmsg_alloc_simple(RTM_NEWLINK, 0);
	struct ifinfomsg info = {.ifi_family = (unsigned char)look.family, .ifi_index = 2};

	assert_int_equal(nlmsg_append(msg, &info, sizeof(info), NLMSG_ALIGNTO), 0);
	assert_int_equal(nla_put_string(msg, IFLA_IFNAME, "eth0"), 0);
	if (look.kind || look.slave_kind) {
		struct nlattr *nest = nla_nest_start(msg, IFLA_LINKINFO);

		if (look.kind)
			assert_int_equal(nla_put_string(msg, IFLA_INFO_KIND, look.kind), 0);
		if (look.slave_kind)
			assert_int_equal(nla_put_string(msg, IFLA_INFO_SLAVE_KIND, look.slave_kind),
					 0);
		nla_nest_end(msg, nest);
	}
	if (look.parent)
		assert_int_equal(nla_put_string(msg, IFLA_PARENT_DEV_NAME, look.parent), 0);
	return passes(nb_filter_links, nlmsg_hdr(msg), nlmsg_hdr(msg)->nlmsg_len);
}

static void links_with_hardware_pass(void **state)
{
	(void)state;
	assert_true(link_passes((struct look){0}));
	assert_true(link_passes((struct look){.parent = "0000:01:00.0"}));
	assert_true(link_passes((struct look){.parent = "0000:01:00.0", .slave_kind = "bond"}));
	assert_true(link_passes((struct look){.slave_kind = "bond"}));
	assert_true(link_passes((struct look){.parent = "0000:01:00.0", .kind = "ipoib"}));
}

static void virtual_links_and_bridge_ports_do_not(void **state)
{
	(void)state;
	assert_false(link_passes((struct look){.kind = "veth"}));
	assert_false(link_passes((struct look){.kind = "veth", .slave_kind = "bridge"}));
	assert_false(link_passes((struct look){.family = AF_BRIDGE, .parent = "0000:01:00.0"}));
}

/* As the kernel sends them: the environment follows. */
static bool uevent_passes(const char *head)
{
	char text[256] = {0};
	size_t len = strlen(head) + 1;

	memcpy(text, head, len);
	memcpy(text + len, "SEQNUM=123456", sizeof("SEQNUM=123456"));
	return passes(nb_filter_uevents, text, len + sizeof("SEQNUM=123456"));
}

static void devices_and_cpus_pass(void **state)
{
	(void)state;
	assert_true(uevent_passes("add@/devices/pci0000:00/0000:00:01.0/net/eth0/queues/rx-0"));
	assert_true(uevent_passes("remove@/devices/pci0000:00/0000:00:01.0/net/eth0/queues/rx-0"));
	assert_true(uevent_passes("add@/devices/vif-0/net/eth0/queues/tx-1"));
	assert_true(uevent_passes("add@/devices/virtio0/net/eth0/queues/tx-1"));
	assert_true(uevent_passes("online@/devices/system/cpu/cpu3"));
	assert_true(uevent_passes("offline@/devices/system/cpu/cpu3"));
}

static void virtual_devices_and_other_actions_do_not(void **state)
{
	(void)state;
	assert_false(uevent_passes("add@/devices/virtual/net/veth0/queues/rx-0"));
	assert_false(uevent_passes("remove@/devices/virtual/net/veth0"));
	assert_false(uevent_passes("change@/devices/pci0000:00/0000:00:01.0/net/eth0"));
	assert_false(uevent_passes("move@/devices/pci0000:00/0000:00:01.0/net/eth0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_with_hardware_pass),
		cmocka_unit_test(virtual_links_and_bridge_ports_do_not),
		cmocka_unit_test(devices_and_cpus_pass),
		cmocka_unit_test(virtual_devices_and_other_actions_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
