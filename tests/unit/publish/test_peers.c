/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/listener.h"

#include "unit/publish/protocol.h"

static int listening(void **state)
{
	make_dir(state);
	return listen_at(*state);
}

static bool is_closed(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

/* The client's end of the newest peer, if it is let in. */
static int connect_peer(struct listening *l)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	nb_listener_add_peer(l->listener, fds[0]);
	return fds[1];
}

static void peers_are_told_apart_by_name(void **state)
{
	struct listening *l = *state;
	int first = connect_peer(l), second = connect_peer(l);

	assert_string_equal(nb_listener_peer(l->listener, 0)->name, "mute:1");
	assert_string_equal(nb_listener_peer(l->listener, 1)->name, "mute:2");
	/* A name is not given again. */
	nb_peer_drop(nb_listener_peer(l->listener, 1));
	assert_true(is_closed(second));
	close(second);
	second = connect_peer(l);
	assert_string_equal(nb_listener_peer(l->listener, 1)->name, "mute:3");
	close(first);
	close(second);
}

static void the_end_of_one_that_holds_orders_is_theirs(void **state)
{
	struct listening *l = *state;
	int holder = connect_peer(l), other = connect_peer(l);

	nb_peer_hold(nb_listener_peer(l->listener, 0));
	nb_peer_drop(nb_listener_peer(l->listener, 1));
	assert_null(l->ended);
	nb_peer_drop(nb_listener_peer(l->listener, 0));
	assert_string_equal(l->ended, "mute:1");
	close(holder);
	close(other);
}

static void all_end_with_the_listener(void **state)
{
	struct listening *l = *state;
	int holder = connect_peer(l);

	nb_peer_hold(nb_listener_peer(l->listener, 0));
	g_clear_pointer(&l->listener, nb_listener_free);
	assert_string_equal(l->ended, "mute:1");
	assert_true(is_closed(holder));
	close(holder);
}

static void one_that_cannot_be_served_is_closed(void **state)
{
	struct listening *l = *state;
	int fd;

	l->refuses = true;
	fd = connect_peer(l);
	assert_int_equal(l->listener->peers->len, 0);
	assert_true(is_closed(fd));
	close(fd);
}

static void one_that_holds_orders_has_no_deadline(void **state)
{
	struct listening *l = *state;
	int fd = connect_peer(l), enabled = -1;
	struct nb_peer *peer = nb_listener_peer(l->listener, 0);

	nb_peer_hold(peer);
	nb_peer_called(peer);
	assert_true(sd_event_source_get_enabled(peer->deadline, &enabled) >= 0);
	assert_int_equal(enabled, SD_EVENT_OFF);
	close(fd);
}

#define PEER_TEST(name) cmocka_unit_test_setup_teardown(name, listening, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PEER_TEST(peers_are_told_apart_by_name),
		PEER_TEST(the_end_of_one_that_holds_orders_is_theirs),
		PEER_TEST(all_end_with_the_listener),
		PEER_TEST(one_that_cannot_be_served_is_closed),
		PEER_TEST(one_that_holds_orders_has_no_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
