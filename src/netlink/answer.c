/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/answer.h"

#include <errno.h>

/* Both NLMSG_ERROR and NLMSG_DONE begin with an errno, 0 for success. */
static int finish(const struct nb_answer *answer, struct nlmsghdr *hdr)
{
	int error = 0;

	if (nlmsg_datalen(hdr) >= (int)sizeof(error))
		memcpy(&error, nlmsg_data(hdr), sizeof(error));
	if (error < 0)
		return error;
	return answer->interrupted ? -EINTR : 1;
}

int nb_answer_take(struct nb_answer *answer, void *buffer, size_t len, nb_answer_message message,
		   void *userdata)
{
	struct nlmsghdr *hdr = buffer;
	int r, left = (int)len;

	for (; nlmsg_ok(hdr, left); hdr = nlmsg_next(hdr, &left)) {
		if (hdr->nlmsg_seq != answer->seq || hdr->nlmsg_type == NLMSG_NOOP)
			continue;
		if (hdr->nlmsg_flags & NLM_F_DUMP_INTR)
			answer->interrupted = true;
		if (hdr->nlmsg_type == NLMSG_ERROR || hdr->nlmsg_type == NLMSG_DONE)
			return finish(answer, hdr);
		r = message(hdr, userdata);
		if (r < 0)
			return r;
	}
	return 0;
}
