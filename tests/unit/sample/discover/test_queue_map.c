/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/queue_map.h"
#include "support/support.h"

#define RX NB_VECTOR_RX
#define TX NB_VECTOR_TX
#define PAIR NB_VECTOR_PAIR
#define BARE NB_VECTOR_BARE
#define SLOW NB_VECTOR_SLOW
#define INDEX NB_NUMBERING_INDEX
#define RANK NB_NUMBERING_RANK
#define HALF NB_NUMBERING_HALF

/* The map as text, "rx 10 11 tx 10 11", then the units, "0:10,20 1:11 ". */
static char *describe(struct nb_queue_map *map, int *ret_rx, int *ret_tx)
{
	g_autoptr(GArray) queues = g_array_new(FALSE, FALSE, sizeof(struct nb_queue));
	GString *text = g_string_new("rx");

	for (unsigned i = 0; i < map->n_rx; i++)
		g_string_append_printf(text, " %u", map->rx[i]);
	g_string_append(text, " tx");
	for (unsigned i = 0; i < map->n_tx; i++)
		g_string_append_printf(text, " %u", map->tx[i]);
	g_string_append(text, " |");

	nb_queue_map_units(map, 7, queues, ret_rx, ret_tx);
	for (unsigned i = 0; i < queues->len; i++) {
		const struct nb_queue *queue = &g_array_index(queues, struct nb_queue, i);

		assert_int_equal(queue->key.ifindex, 7);
		g_string_append_printf(text, " %u%s%s:%u", queue->key.index,
				       queue->has_rx ? "r" : "", queue->has_tx ? "t" : "",
				       queue->irqs[0]);
		if (queue->n_irqs == 2)
			g_string_append_printf(text, ",%u", queue->irqs[1]);
	}
	return g_string_free(text, FALSE);
}

static void assert_map(unsigned n_rx, unsigned n_tx, const struct nb_vector *vectors,
		       unsigned n_vectors, unsigned n_slow, const char *expected)
{
	g_autoptr(GArray) array = g_array_new(FALSE, FALSE, sizeof(struct nb_vector));
	g_autofree char *text = NULL;
	struct nb_queue_map map;
	int rx[16], tx[16];

	nb_queue_map_init(&map, n_rx, n_tx);
	g_array_append_vals(array, vectors, n_vectors);
	assert_int_equal(nb_queue_map_assign(&map, array), n_slow);
	text = describe(&map, rx, tx);
	assert_string_equal(text, expected);
	nb_queue_map_clear(&map);
}

#define assert_vectors(n_rx, n_tx, n_slow, expected, ...)                                 \
	do {                                                                              \
		const struct nb_vector vectors[] = {__VA_ARGS__};                         \
                                                                                          \
		assert_map(n_rx, n_tx, vectors, G_N_ELEMENTS(vectors), n_slow, expected); \
	} while (0)

static void numbers_are_indexes_whatever_their_order(void **state)
{
	(void)state;
	assert_vectors(3, 3, 1, "rx 10 12 11 tx 10 12 11 | 0rt:10 1rt:12 2rt:11",
		       {11, PAIR, INDEX, 2}, {9, SLOW, INDEX, 0}, {12, PAIR, INDEX, 1},
		       {10, PAIR, INDEX, 0});
}

static void two_interrupts_of_one_index_are_one_unit(void **state)
{
	(void)state;
	assert_vectors(2, 2, 0, "rx 20 30 tx 21 31 | 0rt:20,21 1rt:30,31", {20, RX, INDEX, 0},
		       {21, TX, INDEX, 0}, {30, RX, INDEX, 1}, {31, TX, INDEX, 1});
}

static void vectors_of_inactive_queues_are_left_out(void **state)
{
	(void)state;
	assert_vectors(1, 1, 0, "rx 20 tx 21 | 0rt:20,21", {20, RX, INDEX, 0}, {21, TX, INDEX, 0},
		       {30, RX, INDEX, 1}, {31, TX, INDEX, 1});
}

static void ranks_close_the_gaps(void **state)
{
	(void)state;
	assert_vectors(3, 3, 0, "rx 40 50 60 tx 40 50 60 | 0rt:40 1rt:50 2rt:60",
		       {60, PAIR, RANK, 4}, {40, PAIR, RANK, 0}, {50, PAIR, RANK, 2});
	assert_vectors(2, 2, 0, "rx 41 42 tx 40 0 | 0rt:41,40 1r:42", {40, TX, RANK, 0},
		       {41, RX, RANK, 1}, {42, RX, RANK, 2});
}

