/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/family.h"
#include "netlink/error.h"

#include <errno.h>
#include <linux/genetlink.h>

#define ATTRIBUTES_ROOM 64

struct nl_msg *nb_family_message(uint16_t family, unsigned command, int flags)
{
	return nb_family_message_with(family, command, flags, 0);
}

struct nl_msg *nb_family_message_with(uint16_t family, unsigned command, int flags, size_t room)
{
	struct nl_msg *msg = nlmsg_alloc_size(NLMSG_HDRLEN + GENL_HDRLEN + ATTRIBUTES_ROOM + room);

	if (!msg)
		g_error("Out of memory");
	genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, flags, (uint8_t)command, 1);
	return msg;
}

static int parse_op(struct nlattr *attr, uint64_t *ops)
{
	struct nla_policy policy[CTRL_ATTR_OP_MAX + 1] = {[CTRL_ATTR_OP_ID] = {.type = NLA_U32}};
	struct nlattr *tb[CTRL_ATTR_OP_MAX + 1];
	uint32_t id;

	if (nla_parse_nested(tb, CTRL_ATTR_OP_MAX, attr, policy) < 0 || !tb[CTRL_ATTR_OP_ID])
		return -EBADMSG;
	id = nla_get_u32(tb[CTRL_ATTR_OP_ID]);
	if (id < 64)
		*ops |= UINT64_C(1) << id;
	return 0;
}

static int parse_group(struct nlattr *attr, const char *wanted, uint32_t *group)
{
	struct nla_policy policy[CTRL_ATTR_MCAST_GRP_MAX + 1] = {
		[CTRL_ATTR_MCAST_GRP_NAME] = {.type = NLA_STRING},
		[CTRL_ATTR_MCAST_GRP_ID] = {.type = NLA_U32},
	};
	struct nlattr *tb[CTRL_ATTR_MCAST_GRP_MAX + 1];

	if (nla_parse_nested(tb, CTRL_ATTR_MCAST_GRP_MAX, attr, policy) < 0 ||
	    !tb[CTRL_ATTR_MCAST_GRP_NAME] || !tb[CTRL_ATTR_MCAST_GRP_ID])
		return -EBADMSG;
	if (g_strcmp0(nla_get_string(tb[CTRL_ATTR_MCAST_GRP_NAME]), wanted) == 0)
		*group = nla_get_u32(tb[CTRL_ATTR_MCAST_GRP_ID]);
	return 0;
}

int nb_family_parse(struct nlmsghdr *hdr, const char *group, struct nb_family *ret)
{
	struct nla_policy policy[CTRL_ATTR_MAX + 1] = {
		[CTRL_ATTR_FAMILY_ID] = {.type = NLA_U16},
		[CTRL_ATTR_OPS] = {.type = NLA_NESTED},
		[CTRL_ATTR_MCAST_GROUPS] = {.type = NLA_NESTED},
	};
	struct nlattr *tb[CTRL_ATTR_MAX + 1], *attr;
	struct nb_family family = {0};
	int r, left;

	if (genlmsg_parse(hdr, 0, tb, CTRL_ATTR_MAX, policy) < 0 || !tb[CTRL_ATTR_FAMILY_ID])
		return -EBADMSG;

	family.id = nla_get_u16(tb[CTRL_ATTR_FAMILY_ID]);
	if (tb[CTRL_ATTR_OPS])
		nla_for_each_nested(attr, tb[CTRL_ATTR_OPS], left)
		{
			r = parse_op(attr, &family.ops);
			if (r < 0)
				return r;
		}
	if (tb[CTRL_ATTR_MCAST_GROUPS])
		nla_for_each_nested(attr, tb[CTRL_ATTR_MCAST_GROUPS], left)
		{
			r = parse_group(attr, group, &family.group);
			if (r < 0)
				return r;
		}
	*ret = family;
	return 0;
}

struct resolving {
	const char *group;
	struct nb_family family;
};

static int take_family(struct nlmsghdr *hdr, void *userdata)
{
	struct resolving *resolving = userdata;

	return nb_family_parse(hdr, resolving->group, &resolving->family);
}

static void restart(void *userdata)
{
	struct resolving *resolving = userdata;

	resolving->family = (struct nb_family){0};
}

int nb_family_resolve(struct nb_port *port, const char *name, const char *group,
		      struct nb_family *ret)
{
	g_autoptr(nl_msg) msg = nb_family_message(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	struct resolving resolving = {.group = group};
	struct nb_sink sink = {take_family, restart, &resolving};
	int r;

	r = nb_nl_errno(nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, name));
	if (r < 0)
		return r;

	r = nb_port_request(port, msg, &sink);
	if (r < 0)
		return r;

	*ret = resolving.family;
	return 0;
}
