/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clients that mean ill, or nothing: the loop goes on, and what they hold is bounded. */
#include "bus/canned.h"
#include "bus/client.h"
#include "publish/bus_internal.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct loop {
	char *dir, *path;
	sd_event *event;
	struct nb_bus *bus;
	struct canned canned;
};

static int set_up(void **state)
{
	struct loop *loop = g_new0(struct loop, 1);

	loop->dir = nb_tmp_make();
	assert_int_equal(chmod(loop->dir, 0755), 0);
	loop->path = g_build_filename(loop->dir, "bus", NULL);
	canned_init(&loop->canned);
	assert_true(sd_event_new(&loop->event) >= 0);
	assert_int_equal(nb_bus_new(loop->event, loop->path, false, &canned_handlers, &loop->canned,
				    &loop->bus),
			 0);
	loop->canned.bus = loop->bus;
	*state = loop;
	return 0;
}

static int tear_down(void **state)
{
	struct loop *loop = *state;

	nb_bus_free(loop->bus);
	sd_event_unref(loop->event);
	canned_clear(&loop->canned);
	nb_tmp_remove(loop->dir);
	g_free(loop->path);
	g_free(loop);
	return 0;
}

/* Until there is nothing left to do. A loop that a client could block would hang here. */
static void run(struct loop *loop)
{
	while (sd_event_run(loop->event, 0) > 0)
		;
}

