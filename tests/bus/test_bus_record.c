/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace over the bus, piece by piece. */
#include "bus/canned.h"
#include "bus/client.h"

#include <string.h>

static int record(sd_bus *bus, uint64_t cursor, struct nb_recorded *ret, sd_bus_message **ret_reply)
{
	int lost, r;

	r = sd_bus_call_method(bus, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE, "Record", NULL,
			       ret_reply, "t", cursor);
	if (r < 0)
		return r;
	r = sd_bus_message_read(*ret_reply, NB_BUS_RECORDED, &ret->cursor, &lost, &ret->text);
	ret->lost = lost;
	return r;
}

/* As another user, where an assertion would not be heard: 0 is what is hoped for. */
static int may_record(const void *data)
{
	g_autoptr(sd_bus) bus = connect_private(data);
	g_autoptr(sd_bus_message) first = NULL, second = NULL;
	struct nb_recorded piece;

	if (record(bus, 0, &piece, &first) < 0)
		return 1;
	if (piece.lost || *piece.text)
		return 2;
	if (record(bus, piece.cursor, &piece, &second) < 0)
		return 3;
	return !piece.lost && g_str_has_prefix(piece.text, "nicbalance-trace 2\n") ? 0 : 4;
}

static void everyone_may_record(void **state)
{
	struct server server;
	int r;

	(void)state;
	server_start(&server, NULL);
	r = as_nobody(may_record, server.socket);
	server_stop(&server);
	assert_int_equal(r, 0);
}

static void pieces_follow_each_other(void **state)
{
	sd_bus_message *replies[4] = {0};
	struct nb_recorded piece = {0};
	struct server server;
	sd_bus *bus;

	(void)state;
	server_start(&server, NULL);
	bus = connect_private(server.socket);
	assert_true(record(bus, 0, &piece, &replies[0]) > 0);
	assert_true(record(bus, piece.cursor, &piece, &replies[1]) > 0);
	assert_non_null(strstr(piece.text, "\nmachine 8 tick\n"));
	assert_null(strstr(piece.text, "eth0"));
	assert_true(record(bus, piece.cursor, &piece, &replies[2]) > 0);
	assert_false(piece.lost);
	assert_null(strstr(piece.text, "machine"));
	assert_true(g_str_has_suffix(piece.text, "\nend\n"));
	assert_true(record(bus, 1, &piece, &replies[3]) > 0);
	assert_true(piece.lost);
	assert_string_equal(piece.text, "");
	sd_bus_close_unref(bus);
	server_stop(&server);
	for (unsigned i = 0; i < G_N_ELEMENTS(replies); i++)
		sd_bus_message_unref(replies[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everyone_may_record),
		cmocka_unit_test(pieces_follow_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
