/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests and responses of some bytes over connections that stay, each with one request under way,
 *as netperf's TCP_RR and UDP_RR make them.
 *
 *	exchange serve PORT CONNECTIONS		in the guest, until it is killed
 *	exchange ask ASK ANSWER ADDRESS PORT	on the host, in the machine's network namespace,
 *until it is killed
 *
 * A process serves each connection; that of UDP is a port, from PORT on. ASK is a file that holds
 *"ID tcp|udp BYTES CONNECTIONS WARM SECONDS", and is read again all the time. What a new ID asks
 *for is done, and ANSWER becomes "ID RATE P50 P99 LOST": exchanges a second and their latency in
 *microseconds, of SECONDS after the first WARM ones; LOST counts connections that ended, and
 *datagrams that had no response in a second, of the whole time. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define USEC_PER_SEC 1000000LL
#define LOST_USEC USEC_PER_SEC
#define MAX_CONNECTIONS 256
#define MAX_BYTES 1024
#define MAX_LATENCIES 4000000

struct request {
	unsigned long id;
	bool tcp;
	unsigned int bytes, n_connections;
	unsigned int warm_seconds, seconds;
};

struct connection {
	int fd; /* -1: it ended */
	unsigned int received;
	long long asked_usec;
};

struct client {
	struct sockaddr_in server;
	struct request request;
	struct connection connections[MAX_CONNECTIONS];
	struct pollfd polled[MAX_CONNECTIONS];
	uint32_t latencies[MAX_LATENCIES];
	unsigned int n_latencies;
	unsigned long lost;
	long long counted_from_usec, end_usec;
};

static void die(const char *what)
{
	fprintf(stderr, "exchange: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long long now_usec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * USEC_PER_SEC + now.tv_nsec / 1000;
}

/* --- who serves --- */

static int open_server(int type, uint16_t port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_ANY),
	};
	int fd, yes = 1;

	fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	if (fd < 0)
		die("cannot make a socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die("cannot bind to the port");
	return fd;
}

static void serve_connection(int fd)
{
	char buffer[MAX_BYTES];
	int yes = 1;
	ssize_t n;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	while ((n = recv(fd, buffer, sizeof(buffer), 0)) > 0)
		if (send(fd, buffer, n, MSG_NOSIGNAL) != n)
			break;
	_exit(0);
}

static void serve_port(uint16_t port)
{
	struct sockaddr_in from;
	socklen_t size;
	char buffer[MAX_BYTES];
	int fd = open_server(SOCK_DGRAM, port);
	ssize_t n;

	for (;;) {
		size = sizeof(from);
		n = recvfrom(fd, buffer, sizeof(buffer), 0, (struct sockaddr *)&from, &size);
		if (n > 0)
			sendto(fd, buffer, n, 0, (struct sockaddr *)&from, size);
	}
}

static void serve(uint16_t port, unsigned int n_connections)
{
	int listener, fd;

	signal(SIGCHLD, SIG_IGN);
	for (unsigned int i = 0; i < n_connections; i++)
		if (fork() == 0)
			serve_port(port + i);
	listener = open_server(SOCK_STREAM, port);
	if (listen(listener, MAX_CONNECTIONS) < 0)
		die("cannot listen");
	for (;;) {
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		if (fork() == 0)
			serve_connection(fd);
		close(fd);
	}
}

/* --- who asks --- */

static void lose(struct client *client, struct connection *connection)
{
	client->lost++;
	close(connection->fd);
	connection->fd = -1;
}

static void ask(struct client *client, struct connection *connection)
{
	static const char payload[MAX_BYTES];

	connection->received = 0;
	connection->asked_usec = now_usec();
	if (send(connection->fd, payload, client->request.bytes, MSG_NOSIGNAL) < 0 &&
	    client->request.tcp)
		lose(client, connection);
}

