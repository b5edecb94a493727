/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An application that polls the NIC for its packets (SO_BUSY_POLL, socket(7)) instead of waiting
 *for its interrupt. Runs in the guest, on the CPU where it is started, until it is killed.
 *
 *	poller PORT */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define POLL_USEC 10000

static void die(const char *what)
{
	fprintf(stderr, "poller: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int listen_on(uint16_t port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), usec = POLL_USEC;

	if (fd < 0)
		die("socket");
	if (setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &usec, sizeof(usec)) < 0)
		die("SO_BUSY_POLL");
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		die("bind");
	return fd;
}

int main(int argc, char **argv)
{
	char packet[2048];
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: poller PORT\n");
		return 1;
	}
	fd = listen_on((uint16_t)atoi(argv[1]));
	for (;;)
		if (recv(fd, packet, sizeof(packet), 0) < 0 && errno != EINTR)
			die("recv");
}
