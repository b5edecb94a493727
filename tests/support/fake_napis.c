/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/fake_napis.h"

#include "netlink/family.h"
#include "netlink/libnl.h"
#include "netlink/netdev_family.h"
#include "support/support.h"

#include <errno.h>

struct request {
	struct nb_fake_napis *napis;
	struct nlattr **tb;
	bool is_dump;
	int (*take)(struct nlmsghdr *hdr, void *userdata);
	void *taker;
};

static uint32_t number_of(const struct request *request, int attribute)
{
	assert_non_null(request->tb[attribute]);
	return nla_get_u32(request->tb[attribute]);
}

static void put(struct nl_msg *msg, int attribute, uint32_t value)
{
	assert_int_equal(nla_put_u32(msg, attribute, value), 0);
}

/* netdev_nl_queue_fill_one() */
static int tell_queue(const struct request *request, uint32_t type, unsigned index)
{
	const struct nb_fake_napis *napis = request->napis;
	g_autoptr(nl_msg) msg = nb_family_message(0, NB_NETDEV_QUEUE_GET, 0);

	put(msg, NB_NETDEV_QUEUE_ID, index);
	put(msg, NB_NETDEV_QUEUE_TYPE, type);
	put(msg, NB_NETDEV_QUEUE_IFINDEX, (uint32_t)napis->ifindex);
	if (!napis->unlinked && !napis->disabled)
		put(msg, NB_NETDEV_QUEUE_NAPI_ID, napis->first_id + index);
	return request->take(nlmsg_hdr(msg), request->taker);
}

static int get_queue(const struct request *request)
{
	const struct nb_fake_napis *napis = request->napis;
	int r = 0;

	if (number_of(request, NB_NETDEV_QUEUE_IFINDEX) != (uint32_t)napis->ifindex)
		return -ENODEV;
	if (request->is_dump) {
		for (unsigned i = 0; !napis->down && i < 2 * napis->n && r == 0; i++)
			r = tell_queue(request, i / napis->n, i % napis->n);
		return r;
	}
	if (napis->down)
		return -ENOENT;
	if (number_of(request, NB_NETDEV_QUEUE_ID) >= napis->n)
		return -EINVAL;
	return tell_queue(request, number_of(request, NB_NETDEV_QUEUE_TYPE),
			  number_of(request, NB_NETDEV_QUEUE_ID));
}

/* netdev_nl_napi_fill_one() */
static int tell_napi(const struct request *request, unsigned index)
{
	const struct nb_fake_napis *napis = request->napis;
	g_autoptr(nl_msg) msg = nb_family_message(0, NB_NETDEV_NAPI_GET, 0);

	put(msg, NB_NETDEV_NAPI_ID, napis->first_id + index);
	put(msg, NB_NETDEV_NAPI_IFINDEX, (uint32_t)napis->ifindex);
	if (!napis->old)
		put(msg, NB_NETDEV_NAPI_THREADED, napis->threaded[index]);
	return request->take(nlmsg_hdr(msg), request->taker);
}

static int find_napi(const struct request *request, unsigned *ret)
{
	const struct nb_fake_napis *napis = request->napis;
	uint32_t index = number_of(request, NB_NETDEV_NAPI_ID) - napis->first_id;

	if (napis->down || napis->disabled || index >= napis->n)
		return -ENOENT;
	*ret = index;
	return 0;
}

static int get_napi(const struct request *request)
{
	const struct nb_fake_napis *napis = request->napis;
	unsigned index;
	int r = 0;

	if (!request->is_dump) {
		r = find_napi(request, &index);
		return r < 0 ? r : tell_napi(request, index);
	}
	if (number_of(request, NB_NETDEV_NAPI_IFINDEX) != (uint32_t)napis->ifindex)
		return -ENODEV;
	for (unsigned i = napis->n; !napis->down && i-- > 0 && r == 0;)
		r = tell_napi(request, i);
	return r;
}

static int set_napi(const struct request *request)
{
	struct nb_fake_napis *napis = request->napis;
	unsigned index;
	int r;

	napis->n_sets++;
	if (napis->set_error < 0)
		return napis->set_error;
	r = find_napi(request, &index);
	if (r < 0)
		return r;
	napis->threaded[index] = number_of(request, NB_NETDEV_NAPI_THREADED);
	return 0;
}

int nb_fake_napis_answer(struct nb_fake_napis *napis, struct nlmsghdr *hdr,
			 int (*take)(struct nlmsghdr *hdr, void *userdata), void *taker)
{
	struct nlattr *tb[NB_NETDEV_NAPI_ATTRIBUTES + 1];
	const struct request request = {
		.napis = napis,
		.tb = tb,
		.is_dump = hdr->nlmsg_flags & NLM_F_DUMP,
		.take = take,
		.taker = taker,
	};

	assert_int_equal(genlmsg_parse(hdr, 0, tb, NB_NETDEV_NAPI_ATTRIBUTES, NULL), 0);
	switch (genlmsg_hdr(hdr)->cmd) {
	case NB_NETDEV_QUEUE_GET:
		return get_queue(&request);
	case NB_NETDEV_NAPI_GET:
		return get_napi(&request);
	case NB_NETDEV_NAPI_SET:
		return set_napi(&request);
	default:
		return -EOPNOTSUPP;
	}
}

static int answer(struct nlmsghdr *request, int (*take)(struct nlmsghdr *hdr, void *userdata),
		  void *taker, void *userdata)
{
	return nb_fake_napis_answer(userdata, request, take, taker);
}

void nb_fake_napis_attach(struct nb_fake_napis *napis, struct nb_netlink *netlink)
{
	assert_in_range(napis->n, 1, NB_FAKE_NAPIS_MAX);
	nb_netlink_set_netdev(netlink, answer, napis);
}

void nb_fake_napis_set_all(struct nb_fake_napis *napis, uint32_t threaded)
{
	for (unsigned i = 0; i < napis->n; i++)
		napis->threaded[i] = threaded;
}