static void ranks_that_were_cut_off_go_by_their_interrupts(void **state)
{
	(void)state;
	/* "1" was 1, 10 and 11. */
	assert_vectors(4, 4, 0, "rx 41 42 50 51 tx 41 42 50 51 | 0rt:41 1rt:42 2rt:50 3rt:51",
		       {51, PAIR, RANK, 1}, {42, PAIR, RANK, 9}, {41, PAIR, RANK, 1},
		       {50, PAIR, RANK, 1});
	assert_vectors(2, 1, 0, "rx 60 61 tx 59 | 0rt:60,59 1r:61", {61, RX, RANK, 0},
		       {60, RX, RANK, 0}, {59, TX, RANK, 4});
}

static void the_second_half_receives(void **state)
{
	(void)state;
	assert_vectors(2, 2, 0, "rx 12 13 tx 10 11 | 0rt:12,10 1rt:13,11", {10, PAIR, HALF, 0},
		       {11, PAIR, HALF, 1}, {12, PAIR, HALF, 2}, {13, PAIR, HALF, 3});
	/* More blocks than active queues. */
	assert_vectors(1, 1, 0, "rx 12 tx 10 | 0rt:12,10", {10, PAIR, HALF, 0}, {11, PAIR, HALF, 1},
		       {12, PAIR, HALF, 2}, {13, PAIR, HALF, 3});
}

static void the_bare_name_is_the_link_beside_queues(void **state)
{
	(void)state;
	assert_vectors(1, 1, 1, "rx 11 tx 11 | 0rt:11", {10, BARE, RANK, 0}, {11, PAIR, INDEX, 0});
}

static void a_single_bare_vector_serves_every_queue(void **state)
{
	(void)state;
	assert_vectors(4, 2, 0, "rx 10 10 10 10 tx 10 10 | 0rt:10", {10, BARE, RANK, 0});
	assert_vectors(4, 4, 1, "rx 11 11 11 11 tx 11 11 11 11 | 0rt:11", {10, SLOW, INDEX, 0},
		       {11, BARE, INDEX, 0});
}

static void several_bare_vectors_go_by_their_numbers(void **state)
{
	(void)state;
	assert_vectors(2, 2, 0, "rx 10 12 tx 10 12 | 0rt:10 1rt:12", {12, BARE, RANK, 0},
		       {10, BARE, RANK, 0});
}

static void transmit_rides_on_receive_where_no_vector_transmits(void **state)
{
	(void)state;
	assert_vectors(2, 3, 0, "rx 10 11 tx 0 0 0 | 0rt:10 1rt:11", {10, RX, INDEX, 0},
		       {11, RX, INDEX, 1});
}

static void nothing_known_makes_no_unit(void **state)
{
	(void)state;
	assert_vectors(2, 2, 1, "rx 0 0 tx 0 0 |", {10, SLOW, INDEX, 0});
}

static void queues_of_one_interrupt_are_under_the_lowest_index(void **state)
{
	struct nb_queue_map map;
	g_autofree char *text = NULL;
	int rx[4], tx[4];

	(void)state;
	nb_queue_map_init(&map, 4, 4);
	for (unsigned i = 0; i < 4; i++)
		map.rx[i] = map.tx[i] = 10 + i % 2;
	assert_true(nb_queue_map_is_complete(&map));
	text = describe(&map, rx, tx);
	assert_string_equal(text, "rx 10 11 10 11 tx 10 11 10 11 | 0rt:10 1rt:11");
	for (int i = 0; i < 4; i++) {
		assert_int_equal(rx[i], i % 2);
		assert_int_equal(tx[i], i % 2);
	}
	nb_queue_map_clear(&map);
}

static void a_transmit_interrupt_shared_with_another_index_stays_there(void **state)
{
	struct nb_queue_map map;
	g_autofree char *text = NULL;
	int rx[2], tx[3];

	(void)state;
	nb_queue_map_init(&map, 2, 3);
	map.rx[0] = 10;
	map.rx[1] = 12;
	map.tx[0] = map.tx[1] = 11;
	map.tx[2] = 13;
	text = describe(&map, rx, tx);
	assert_string_equal(text, "rx 10 12 tx 11 11 13 | 0rt:10,11 1r:12 2t:13");
	assert_int_equal(tx[1], 0);
	assert_int_equal(tx[2], 2);
	nb_queue_map_clear(&map);
}

