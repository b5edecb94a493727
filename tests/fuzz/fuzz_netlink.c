/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One datagram, whose messages each parser takes: outputs are in range, or untouched where the
 * parser says so, and a link that was told is known and not told again. The first messages are an
 * answer when they have number 1. */

#include "fuzz/fuzz.h"
#include "netlink/answer.h"
#include "netlink/family.h"
#include "netlink/links.h"
#include "netlink/messages.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#define UNTOUCHED 0x5a

static void check_queue(struct nlmsghdr *hdr)
{
	struct nb_netlink_queue queue, before;
	int r;

	memset(&queue, UNTOUCHED, sizeof(queue));
	before = queue;
	r = nb_message_parse_queue(hdr, &queue);
	FUZZ_CLAIM(r == 0 || r == -EBADMSG);
	if (r < 0)
		FUZZ_CLAIM(memcmp(&queue, &before, sizeof(queue)) == 0);
	else
		FUZZ_CLAIM((queue.direction == NB_QUEUE_RX || queue.direction == NB_QUEUE_TX) &&
			   queue.irq == 0);
}

static void check_napi(struct nlmsghdr *hdr)
{
	struct nb_napi napi, before;
	int r;

	memset(&napi, UNTOUCHED, sizeof(napi));
	before = napi;
	r = nb_message_parse_napi(hdr, &napi);
	FUZZ_CLAIM(r == 0 || (r == -EBADMSG && memcmp(&napi, &before, sizeof(napi)) == 0));
}

static void check_stats(struct nlmsghdr *hdr)
{
	struct nb_netlink_queue_stats stats, before;
	int r;

	memset(&stats, UNTOUCHED, sizeof(stats));
	before = stats;
	r = nb_message_parse_queue_stats(hdr, &stats);
	FUZZ_CLAIM(r == 0 || r == -EBADMSG || r == -ENODATA);
	if (r < 0)
		FUZZ_CLAIM(memcmp(&stats, &before, sizeof(stats)) == 0);
	else
		FUZZ_CLAIM(stats.direction == NB_QUEUE_RX ||
			   (stats.direction == NB_QUEUE_TX && !stats.counts_drops));
}

static void check_family(struct nlmsghdr *hdr)
{
	struct nb_family named, unnamed, before;
	int r;

	memset(&named, UNTOUCHED, sizeof(named));
	unnamed = before = named;
	r = nb_family_parse(hdr, "monitor", &named);
	FUZZ_CLAIM(r == 0 || r == -EBADMSG);
	FUZZ_CLAIM(nb_family_parse(hdr, NULL, &unnamed) == r);
	if (r < 0) {
		FUZZ_CLAIM(memcmp(&named, &before, sizeof(named)) == 0);
		return;
	}
	FUZZ_CLAIM(named.id == unnamed.id && named.ops == unnamed.ops && unnamed.group == 0);
	FUZZ_CLAIM(!nb_family_has(&named, 64));
}

static void check_queue_change(struct nlmsghdr *hdr)
{
	int ifindex = UNTOUCHED;

	FUZZ_CLAIM(nb_message_is_queue_change(hdr, &ifindex) || ifindex == UNTOUCHED);
}

static void check_link(struct nb_links *links, struct nlmsghdr *hdr)
{
	int ifindex = UNTOUCHED, again = UNTOUCHED;

	if (!nb_links_take(links, hdr, &ifindex))
		FUZZ_CLAIM(ifindex == UNTOUCHED);
	else
		FUZZ_CLAIM(hdr->nlmsg_type == RTM_NEWLINK || hdr->nlmsg_type == RTM_DELLINK);
	FUZZ_CLAIM(!nb_links_take(links, hdr, &again) && again == UNTOUCHED);
}

static int take(struct nlmsghdr *hdr, void *userdata)
{
	unsigned *n = userdata;

	(*n)++;
	check_queue(hdr);
	check_napi(hdr);
	check_stats(hdr);
	check_family(hdr);
	check_queue_change(hdr);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree void *buffer = g_malloc(size);
	g_autoptr(nb_links) links = nb_links_new();
	struct nb_answer answer = {.seq = 1};
	struct nlmsghdr *hdr = buffer;
	int left = (int)size, r;
	unsigned n = 0;

	if (size > 0)
		memcpy(buffer, data, size);
	r = nb_answer_take(&answer, buffer, size, take, &n);
	FUZZ_CLAIM(r <= 1 && n <= size / sizeof(*hdr));
	FUZZ_CLAIM(r != 1 || !answer.interrupted);
	for (; nlmsg_ok(hdr, left); hdr = nlmsg_next(hdr, &left)) {
		take(hdr, &n);
		check_link(links, hdr);
	}
	return 0;
}
