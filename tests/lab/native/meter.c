/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Says how many packets the lab's guest has served, again and again, at next to no cost: of the
 *nftables counter "served" in the table "ballast" (what has passed all rules), and of
 * /proc/net/softnet_stat (what the protocol layers of each CPU got). Runs in the guest.
 *
 *	meter MILLISECONDS [COUNT]
 *
 * A line "SECONDS SERVED CPU0 CPU1 ..." each so many milliseconds, COUNT times or until it is
 *killed; SECONDS is the time of day, as EPOCHREALTIME has it. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC 1000000000LL

struct request {
	struct nlmsghdr header;
	struct nfgenmsg family;
	char attributes[64];
};

static void die(const char *what)
{
	fprintf(stderr, "meter: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void add_attribute(struct request *request, uint16_t type, const void *data, size_t size)
{
	struct nlattr *attribute =
		(void *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));

	attribute->nla_type = type;
	attribute->nla_len = NLA_HDRLEN + size;
	memcpy((char *)attribute + NLA_HDRLEN, data, size);
	request->header.nlmsg_len =
		NLMSG_ALIGN(request->header.nlmsg_len) + NLA_ALIGN(attribute->nla_len);
}

static void ask(int fd)
{
	struct request request = {
		.header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct nfgenmsg)),
			   .nlmsg_type = NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETOBJ,
			   .nlmsg_flags = NLM_F_REQUEST},
		.family = {.nfgen_family = NFPROTO_INET},
	};
	uint32_t counter = htonl(NFT_OBJECT_COUNTER);

	add_attribute(&request, NFTA_OBJ_TABLE, "ballast", sizeof("ballast"));
	add_attribute(&request, NFTA_OBJ_NAME, "served", sizeof("served"));
	add_attribute(&request, NFTA_OBJ_TYPE, &counter, sizeof(counter));
	if (send(fd, &request, request.header.nlmsg_len, 0) < 0)
		die("cannot ask for the counter");
}

/* The attribute of that type among those in the size bytes at data, or NULL. */
static const struct nlattr *find_attribute(const char *data, size_t size, uint16_t type)
{
	const struct nlattr *attribute;

	while (size >= NLA_HDRLEN) {
		attribute = (const void *)data;
		if (attribute->nla_len < NLA_HDRLEN || attribute->nla_len > size)
			return NULL;
		if ((attribute->nla_type & NLA_TYPE_MASK) == type)
			return attribute;
		if ((size_t)NLA_ALIGN(attribute->nla_len) >= size)
			return NULL;
		data += NLA_ALIGN(attribute->nla_len);
		size -= NLA_ALIGN(attribute->nla_len);
	}
	return NULL;
}

static unsigned long long served(int fd)
{
	const size_t start = NLMSG_LENGTH(sizeof(struct nfgenmsg));
	char answer[2048] __attribute__((aligned(8)));
	const struct nlmsghdr *header = (void *)answer;
	const struct nlattr *data, *packets;
	uint32_t halves[2];
	ssize_t size;

	ask(fd);
	size = recv(fd, answer, sizeof(answer), 0);
	if (size < (ssize_t)start || header->nlmsg_type == NLMSG_ERROR)
		return 0; /* no rules, nothing served */
	data = find_attribute(answer + start, size - start, NFTA_OBJ_DATA);
	packets = data ? find_attribute((const char *)data + NLA_HDRLEN, data->nla_len - NLA_HDRLEN,
					NFTA_COUNTER_PACKETS)
		       : NULL;
	if (!packets || packets->nla_len < NLA_HDRLEN + sizeof(halves))
		return 0;
	memcpy(halves, (const char *)packets + NLA_HDRLEN, sizeof(halves));
	return (unsigned long long)ntohl(halves[0]) << 32 | ntohl(halves[1]);
}

/* Its first column, of each CPU. */
static void print_softnet(int fd)
{
	char text[8192], *line = text;
	ssize_t size;

	size = pread(fd, text, sizeof(text) - 1, 0);
	if (size < 0)
		die("softnet_stat");
	text[size] = '\0';
	while (*line) {
		printf(" %lu", strtoul(line, NULL, 16));
		line = strchr(line, '\n');
		if (!line)
			break;
		line++;
	}
}

int main(int argc, char **argv)
{
	const struct sched_param first = {.sched_priority = 1};
	struct sockaddr_nl address = {.nl_family = AF_NETLINK};
	long long step, count, next;
	struct timespec now;
	int fd, softnet;

	if (argc < 2) {
		fprintf(stderr, "usage: meter MILLISECONDS [COUNT]\n");
		return 2;
	}
	step = atoll(argv[1]) * 1000000;
	count = argc > 2 ? atoll(argv[2]) : -1;
	/* What it measures is a CPU that has time for nothing else. */
	sched_setscheduler(0, SCHED_FIFO, &first);
	softnet = open("/proc/net/softnet_stat", O_RDONLY | O_CLOEXEC);
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	if (softnet < 0 || fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die("cannot begin");

	clock_gettime(CLOCK_MONOTONIC, &now);
	next = now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
	for (; count != 0; count--) {
		unsigned long long packets = served(fd);

		clock_gettime(CLOCK_REALTIME, &now);
		printf("%lld.%06ld %llu", (long long)now.tv_sec, now.tv_nsec / 1000, packets);
		print_softnet(softnet);
		putchar('\n');
		fflush(stdout);
		next += step;
		now = (struct timespec){next / NSEC_PER_SEC, next % NSEC_PER_SEC};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &now, NULL);
	}
	return 0;
}
