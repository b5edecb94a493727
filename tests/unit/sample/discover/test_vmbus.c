/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nicbalance/netdev.h"
#include "sample/discover/vmbus.h"
#include "unit/sample/machine.h"

struct fixture {
	char *dir;
	struct nb_sysroot *root;
	struct nb_queue_map map;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->dir = nb_tmp_make();
	f->root = nb_machine_open(f->dir);
	nb_queue_map_init(&f->map, 3, 2);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_queue_map_clear(&f->map);
	nb_sysroot_free(f->root);
	nb_tmp_remove(f->dir);
	g_free(f);
	return 0;
}

static void add(struct fixture *f, const char *id, const char *index, bool has_cpu)
{
	g_autofree char *index_path =
		g_strdup_printf("sys/class/net/eth0/device/channels/%s/subchannel_id", id);
	g_autofree char *cpu_path =
		g_strdup_printf("sys/class/net/eth0/device/channels/%s/cpu", id);

	nb_tmp_write(f->dir, index_path, index);
	if (has_cpu)
		nb_tmp_write(f->dir, cpu_path, "0\n");
}

static void a_queue_is_served_by_the_channel_of_its_index(void **state)
{
	struct fixture *f = *state;

	add(f, "30", "0\n", true);
	add(f, "14", "2\n", true);
	add(f, "15", "1\n", true);
	assert_true(nb_vmbus_find_channels(f->root, "eth0", &f->map));
	assert_int_equal(f->map.rx[0], NB_IRQ_CHANNEL | 30);
	assert_int_equal(f->map.rx[1], NB_IRQ_CHANNEL | 15);
	assert_int_equal(f->map.rx[2], NB_IRQ_CHANNEL | 14);
	assert_int_equal(f->map.tx[0], NB_IRQ_CHANNEL | 30);
	assert_int_equal(f->map.tx[1], NB_IRQ_CHANNEL | 15);
}

static void what_serves_no_queue_is_left_out(void **state)
{
	struct fixture *f = *state;

	add(f, "30", "3\n", true);
	add(f, "31", "65536\n", true);
	add(f, "32", "none\n", true);
	assert_false(nb_vmbus_find_channels(f->root, "eth0", &f->map));
}

/* As of one that is about to vanish: to read it would fail, in each sample. */
static void a_channel_without_a_cpu_is_left_out(void **state)
{
	struct fixture *f = *state;

	add(f, "30", "0\n", false);
	assert_false(nb_vmbus_find_channels(f->root, "eth0", &f->map));
}

static void names_that_are_no_id_are_left_out(void **state)
{
	struct fixture *f = *state;

	add(f, "0", "0\n", true);
	add(f, "x1", "0\n", true);
	add(f, "1073741824", "0\n", true);
	assert_false(nb_vmbus_find_channels(f->root, "eth0", &f->map));
	add(f, "1073741823", "0\n", true);
	assert_true(nb_vmbus_find_channels(f->root, "eth0", &f->map));
	assert_int_equal(nb_irq_channel(f->map.rx[0]), 1073741823);
}

static void other_devices_have_none(void **state)
{
	struct fixture *f = *state;

	assert_false(nb_vmbus_find_channels(f->root, "eth1", &f->map));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_queue_is_served_by_the_channel_of_its_index,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_serves_no_queue_is_left_out, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_channel_without_a_cpu_is_left_out, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(names_that_are_no_id_are_left_out, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(other_devices_have_none, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
