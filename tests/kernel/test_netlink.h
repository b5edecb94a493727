/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A network namespace of the test's own, with a pair of multi-queue veths: real queues, NAPIs and
 * events that touch nothing of the host. */

#include "support/support.h"

#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#define NB_TEST_SKIPPED 77

/* Runs a command that must succeed. */
static inline void run(const char *command)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	int status = 0;

	if (!g_spawn_command_line_sync(command, NULL, &text, &status, &error))
		fail_msg("%s: %s", command, error->message);
	if (status != 0)
		fail_msg("%s: %s", command, text);
}

static inline int add_veth(void **state)
{
	(void)state;
	run("ip link add vv0 numrxqueues 4 numtxqueues 4 type veth "
	    "peer name vv1 numrxqueues 4 numtxqueues 4");
	return 0;
}

static inline int del_veth(void **state)
{
	(void)state;
	run("ip link del vv1");
	return 0;
}

static inline void bring_up_with_napi(void)
{
	/* A veth has NAPIs of its own only with GRO (drivers/net/veth.c veth_napi_enable()), and
	 * its peer uses them only for packets that are not segmented later. */
	run("ethtool -K vv1 gro on");
	run("ethtool -K vv0 tso off gso off");
	run("ip link set vv0 up");
	run("ip link set vv1 up");
}

/* The pids of the kernel threads that poll the NAPIs of vv1, as many as there is room for. By name:
 * a veth does not link its queues to NAPIs, so netlink does not tell. Returns how many there are.
 */
static inline unsigned find_napi_threads(uint32_t *ret, unsigned room)
{
	g_autoptr(GDir) proc = g_dir_open("/proc", 0, NULL);
	const char *pid;
	unsigned n = 0;

	assert_non_null(proc);
	while ((pid = g_dir_read_name(proc))) {
		g_autofree char *path = g_strdup_printf("/proc/%s/comm", pid);
		g_autofree char *name = NULL;

		if (!g_file_get_contents(path, &name, NULL, NULL) ||
		    !g_str_has_prefix(name, "napi/vv1-"))
			continue;
		if (n < room)
			ret[n] = (uint32_t)strtoul(pid, NULL, 10);
		n++;
	}
	return n;
}

/* Leaves the host's network for good. False, having said why, where that is not possible. */
static inline bool enter_namespace(void)
{
	static const char *const programs[] = {"ip", "ethtool"};

	for (unsigned i = 0; i < G_N_ELEMENTS(programs); i++) {
		g_autofree char *path = g_find_program_in_path(programs[i]);

		if (!path) {
			printf("skipped: there is no %s here\n", programs[i]);
			return false;
		}
	}
	if (unshare(CLONE_NEWNET) < 0) {
		printf("skipped: a network namespace takes CAP_SYS_ADMIN: %s\n", g_strerror(errno));
		return false;
	}
	return true;
}

/* False, having said why, where it is not permitted. /sys shows the
 * namespace then, and /run is empty. */
static inline bool enter_private_mounts(void)
{
	if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	    mount("sysfs", "/sys", "sysfs", 0, NULL) == 0 &&
	    mount("tmpfs", "/run", "tmpfs", 0, "size=1m,mode=0755") == 0)
		return true;
	printf("skipped: mounts of one's own take CAP_SYS_ADMIN: %s\n", g_strerror(errno));
	return false;
}
