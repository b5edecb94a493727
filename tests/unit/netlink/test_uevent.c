/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/uevent.h"
#include "support/support.h"

#include <string.h>

/* With the NUL behind the text, as the kernel sends it. */
#define PARSE(text, ret) nb_uevent_parse(text, sizeof(text), ret)

static void a_queue_that_comes_or_goes_names_its_device(void **state)
{
	struct nb_uevent event;

	(void)state;
	assert_true(PARSE(
		"add@/devices/platform/nic/net/vv0/queues/rx-0\0ACTION=add\0"
		"DEVPATH=/devices/platform/nic/net/vv0/queues/rx-0\0SUBSYSTEM=queues\0SEQNUM=7",
		&event));
	assert_int_equal(event.change, NB_NOTICE_QUEUES);
	assert_string_equal(event.ifname, "vv0");
	assert_true(PARSE("remove@/devices/pci0000:00/0000:00:03.0/virtio0/net/eth0/queues/tx-127",
			  &event));
	assert_int_equal(event.change, NB_NOTICE_QUEUES);
	assert_string_equal(event.ifname, "eth0");
}

static void a_cpu_that_comes_or_goes_online_names_no_device(void **state)
{
	struct nb_uevent event;

	(void)state;
	assert_true(PARSE("online@/devices/system/cpu/cpu3\0ACTION=online\0SUBSYSTEM=cpu", &event));
	assert_int_equal(event.change, NB_NOTICE_CPUS);
	assert_string_equal(event.ifname, "");
	assert_true(PARSE("offline@/devices/system/cpu/cpu1023", &event));
	assert_int_equal(event.change, NB_NOTICE_CPUS);
}

static void other_actions_on_the_same_objects_are_passed_over(void **state)
{
	struct nb_uevent event;

	(void)state;
	assert_false(PARSE("change@/devices/platform/nic/net/vv0/queues/rx-0", &event));
	assert_false(PARSE("online@/devices/platform/nic/net/vv0/queues/rx-0", &event));
	assert_false(PARSE("add@/devices/system/cpu/cpu3", &event));
	assert_false(PARSE("change@/devices/system/cpu/cpu3", &event));
}

static void queues_of_virtual_devices_are_passed_over(void **state)
{
	struct nb_uevent event;

	(void)state;
	assert_false(PARSE("add@/devices/virtual/net/vv0/queues/rx-0", &event));
	assert_false(PARSE("remove@/devices/virtual/net/vv0/queues/tx-0", &event));
}

static void other_objects_are_passed_over(void **state)
{
	struct nb_uevent event;

	(void)state;
	assert_false(PARSE("add@/devices/platform/nic/net/vv0", &event));
	assert_false(PARSE("add@/devices/platform/nic/net/vv0/queues", &event));
	assert_false(PARSE("add@/devices/platform/nic/net/vv0/queues/", &event));
	assert_false(PARSE("add@/devices/platform/nic/net/vv0/queues/rx-", &event));
	assert_false(PARSE("add@/devices/platform/nic/net/vv0/queues/rx-0x", &event));
	assert_false(PARSE("add@/devices/platform/nic/net/vv0/queues/rx-0/child", &event));
	assert_false(PARSE("add@/devices/platform/nic/net/vv0/more/queues/rx-0", &event));
	assert_false(PARSE("add@/devices/platform/nic/net//queues/rx-0", &event));
	assert_false(PARSE("add@/devices/virtual/block/queues/rx-0", &event));
	assert_false(PARSE("online@/devices/system/cpu/cpufreq", &event));
	assert_false(PARSE("online@/devices/system/cpu/cpu", &event));
	assert_false(PARSE("online@/devices/system/node/node0", &event));
	assert_false(PARSE("online@/devices/other/devices/system/cpu/cpu3", &event));
}

static void a_device_may_be_called_queues_or_net(void **state)
{
	struct nb_uevent event;

	(void)state;
	assert_true(PARSE("add@/devices/platform/nic/net/queues/queues/rx-0", &event));
	assert_string_equal(event.ifname, "queues");
	assert_true(PARSE("add@/devices/platform/nic/net/net/queues/rx-0", &event));
	assert_string_equal(event.ifname, "net");
}

static void a_name_too_long_for_a_device_is_passed_over(void **state)
{
	struct nb_uevent event;

	(void)state;
	assert_true(PARSE("add@/devices/platform/nic/net/fifteen-letters/queues/rx-0", &event));
	assert_string_equal(event.ifname, "fifteen-letters");
	assert_false(PARSE("add@/devices/platform/nic/net/sixteen--letters/queues/rx-0", &event));
}

static void what_is_no_uevent_is_passed_over(void **state)
{
	struct nb_uevent event;

	(void)state;
	assert_false(nb_uevent_parse("", 0, &event));
	assert_false(PARSE("", &event));
	assert_false(PARSE("add", &event));
	assert_false(PARSE("add@", &event));
	assert_false(PARSE("libudev\0\xfe\xed\xca\xfe", &event));
}

static void no_byte_behind_the_length_is_read(void **state)
{
	static const char text[] = "add@/devices/platform/nic/net/vv0/queues/rx-0";
	struct nb_uevent event;

	(void)state;
	for (size_t len = 1; len < sizeof(text); len++) {
		g_autofree char *cut = g_malloc(len);

		memcpy(cut, text, len);
		assert_false(nb_uevent_parse(cut, len, &event));
	}
}

static void nothing_is_told_of_an_event_passed_over(void **state)
{
	struct nb_uevent event = {.change = NB_NOTICE_LOST, .ifname = "kept"};

	(void)state;
	assert_false(PARSE("add@/devices/platform/nic/net/vv0", &event));
	assert_int_equal(event.change, NB_NOTICE_LOST);
	assert_string_equal(event.ifname, "kept");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_queue_that_comes_or_goes_names_its_device),
		cmocka_unit_test(a_cpu_that_comes_or_goes_online_names_no_device),
		cmocka_unit_test(other_actions_on_the_same_objects_are_passed_over),
		cmocka_unit_test(queues_of_virtual_devices_are_passed_over),
		cmocka_unit_test(other_objects_are_passed_over),
		cmocka_unit_test(a_device_may_be_called_queues_or_net),
		cmocka_unit_test(a_name_too_long_for_a_device_is_passed_over),
		cmocka_unit_test(what_is_no_uevent_is_passed_over),
		cmocka_unit_test(no_byte_behind_the_length_is_read),
		cmocka_unit_test(nothing_is_told_of_an_event_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