static int connect_raw(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

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

static unsigned n_peers(const struct loop *loop)
{
	return loop->bus->listener->peers->len;
}

static int on_answer(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	bool *answered = userdata;

	(void)error;
	assert_false(sd_bus_message_is_method_error(reply, NULL));
	*answered = true;
	return 0;
}

/* Connects and makes one call, both sides in this thread. */
static sd_bus *connect_and_call(struct loop *loop)
{
	sd_bus *bus = connect_private(loop->path);
	bool answered = false;

	assert_true(sd_bus_call_method_async(bus, NULL, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE,
					     "Describe", on_answer, &answered, NULL) >= 0);
	while (!answered) {
		run(loop);
		assert_true(sd_bus_process(bus, NULL) >= 0);
	}
	return bus;
}

static int on_document(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	char **ret = userdata;
	const char *text;

	(void)error;
	assert_true(sd_bus_message_read(reply, "s", &text) >= 0);
	*ret = g_strdup(text);
	return 0;
}

static json_t *ask_document(struct loop *loop)
{
	sd_bus *bus = connect_private(loop->path);
	g_autofree char *text = NULL;

	assert_true(sd_bus_call_method_async(bus, NULL, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE,
					     "Describe", on_document, &text, NULL) >= 0);
	while (!text) {
		run(loop);
		assert_true(sd_bus_process(bus, NULL) >= 0);
	}
	sd_bus_close_unref(bus);
	return json_loads(text, 0, NULL);
}

/* Of the document that a client gets now. */
static uint64_t cycles_told(struct loop *loop)
{
	json_t *document = ask_document(loop);
	const json_t *daemon = json_object_get(document, "daemon");
	uint64_t cycles = (uint64_t)json_integer_value(json_object_get(daemon, "cycles"));

	json_decref(document);
	return cycles;
}

static void a_document_is_made_once_until_something_changes(void **state)
{
	struct loop *loop = *state;

	loop->canned.status.cycles = 7;
	assert_int_equal(cycles_told(loop), 7);
	loop->canned.status.cycles = 8;
	assert_int_equal(cycles_told(loop), 7);
	nb_bus_forget_document(loop->bus);
	assert_int_equal(cycles_told(loop), 8);

	loop->canned.status.cycles = 9;
	nb_bus_emit_changed(loop->bus);
	assert_int_equal(cycles_told(loop), 9);
	loop->canned.status.cycles = 10;
	nb_bus_emit_record(loop->bus, &loop->canned.status.history[0]);
	assert_int_equal(cycles_told(loop), 10);
}

static void a_silent_client_holds_up_nobody(void **state)
{
	struct loop *loop = *state;
	int silent = connect_raw(loop->path), half = connect_raw(loop->path);
	sd_bus *bus;

	assert_int_equal(send(half, "\0AUTH EXT", 9, 0), 9);
	bus = connect_and_call(loop);
	assert_int_equal(n_peers(loop), 3);

	sd_bus_close_unref(bus);
	close(silent);
	close(half);
	run(loop);
	assert_int_equal(n_peers(loop), 0);
}

static void make_due(struct nb_peer *peer)
{
	assert_true(sd_event_source_set_time(peer->deadline, 0) >= 0);
	assert_true(sd_event_source_set_time_accuracy(peer->deadline, 1) >= 0);
}

static void a_client_that_never_calls_is_let_go(void **state)
{
	struct loop *loop = *state;
	int silent = connect_raw(loop->path);

	run(loop);
	assert_int_equal(n_peers(loop), 1);
	make_due(nb_listener_peer(loop->bus->listener, 0));
	run(loop);
	assert_int_equal(n_peers(loop), 0);
	assert_true(is_closed(silent));
	close(silent);
}

static void each_call_gives_a_client_more_time(void **state)
{
	struct loop *loop = *state;
	sd_bus *bus = connect_and_call(loop);
	struct nb_peer *peer = nb_listener_peer(loop->bus->listener, 0);
	uint64_t now = 0, due = 0;

	assert_true(sd_event_now(loop->event, CLOCK_MONOTONIC, &now) >= 0);
	assert_true(sd_event_source_get_time(peer->deadline, &due) >= 0);
	assert_true(due > now + PEER_FIRST_CALL_USEC);

	make_due(peer);
	run(loop);
	assert_int_equal(n_peers(loop), 0);
	sd_bus_close_unref(bus);
}

/* What it ordered lasts as long as its connection. */
static void a_client_that_holds_an_order_may_be_silent(void **state)
{
	struct loop *loop = *state;
	sd_bus *bus;
	bool answered = false;

	if (geteuid() != 0)
		nb_skip("only root may order anything");
	bus = connect_and_call(loop);
	assert_true(sd_bus_call_method_async(bus, NULL, NB_BUS_NAME, NB_BUS_PATH, NB_BUS_INTERFACE,
					     "Ban", on_answer, &answered, "sstb", "2", "",
					     UINT64_C(0), 1) >= 0);
	while (!answered) {
		run(loop);
		assert_true(sd_bus_process(bus, NULL) >= 0);
	}
	assert_int_equal(loop->canned.status.n_orders, 3);
	make_due(nb_listener_peer(loop->bus->listener, 0));
	run(loop);
	assert_int_equal(n_peers(loop), 1);
	sd_bus_close_unref(bus);
	run(loop);
	assert_int_equal(n_peers(loop), 0);
	assert_int_equal(loop->canned.status.n_orders, 2);
}

static void what_is_no_dbus_ends_the_connection(void **state)
{
	static const char junk[] = "GET / HTTP/1.1\r\n\r\n";
	struct loop *loop = *state;
	int fd = connect_raw(loop->path);

	assert_true(send(fd, junk, sizeof(junk), 0) > 0);
	run(loop);
	assert_int_equal(n_peers(loop), 0);
	assert_true(is_closed(fd));
	close(fd);
}

static void no_client_too_many(void **state)
{
	struct loop *loop = *state;
	int fds[PEERS_MAX + 1];

	if (geteuid() != 0)
		nb_skip("only root may have as many connections");
	for (unsigned i = 0; i < G_N_ELEMENTS(fds); i++)
		fds[i] = connect_raw(loop->path);
	run(loop);
	assert_int_equal(n_peers(loop), PEERS_MAX);
	assert_true(is_closed(fds[PEERS_MAX]));
	assert_false(is_closed(fds[0]));

	/* One goes, and the next finds room. */
	close(fds[0]);
	fds[0] = -1;
	run(loop);
	assert_int_equal(n_peers(loop), PEERS_MAX - 1);
	fds[0] = connect_raw(loop->path);
	run(loop);
	assert_int_equal(n_peers(loop), PEERS_MAX);
	for (unsigned i = 0; i < G_N_ELEMENTS(fds); i++)
		close(fds[i]);
}

/* The kernel notes the effective user of whoever calls connect(2) (net/unix/af_unix.c
 * init_peercred), so that one may become root again afterwards. */
static void one_user_cannot_lock_root_out(void **state)
{
	struct loop *loop = *state;
	int fds[PEERS_MAX];
	sd_bus *bus;

	if (geteuid() != 0)
		nb_skip("only root can become another user");
	assert_int_equal(seteuid(65534), 0);
	for (unsigned i = 0; i < G_N_ELEMENTS(fds); i++)
		fds[i] = connect_raw(loop->path);
	assert_int_equal(seteuid(0), 0);
	run(loop);
	assert_int_equal(n_peers(loop), PEERS_PER_USER_MAX);

	bus = connect_and_call(loop);
	assert_int_equal(n_peers(loop), PEERS_PER_USER_MAX + 1);
	sd_bus_close_unref(bus);
	for (unsigned i = 0; i < G_N_ELEMENTS(fds); i++)
		close(fds[i]);
}

static void a_client_that_reads_nothing_is_let_go(void **state)
{
	struct loop *loop = *state;
	sd_bus *bus = connect_and_call(loop);
	unsigned told = 0;

	while (n_peers(loop) > 0 && told < 100000) {
		nb_bus_emit_record(loop->bus, &loop->canned.status.history[0]);
		run(loop);
		told++;
	}
	assert_int_equal(n_peers(loop), 0);
	sd_bus_close_unref(bus);
}

static void the_socket_is_gone_after_the_daemon(void **state)
{
	struct loop *loop = *state;

	assert_true(g_file_test(loop->path, G_FILE_TEST_EXISTS));
	nb_bus_free(loop->bus);
	loop->bus = NULL;
	assert_false(g_file_test(loop->path, G_FILE_TEST_EXISTS));
}

static void a_second_daemon_leaves_the_socket_of_the_first(void **state)
{
	struct loop *loop = *state;
	struct nb_bus *second = NULL;
	sd_bus *bus;

	assert_int_equal(nb_bus_new(loop->event, loop->path, false, &canned_handlers, &loop->canned,
				    &second),
			 -EADDRINUSE);
	assert_null(second);
	bus = connect_and_call(loop);
	sd_bus_close_unref(bus);
}

#define PEER_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PEER_TEST(a_document_is_made_once_until_something_changes),
		PEER_TEST(a_silent_client_holds_up_nobody),
		PEER_TEST(a_client_that_never_calls_is_let_go),
		PEER_TEST(each_call_gives_a_client_more_time),
		PEER_TEST(a_client_that_holds_an_order_may_be_silent),
		PEER_TEST(what_is_no_dbus_ends_the_connection),
		PEER_TEST(no_client_too_many),
		PEER_TEST(one_user_cannot_lock_root_out),
		PEER_TEST(a_client_that_reads_nothing_is_let_go),
		PEER_TEST(the_socket_is_gone_after_the_daemon),
		PEER_TEST(a_second_daemon_leaves_the_socket_of_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