static void what_a_queue_receives_on_is_deferred_or_threaded_as_its_napi_is(void **state)
{
	g_autoptr(GArray) queues = g_array_new(FALSE, FALSE, sizeof(struct nb_queue));
	struct nb_queue_map map;
	int rx[2], tx[2];

	(void)state;
	nb_queue_map_init(&map, 2, 2);
	map.rx[0] = 10;
	map.rx[1] = 11;
	map.rx_defers[1] = true;
	map.rx_threads[1] = 901;
	nb_queue_map_units(&map, 7, queues, rx, tx);
	assert_int_equal(queues->len, 2);
	assert_false(g_array_index(queues, struct nb_queue, 0).defers);
	assert_true(g_array_index(queues, struct nb_queue, 1).defers);
	assert_int_equal(g_array_index(queues, struct nb_queue, 0).thread, 0);
	assert_int_equal(g_array_index(queues, struct nb_queue, 1).thread, 901);
	nb_queue_map_clear(&map);
}

/* What is switched is looked up by that number. */
static void whether_a_thread_polls_a_unit_is_that_of_the_queue_of_its_number(void **state)
{
	g_autoptr(GArray) queues = g_array_new(FALSE, FALSE, sizeof(struct nb_queue));
	struct nb_queue_map map;
	int rx[3], tx[3];

	(void)state;
	nb_queue_map_init(&map, 3, 3);
	map.rx[0] = map.rx[2] = 10;
	map.rx[1] = 11;
	map.rx_threading[0] = NB_THREADING_OFF;
	map.rx_threading[1] = map.rx_threading[2] = NB_THREADING_ON;
	nb_queue_map_units(&map, 7, queues, rx, tx);
	assert_int_equal(queues->len, 2);
	assert_int_equal(g_array_index(queues, struct nb_queue, 0).threading, NB_THREADING_OFF);
	assert_int_equal(g_array_index(queues, struct nb_queue, 1).threading, NB_THREADING_ON);
	nb_queue_map_clear(&map);
}

static void complete_means_every_receive_queue(void **state)
{
	struct nb_queue_map map;

	(void)state;
	nb_queue_map_init(&map, 2, 1);
	assert_true(nb_queue_map_is_empty(&map));
	assert_false(nb_queue_map_is_complete(&map));
	map.rx[0] = 5;
	assert_false(nb_queue_map_is_empty(&map));
	assert_false(nb_queue_map_is_complete(&map));
	map.rx[1] = 6;
	assert_true(nb_queue_map_is_complete(&map));
	nb_queue_map_clear(&map);

	nb_queue_map_init(&map, 0, 0);
	assert_false(nb_queue_map_is_complete(&map));
	nb_queue_map_clear(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_indexes_whatever_their_order),
		cmocka_unit_test(two_interrupts_of_one_index_are_one_unit),
		cmocka_unit_test(vectors_of_inactive_queues_are_left_out),
		cmocka_unit_test(ranks_close_the_gaps),
		cmocka_unit_test(ranks_that_were_cut_off_go_by_their_interrupts),
		cmocka_unit_test(the_second_half_receives),
		cmocka_unit_test(the_bare_name_is_the_link_beside_queues),
		cmocka_unit_test(a_single_bare_vector_serves_every_queue),
		cmocka_unit_test(several_bare_vectors_go_by_their_numbers),
		cmocka_unit_test(transmit_rides_on_receive_where_no_vector_transmits),
		cmocka_unit_test(nothing_known_makes_no_unit),
		cmocka_unit_test(queues_of_one_interrupt_are_under_the_lowest_index),
		cmocka_unit_test(a_transmit_interrupt_shared_with_another_index_stays_there),
		cmocka_unit_test(what_a_queue_receives_on_is_deferred_or_threaded_as_its_napi_is),
		cmocka_unit_test(whether_a_thread_polls_a_unit_is_that_of_the_queue_of_its_number),
		cmocka_unit_test(complete_means_every_receive_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
