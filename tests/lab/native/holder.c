/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holds the RTNL lock, as a driver does that resets its device: a kernel that copies the answer of
 *an ethtool request into memory that is not there waits with the lock held (net/ethtool/ioctl.c
 *dev_ethtool()) until it is provided (userfaultfd(2)). Says "held" when it does.
 *
 *	holder SECONDS */
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <linux/userfaultfd.h>
#include <net/if.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "holder: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The second of two pages is missing until somebody provides it. */
static char *map_pages(int fd, size_t page)
{
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	char *pages =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		die("mmap");
	range.range.start = (uintptr_t)pages + page;
	range.range.len = page;
	if (ioctl(fd, UFFDIO_REGISTER, &range) < 0)
		die("UFFDIO_REGISTER");
	return pages;
}

static int open_userfaultfd(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		die("userfaultfd");
	if (ioctl(fd, UFFDIO_API, &api) < 0)
		die("UFFDIO_API");
	return fd;
}

/* The command is in the page that is there, its answer in the other. */
static void *ask(void *userdata)
{
	struct ethtool_value *value = userdata;
	struct ifreq request = {.ifr_name = "lo", .ifr_data = (void *)value};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	value->cmd = ETHTOOL_GLINK;
	if (ioctl(fd, SIOCETHTOOL, &request) < 0)
		die("SIOCETHTOOL");
	return NULL;
}

int main(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned seconds = argc == 2 ? (unsigned)atoi(argv[1]) : 0;
	struct uffdio_zeropage zero = {};
	struct uffd_msg message;
	pthread_t thread;
	char *pages;
	int fd;

	if (seconds == 0) {
		fprintf(stderr, "usage: holder SECONDS\n");
		return 2;
	}
	fd = open_userfaultfd();
	pages = map_pages(fd, page);
	if (pthread_create(&thread, NULL, ask, pages + page - sizeof(uint32_t)))
		die("pthread_create");
	if (read(fd, &message, sizeof(message)) != sizeof(message))
		die("read");
	puts("held");
	fflush(stdout);
	sleep(seconds);
	zero.range.start = (uintptr_t)pages + page;
	zero.range.len = page;
	if (ioctl(fd, UFFDIO_ZEROPAGE, &zero) < 0)
		die("UFFDIO_ZEROPAGE");
	pthread_join(thread, NULL);
	return 0;
}
