/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into both daemons: what files and veth cannot give of a host's /proc and NICs. */
#include <dlfcn.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

/* stdio reads in blocks of st_blksize, which is 1024 in procfs (fs/proc/root.c proc_fill_super())
 * and a page where the files of the made-up machine are. */
#define PROC_BLOCK 1024
/* More than are ever open at once. */
#define BUFFERS 16

typedef FILE *(*open_fn)(const char *path, const char *mode);
typedef int (*ioctl_fn)(int fd, unsigned long request, ...);

static FILE *open_as_in_proc(const char *function, const char *path, const char *mode)
{
	static char buffers[BUFFERS][PROC_BLOCK];
	static unsigned next;
	FILE *file = ((open_fn)dlsym(RTLD_NEXT, function))(path, mode);

	/* With no buffer given glibc would go by st_blksize, whatever size is asked for. */
	if (file && strncmp(path, "/proc/", 6) == 0)
		setvbuf(file, buffers[next++ % BUFFERS], _IOFBF, PROC_BLOCK);
	return file;
}

FILE *fopen(const char *path, const char *mode)
{
	return open_as_in_proc("fopen", path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	return open_as_in_proc("fopen64", path, mode);
}

/* veth counts the packets of a queue for XDP alone: the suffix is taken away, so that the names are
 * those of most drivers. */
static void rename_one(char *name, const char *suffix)
{
	size_t len = strnlen(name, ETH_GSTRING_LEN), suffix_len = strlen(suffix);

	if (len > suffix_len && strcmp(name + len - suffix_len, suffix) == 0)
		memcpy(name + len - suffix_len, "_packets", sizeof("_packets"));
}

static void rename_packets(struct ethtool_gstrings *strings)
{
	for (uint32_t i = 0; i < strings->len; i++) {
		char *name = (char *)strings->data + (size_t)i * ETH_GSTRING_LEN;

		rename_one(name, "_xdp_packets");
		rename_one(name, "_xdp_xmit");
	}
}

/* Packets that come, as no traffic flows. */
static void add_packets(struct ethtool_stats *stats)
{
	static uint64_t packets;

	packets += 1000;
	for (uint32_t i = 0; i < stats->n_stats; i++)
		stats->data[i] += packets;
}

int ioctl(int fd, unsigned long request, ...)
{
	static ioctl_fn next;
	va_list args;
	void *argument;
	int r;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	if (!next)
		next = (ioctl_fn)dlsym(RTLD_NEXT, "ioctl");
	r = next(fd, request, argument);
	if (r == 0 && request == SIOCETHTOOL) {
		void *data = ((struct ifreq *)argument)->ifr_data;

		if (*(uint32_t *)data == ETHTOOL_GSTRINGS)
			rename_packets(data);
		else if (*(uint32_t *)data == ETHTOOL_GSTATS)
			add_packets(data);
	}
	return r;
}
