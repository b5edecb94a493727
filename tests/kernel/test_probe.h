/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The probe on this kernel, and packets for it: UDP from vv0 to vv1, where nobody takes them. */

#include "bpf/probe_internal.h"
#include "kernel/test_netlink.h"
#include "loader/loader.h"
#include "support/loading.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NO_SUCH_IFINDEX 1000000

/* The flows are spread over the four queues by their source ports. */
#define FLOWS 64

struct bench {
	nb_probe *probe;
	bool typed;
	int ifindex; /* vv1 */
	int fds[FLOWS];
	cpu_set_t cpus; /* of this process */
};

static inline void load(bool typed, struct nb_loaded *ret)
{
	static char log[65536];
	int r = nb_loader_load(typed, ret, log, sizeof(log));

	ret->result = r;
	if (r < 0)
		g_snprintf(ret->reason, sizeof(ret->reason), "%s: %s", g_strerror(-r), log);
}

static inline void load_typed(struct nb_loaded *ret)
{
	load(true, ret);
}

static inline void load_raw(struct nb_loaded *ret)
{
	load(false, ret);
}

/* A probe of the flavour that the test asks for, not of the first that works. */
static inline void load_probe(bool typed, nb_probe **ret)
{
	g_autofree char *reason = NULL;
	struct nb_loaded loaded;

	nb_await_loaded(typed ? load_typed : load_raw, &loaded);
	if (nb_probe_adopt(&loaded, ret, &reason) < 0)
		fail_msg("%s", reason);
	assert_int_equal(nb_probe_attach(*ret), 0);
	nb_probe_measure(*ret, true);
}

static inline void scope(struct bench *bench, int ifindex)
{
	assert_int_equal(nb_probe_set_scope(bench->probe, &ifindex, 1, NULL, 0), 0);
}

static inline struct nb_probe_view view(const struct bench *bench)
{
	struct nb_probe_view view;

	nb_probe_view(bench->probe, &view);
	return view;
}

static inline int connect_udp_to(const char *address)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(inet_pton(AF_INET, address, &to.sin_addr), 1);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

static inline void send_packets(const struct bench *bench, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(send(bench->fds[i % FLOWS], "x", 1, 0), 1);
}

/* What the kernel does in its own time (ksoftirqd, threads of NAPIs) is waited for; ten seconds are
 * for ever. */
#define await(condition)                                                      \
	do {                                                                  \
		gint64 until = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;  \
                                                                              \
		while (!(condition)) {                                        \
			if (g_get_monotonic_time() > until)                   \
				fail_msg("for ten seconds not: " #condition); \
			sched_yield();                                        \
		}                                                             \
	} while (0)

/* On each CPU a softirq, since polls count only after one: a thread of a NAPI may come earlier. */
static inline void settle_cpus(const struct bench *bench)
{
	for (unsigned cpu = 0; cpu < view(bench).n_cpus; cpu++) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
		send_packets(bench, 1);
		await(view(bench).cpus[cpu].softirqs > 0);
	}
	assert_int_equal(sched_setaffinity(0, sizeof(bench->cpus), &bench->cpus), 0);
}

/* What the probe has booked so far: nanoseconds, and packets of NAPIs in scope. */
struct times {
	uint64_t net_rx, backlog, other, onward, polls;
	uint64_t packets;
};

static inline struct times take(const struct bench *bench)
{
	struct nb_probe_view now = view(bench);
	struct times times = {0};

	for (unsigned i = 0; i < now.n_cpus; i++) {
		times.net_rx += now.cpus[i].softirq_nsec[NB_PROBE_NET_RX];
		times.backlog += now.cpus[i].backlog_nsec;
		times.other += now.cpus[i].other_nsec;
		times.onward += now.cpus[i].onward_nsec;
	}
	for (unsigned i = 0; i < now.n_napis; i++) {
		times.polls += now.napis[i].poll_nsec;
		times.packets += now.napis[i].packets;
	}
	return times;
}

/* Loads the probe again, in a network namespace of its own, and returns to this one. */
static inline void load_probe_elsewhere(struct bench *bench)
{
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	assert_true(own >= 0);
	g_clear_pointer(&bench->probe, nb_probe_free);
	assert_int_equal(unshare(CLONE_NEWNET), 0);
	assert_int_not_equal(nb_loader_own_netns(), 0);
	load_probe(bench->typed, &bench->probe);
	assert_int_equal(setns(own, CLONE_NEWNET), 0);
	close(own);
}

static inline int set_up_bench(void **state)
{
	struct bench *bench = *state;

	(void)add_veth(NULL);
	run("ip link set vv1 address 02:00:00:00:00:01 addrgenmode none");
	run("ip link set vv0 addrgenmode none");
	run("ip address add 192.0.2.1/24 dev vv0");
	bring_up_with_napi();
	run("ip neighbour add 192.0.2.2 lladdr 02:00:00:00:00:01 dev vv0");
	bench->ifindex = (int)if_nametoindex("vv1");
	for (unsigned i = 0; i < FLOWS; i++)
		bench->fds[i] = connect_udp_to("192.0.2.2");
	load_probe(bench->typed, &bench->probe);
	assert_int_equal(sched_getaffinity(0, sizeof(bench->cpus), &bench->cpus), 0);
	settle_cpus(bench);
	return 0;
}

static inline int tear_down_bench(void **state)
{
	struct bench *bench = *state;

	g_clear_pointer(&bench->probe, nb_probe_free);
	for (unsigned i = 0; i < FLOWS; i++)
		close(bench->fds[i]);
	return del_veth(NULL);
}

/* False, having said why, where the kernel refuses every probe. /sys shows the namespace. */
static inline bool can_probe(void)
{
	g_autoptr(nb_probe) probe = NULL;
	g_autofree char *reason = NULL;

	if (nb_await_probe(&probe, &reason) < 0) {
		printf("skipped: %s\n", reason);
		return false;
	}
	return true;
}

static inline bool enter_private_sys(void)
{
	if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	    mount("sysfs", "/sys", "sysfs", 0, NULL) == 0)
		return true;
	printf("skipped: mounts of one's own take CAP_SYS_ADMIN: %s\n", g_strerror(errno));
	return false;
}

#define WITH_BENCH(test, bench)                                   \
	{                                                         \
#test, test, set_up_bench, tear_down_bench, bench \
	}

/* Both flavours, where there can be a probe. Returns what main() does. */
static inline int run_flavours(int (*run_flavour)(bool typed))
{
	if (!enter_namespace() || !enter_private_sys() || !can_probe())
		return NB_TEST_SKIPPED;
	return run_flavour(true) + run_flavour(false);
}
