/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader/loader.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static uint32_t inode(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 ? 0 : (uint32_t)st.st_ino;
}

/* A socket tells its namespace to a process with CAP_NET_ADMIN there (net/socket.c sock_ioctl()),
 * without /proc. */
uint32_t nb_loader_own_netns(void)
{
	int fd, netns;
	uint32_t result = 0;

	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	netns = ioctl(fd, SIOCGSKNS);
	if (netns >= 0) {
		result = inode(netns);
		close(netns);
	}
	close(fd);
	return result;
}
