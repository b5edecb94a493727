/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/call.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t address(const void *memory)
{
	return (uint64_t)(uintptr_t)memory;
}

/* What is not set has to be zero (kernel/bpf/syscall.c CHECK_ATTR()), and an initialiser clears one
 * member of a union, no more. */
static void clear(union bpf_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
}

static int call(enum bpf_cmd command, union bpf_attr *attr)
{
	long r = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return r < 0 ? -errno : (int)r;
}

/* value is next_key as well. */
static int call_map(enum bpf_cmd command, int map, const void *key, const void *value)
{
	union bpf_attr attr;

	clear(&attr);
	attr.map_fd = (uint32_t)map;
	attr.key = address(key);
	attr.value = address(value);
	return call(command, &attr);
}

int nb_bpf_lookup(int map, const void *key, void *ret_value)
{
	return call_map(BPF_MAP_LOOKUP_ELEM, map, key, ret_value);
}

int nb_bpf_update(int map, const void *key, const void *value)
{
	return call_map(BPF_MAP_UPDATE_ELEM, map, key, value);
}

int nb_bpf_delete(int map, const void *key)
{
	return call_map(BPF_MAP_DELETE_ELEM, map, key, NULL);
}

int nb_bpf_next_key(int map, const void *key, void *ret_key)
{
	return call_map(BPF_MAP_GET_NEXT_KEY, map, key, ret_key);
}

int nb_bpf_run(int program, const void *context, size_t size)
{
	union bpf_attr attr;

	clear(&attr);
	attr.test.prog_fd = (uint32_t)program;
	attr.test.ctx_in = address(context);
	attr.test.ctx_size_in = (uint32_t)size;
	return call(BPF_PROG_TEST_RUN, &attr);
}

int nb_bpf_attach(int program, const char *name)
{
	union bpf_attr attr;

	clear(&attr);
	attr.raw_tracepoint.prog_fd = (uint32_t)program;
	attr.raw_tracepoint.name = address(name);
	return call(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

int nb_bpf_check_link(int fd)
{
	struct bpf_link_info info = {0};
	union bpf_attr attr;

	clear(&attr);
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = address(&info);
	return call(BPF_OBJ_GET_INFO_BY_FD, &attr);
}
