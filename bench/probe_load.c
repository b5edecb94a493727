/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void run(const char *command)
{
	int status = 0;

	if (!g_spawn_command_line_sync(command, NULL, NULL, &status, NULL) || status != 0)
		g_error("cannot %s", command);
}

void nb_bench_enter_namespace(void)
{
	if (unshare(CLONE_NEWNET) < 0)
		g_error("a network namespace takes root");
}

static void set(const char *name, const char *value)
{
	g_autofree char *path = g_strdup_printf("/proc/sys/net/ipv4/%s", name);
	g_autoptr(GError) error = NULL;

	if (!g_file_set_contents_full(path, value, -1, G_FILE_SET_CONTENTS_NONE, 0644, &error))
		g_error("cannot set %s: %s", path, error->message);
}

/* What the receiving end has taken this host forwards to a device that drops it
 * (drivers/net/ifb.c ifb_xmit()). */
static void forward(void)
{
	set("ip_forward", "1");
	set("conf/all/rp_filter", "0");
	set("conf/vv1/rp_filter", "0");
	set("conf/vv1/accept_local", "1"); /* its sender is this host */
	run("ip link add sink type ifb");
	run("ip link set sink up");
	run("ip rule add iif vv1 table 100");
	run("ip route add default dev sink table 100");
}

/* With GRO the receiving end has NAPIs. */
int nb_bench_add_veth(void)
{
	run("ip link add vv0 type veth peer name vv1 address 02:00:00:00:00:01");
	run("ethtool -K vv1 gro on");
	run("ethtool -K vv0 tso off gso off tx-udp-segmentation off");
	run("ip address add 192.0.2.1/24 dev vv0");
	run("ip link set vv0 up");
	run("ip link set vv1 up");
	run("ip neighbour add 192.0.2.2 lladdr 02:00:00:00:00:01 dev vv0");
	forward();
	return (int)if_nametoindex("vv1");
}

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The segments of a datagram are made in one go, without a softirq in between
 * (net/core/dev.c validate_xmit_skb()). */
static int connect_udp(unsigned batch)
{
	int segment = 1;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, "192.0.2.2", &to.sin_addr);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		g_error("no UDP over the veths");
	if (batch > 1 && setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)) < 0)
		g_error("no segments of UDP datagrams");
	return fd;
}

/* By the receiving end and by the one that drops what is forwarded. */
static uint64_t packets_of(const char *device, unsigned column)
{
	g_autofree char *text = NULL;
	const char *line;

	if (!g_file_get_contents("/proc/thread-self/net/dev", &text, NULL, NULL))
		g_error("the devices' counters cannot be read");
	line = strstr(text, device);
	if (!line)
		g_error("there is no %s", device);
	line = strchr(line, ':') + 1;
	while (--column > 0) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	return g_ascii_strtoull(line, NULL, 10);
}

/* Segments that were sent as one packet would make a softirq look cheap. */
static void check(uint64_t received, uint64_t dropped, uint64_t sent)
{
	received = packets_of("vv1", 2) - received;
	dropped = packets_of("sink", 4) - dropped;
	if (received < sent / 100 * 99 || dropped < sent / 100 * 99)
		g_error("of %" G_GUINT64_FORMAT " packets %" G_GUINT64_FORMAT
			" were received and %" G_GUINT64_FORMAT " forwarded",
			sent, received, dropped);
}

struct nb_bench_load nb_bench_send(unsigned msec, unsigned batch)
{
	uint64_t until = now(CLOCK_MONOTONIC) + msec * 1000000ull;
	uint64_t began = now(CLOCK_THREAD_CPUTIME_ID);
	uint64_t received = packets_of("vv1", 2), dropped = packets_of("sink", 4);
	struct nb_bench_load load = {0};
	const char data[64] = {};
	int fd = connect_udp(batch);

	g_assert(batch <= sizeof(data));

	while (now(CLOCK_MONOTONIC) < until)
		for (unsigned i = 0; i < 256; i++)
			if (send(fd, data, batch, 0) == (ssize_t)batch)
				load.packets += batch;
	close(fd);
	load.cpu_nsec = now(CLOCK_THREAD_CPUTIME_ID) - began;
	if (load.packets == 0)
		g_error("nothing can be sent over the veths");
	check(received, dropped, load.packets);
	return load;
}
