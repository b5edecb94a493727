/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/join.h"
#include "support/support.h"

static const struct nb_napi napis_of_a_nic[] = {
	{.id = 8195, .irq = 43, .thread = 903, .threading = NB_THREADING_ON},
	{.id = 8194, .irq = 42, .deferral = NB_DEFERRAL_ON},
	{.id = 8193, .irq = 0},
	{.id = 0, .irq = 99}};

static uint32_t irq_of(uint32_t napi_id, uint32_t irq_before)
{
	g_autoptr(GArray) queues = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue));
	g_autoptr(GArray) napis = g_array_new(FALSE, FALSE, sizeof(struct nb_napi));
	struct nb_netlink_queue queue = {.napi_id = napi_id, .irq = irq_before};

	g_array_append_vals(napis, napis_of_a_nic, G_N_ELEMENTS(napis_of_a_nic));
	g_array_append_val(queues, queue);
	nb_join_napis(queues, 0, napis);
	return g_array_index(queues, struct nb_netlink_queue, 0).irq;
}

static void a_queue_has_the_interrupt_of_its_napi(void **state)
{
	(void)state;
	assert_int_equal(irq_of(8194, 0), 42);
	assert_int_equal(irq_of(8195, 0), 43);
}

static void a_napi_without_interrupt_gives_none(void **state)
{
	(void)state;
	assert_int_equal(irq_of(8193, 7), 0);
}

static void a_queue_without_napi_has_no_interrupt(void **state)
{
	(void)state;
	assert_int_equal(irq_of(0, 7), 0);
}

static void a_napi_that_is_gone_gives_none(void **state)
{
	(void)state;
	assert_int_equal(irq_of(8200, 7), 0);
}

static void the_two_queues_of_a_napi_share_its_interrupt_and_earlier_rows_stay(void **state)
{
	g_autoptr(GArray) queues = g_array_new(FALSE, FALSE, sizeof(struct nb_netlink_queue));
	g_autoptr(GArray) napis = g_array_new(FALSE, FALSE, sizeof(struct nb_napi));
	const struct nb_netlink_queue rows[] = {
		{.direction = NB_QUEUE_RX, .napi_id = 8194, .irq = 7},
		{.direction = NB_QUEUE_RX, .napi_id = 8194},
		{.direction = NB_QUEUE_TX, .napi_id = 8194, .thread = 7},
		{.direction = NB_QUEUE_RX, .napi_id = 8195},
	};

	(void)state;
	g_array_append_vals(napis, napis_of_a_nic, G_N_ELEMENTS(napis_of_a_nic));
	g_array_append_vals(queues, rows, G_N_ELEMENTS(rows));
	nb_join_napis(queues, 1, napis);
	assert_int_equal(g_array_index(queues, struct nb_netlink_queue, 0).irq, 7);
	assert_int_equal(g_array_index(queues, struct nb_netlink_queue, 1).irq, 42);
	assert_int_equal(g_array_index(queues, struct nb_netlink_queue, 2).irq, 42);
	assert_int_equal(g_array_index(queues, struct nb_netlink_queue, 2).thread, 0);
	assert_int_equal(g_array_index(queues, struct nb_netlink_queue, 3).thread, 903);
	assert_int_equal(g_array_index(queues, struct nb_netlink_queue, 2).threading,
			 NB_THREADING_UNKNOWN);
	assert_int_equal(g_array_index(queues, struct nb_netlink_queue, 3).threading,
			 NB_THREADING_ON);
	assert_int_equal(g_array_index(queues, struct nb_netlink_queue, 1).deferral,
			 NB_DEFERRAL_ON);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_queue_has_the_interrupt_of_its_napi),
		cmocka_unit_test(a_napi_without_interrupt_gives_none),
		cmocka_unit_test(a_queue_without_napi_has_no_interrupt),
		cmocka_unit_test(a_napi_that_is_gone_gives_none),
		cmocka_unit_test(
			the_two_queues_of_a_napi_share_its_interrupt_and_earlier_rows_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
