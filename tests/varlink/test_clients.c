/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clients that mean ill, or nothing. What is bounded whatever they speak is in
 * tests/unit/publish/test_peers.c and tests/bus/test_bus_peers.c. */
#include "varlink/fixture.h"

static int connect_raw(struct fixture *f)
{
	g_autofree char *path = socket_of(f);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static bool is_closed(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0 || errno == ECONNRESET;
}

static struct nb_peer *peer(const struct fixture *f, unsigned i)
{
	return nb_listener_peer(f->daemon->varlink->listener, i);
}

static void make_due(struct nb_peer *peer)
{
	assert_true(sd_event_source_set_time(peer->deadline, 0) >= 0);
	assert_true(sd_event_source_set_time_accuracy(peer->deadline, 1) >= 0);
}

static void one_that_never_calls_is_let_go(void **state)
{
	struct fixture *f = *state;
	int silent = connect_raw(f);

	run(f);
	assert_int_equal(n_peers(f), 1);
	make_due(peer(f, 0));
	run(f);
	assert_int_equal(n_peers(f), 0);
	assert_true(is_closed(silent));
	close(silent);
}

static void each_call_gives_more_time(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) client = {};
	uint64_t now = 0, due = 0;

	client_connect(f, &client);
	assert_done(&client, "List", "{}");
	assert_true(sd_event_now(f->daemon->event, CLOCK_MONOTONIC, &now) >= 0);
	assert_true(sd_event_source_get_time(peer(f, 0)->deadline, &due) >= 0);
	assert_true(due > now + PEER_FIRST_CALL_USEC);
	make_due(peer(f, 0));
	run(f);
	assert_int_equal(n_peers(f), 0);
}

static void one_that_waits_may_be_silent(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) holder = {}, subscriber = {};

	need_root();
	client_connect(f, &holder);
	assert_done(&holder, "Ban", "{\"cpus\": \"0\", \"whileConnected\": true}");
	client_connect(f, &subscriber);
	subscribe(&subscriber);
	make_due(peer(f, 0));
	make_due(peer(f, 1));
	run(f);
	assert_int_equal(n_peers(f), 2);
}

/* Of what was refused, nothing hangs on the connection. */
static void one_whose_order_was_refused_is_not_waited_for(void **state)
{
	struct fixture *f = *state;
	g_auto(scoped_client) client = {};

	need_root();
	client_connect(f, &client);
	assert_error(&client, "Ban", "{\"cpus\": \"0-7\", \"whileConnected\": true}",
		     ERROR_OF_OURS("NoCPULeft"));
	make_due(peer(f, 0));
	run(f);
	assert_int_equal(n_peers(f), 0);
}

static void what_is_no_varlink_ends_the_connection(void **state)
{
	static const char junk[] = "GET / HTTP/1.1\r\n\r\n";
	struct fixture *f = *state;
	int fd = connect_raw(f);

	assert_true(send(fd, junk, sizeof(junk), 0) > 0);
	run(f);
	assert_int_equal(n_peers(f), 0);
	assert_true(is_closed(fd));
	close(fd);
}

/* Calls are written as long as the socket takes them. */
static void one_that_reads_nothing_is_let_go(void **state)
{
	static const char list[] = "{\"method\": \"" NB_VARLINK_INTERFACE ".List\"}";
	struct fixture *f = *state;
	struct nb_order_request ban = ban_of("0");
	int fd = connect_raw(f);
	ssize_t sent = 0;

	obeyed(f, &ban);
	for (unsigned i = 0; i < 1000000 && (i == 0 || n_peers(f) > 0) && sent >= 0; i++) {
		sent = send(fd, list, sizeof(list), MSG_NOSIGNAL);
		if (sent < 0 && errno == EAGAIN)
			sent = 0;
		run(f);
	}
	assert_int_equal(n_peers(f), 0);
	close(fd);
}

static void the_socket_is_gone_after_the_daemon(void **state)
{
	struct fixture *f = *state;
	g_autofree char *path = socket_of(f);

	assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
	nb_daemon_free(f->daemon);
	f->daemon = NULL;
	assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

static void the_daemon_ends_with_its_clients(void **state)
{
	struct fixture *f = *state;
	struct client holder, subscriber;

	need_root();
	client_connect(f, &holder);
	assert_done(&holder, "Ban", "{\"cpus\": \"0\", \"whileConnected\": true}");
	client_connect(f, &subscriber);
	subscribe(&subscriber);
	nb_daemon_free(f->daemon);
	f->daemon = NULL;
	while (sd_varlink_process(holder.link) > 0)
		;
	assert_true(sd_varlink_is_idle(holder.link) != 0);
	sd_varlink_close_unref(holder.link);
	sd_varlink_close_unref(subscriber.link);
	sd_json_variant_unref(holder.reply);
	sd_json_variant_unref(subscriber.reply);
}

static void a_second_daemon_leaves_the_socket_of_the_first(void **state)
{
	struct fixture *f = *state;
	g_autofree char *path = socket_of(f);
	struct nb_varlink *second = NULL;
	g_auto(scoped_client) client = {};

	assert_int_equal(
		nb_varlink_new(f->daemon->event, path, &nb_daemon_handlers, f->daemon, &second),
		-EADDRINUSE);
	assert_null(second);
	client_connect(f, &client);
	assert_done(&client, "List", "{}");
}

#define SERVED(test) cmocka_unit_test_setup_teardown(test, serve, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVED(one_that_never_calls_is_let_go),
		SERVED(each_call_gives_more_time),
		SERVED(one_that_waits_may_be_silent),
		SERVED(one_whose_order_was_refused_is_not_waited_for),
		SERVED(what_is_no_varlink_ends_the_connection),
		SERVED(one_that_reads_nothing_is_let_go),
		SERVED(the_socket_is_gone_after_the_daemon),
		SERVED(the_daemon_ends_with_its_clients),
		SERVED(a_second_daemon_leaves_the_socket_of_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