static void connect_one(struct client *client, unsigned int i)
{
	struct connection *connection = &client->connections[i];
	struct sockaddr_in server = client->server;
	struct timeval patience = {.tv_sec = 5};
	int yes = 1;

	connection->fd =
		socket(AF_INET, (client->request.tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);
	if (connection->fd < 0)
		die("cannot make a socket");
	if (!client->request.tcp)
		server.sin_port = htons(ntohs(server.sin_port) + i);
	setsockopt(connection->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	if (connect(connection->fd, (struct sockaddr *)&server, sizeof(server)) < 0)
		lose(client, connection);
	else
		ask(client, connection);
}

static void note_latency(struct client *client, const struct connection *connection, long long now)
{
	if (now >= client->counted_from_usec && client->n_latencies < MAX_LATENCIES)
		client->latencies[client->n_latencies++] = (uint32_t)(now - connection->asked_usec);
}

static void receive(struct client *client, struct connection *connection)
{
	char buffer[MAX_BYTES];
	ssize_t n;

	n = recv(connection->fd, buffer, sizeof(buffer), MSG_DONTWAIT);
	if (n <= 0) {
		if (client->request.tcp && !(n < 0 && errno == EAGAIN))
			lose(client, connection);
		return;
	}
	connection->received += n;
	if (connection->received < client->request.bytes)
		return;
	note_latency(client, connection, now_usec());
	ask(client, connection);
}

/* A datagram that is lost is asked for again; TCP does that itself. */
static void ask_again(struct client *client)
{
	long long now = now_usec();

	for (unsigned int i = 0; i < client->request.n_connections; i++) {
		struct connection *connection = &client->connections[i];

		if (now - connection->asked_usec < LOST_USEC)
			continue;
		client->lost++;
		ask(client, connection);
	}
}

static void exchange(struct client *client)
{
	const struct request *request = &client->request;

	client->n_latencies = 0;
	client->lost = 0;
	client->counted_from_usec = now_usec() + request->warm_seconds * USEC_PER_SEC;
	client->end_usec = client->counted_from_usec + request->seconds * USEC_PER_SEC;
	for (unsigned int i = 0; i < request->n_connections; i++)
		connect_one(client, i);
	while (now_usec() < client->end_usec) {
		for (unsigned int i = 0; i < request->n_connections; i++)
			client->polled[i] =
				(struct pollfd){.fd = client->connections[i].fd, .events = POLLIN};
		poll(client->polled, request->n_connections, 100);
		for (unsigned int i = 0; i < request->n_connections; i++)
			if (client->polled[i].revents)
				receive(client, &client->connections[i]);
		if (!request->tcp)
			ask_again(client);
	}
	for (unsigned int i = 0; i < request->n_connections; i++)
		if (client->connections[i].fd >= 0)
			close(client->connections[i].fd);
}

static int ascending(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static void answer(struct client *client, const char *path)
{
	unsigned int n = client->n_latencies;
	char temporary[4096];
	FILE *file;

	qsort(client->latencies, n, sizeof(client->latencies[0]), ascending);
	snprintf(temporary, sizeof(temporary), "%s.new", path);
	file = fopen(temporary, "we");
	if (!file)
		die(temporary);
	fprintf(file, "%lu %.1f %u %u %lu\n", client->request.id,
		(double)n / client->request.seconds, n ? client->latencies[n / 2] : 0,
		n ? client->latencies[(unsigned long long)n * 99 / 100] : 0, client->lost);
	if (fclose(file) != 0 || rename(temporary, path) < 0)
		die(path);
}

/* False: there is nothing new to do. The file may be read while it is being written: then the next
 * look tells. */
static bool look(const char *path, struct request *request)
{
	struct request found;
	char protocol[4];
	FILE *file;
	int n;

	file = fopen(path, "re");
	if (!file)
		return false;
	n = fscanf(file, "%lu %3s %u %u %u %u\n", &found.id, protocol, &found.bytes,
		   &found.n_connections, &found.warm_seconds, &found.seconds);
	fclose(file);
	if (n != 6 || found.id == request->id || found.bytes < 1 || found.bytes > MAX_BYTES ||
	    found.n_connections > MAX_CONNECTIONS || found.seconds < 1)
		return false;
	found.tcp = strcmp(protocol, "tcp") == 0;
	*request = found;
	return true;
}

static void follow(const char *asked, const char *answered, const char *address, uint16_t port)
{
	static struct client client;

	client.server = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
	if (inet_pton(AF_INET, address, &client.server.sin_addr) != 1)
		die(address);
	for (;; usleep(20000)) {
		if (!look(asked, &client.request))
			continue;
		exchange(&client);
		answer(&client, answered);
	}
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "serve") == 0)
		serve((uint16_t)atoi(argv[2]), (unsigned int)atoi(argv[3]));
	else if (argc == 6 && strcmp(argv[1], "ask") == 0)
		follow(argv[2], argv[3], argv[4], (uint16_t)atoi(argv[5]));
	fprintf(stderr, "usage: exchange serve PORT CONNECTIONS\n"
			"       exchange ask ASK ANSWER ADDRESS PORT\n");
	return 2;
}
