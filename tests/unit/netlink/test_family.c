/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/family.h"
#include "support/support.h"

#include <errno.h>
#include <linux/genetlink.h>

static struct nl_msg *begin(void)
{
	struct nl_msg *msg = nlmsg_alloc();

	genlmsg_put(msg, 0, 1, GENL_ID_CTRL, 0, 0, CTRL_CMD_NEWFAMILY, 2);
	return msg;
}

static void put_ops(struct nl_msg *msg, const uint32_t *ids, unsigned n)
{
	struct nlattr *ops = nla_nest_start(msg, CTRL_ATTR_OPS);

	for (unsigned i = 0; i < n; i++) {
		struct nlattr *op = nla_nest_start(msg, (int)i + 1);

		assert_int_equal(nla_put_u32(msg, CTRL_ATTR_OP_ID, ids[i]), 0);
		assert_int_equal(nla_put_u32(msg, CTRL_ATTR_OP_FLAGS, 0x0c), 0);
		nla_nest_end(msg, op);
	}
	nla_nest_end(msg, ops);
}

static void put_groups(struct nl_msg *msg)
{
	static const char *const names[] = {"mgmt", "monitor", "page-pool"};
	struct nlattr *groups = nla_nest_start(msg, CTRL_ATTR_MCAST_GROUPS);

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		struct nlattr *group = nla_nest_start(msg, (int)i + 1);

		assert_int_equal(nla_put_u32(msg, CTRL_ATTR_MCAST_GRP_ID, 50 + i), 0);
		assert_int_equal(nla_put_string(msg, CTRL_ATTR_MCAST_GRP_NAME, names[i]), 0);
		nla_nest_end(msg, group);
	}
	nla_nest_end(msg, groups);
}

static void knows_its_commands_and_the_group_asked_for(void **state)
{
	static const uint32_t ids[] = {1, 10, 63, 64, 1000};
	g_autoptr(nl_msg) msg = begin();
	struct nb_family family;

	(void)state;
	assert_int_equal(nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, 31), 0);
	put_ops(msg, ids, G_N_ELEMENTS(ids));
	put_groups(msg);
	assert_int_equal(nb_family_parse(nlmsg_hdr(msg), "monitor", &family), 0);
	assert_int_equal(family.id, 31);
	assert_int_equal(family.group, 51);
	assert_true(nb_family_has(&family, 1));
	assert_true(nb_family_has(&family, 10));
	assert_true(nb_family_has(&family, 63));
	assert_false(nb_family_has(&family, 11));
	assert_false(nb_family_has(&family, 64));
	assert_false(nb_family_has(&family, 1000));
}

static void a_group_it_does_not_have_is_0(void **state)
{
	g_autoptr(nl_msg) msg = begin();
	struct nb_family family;

	(void)state;
	assert_int_equal(nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, 31), 0);
	put_groups(msg);
	assert_int_equal(nb_family_parse(nlmsg_hdr(msg), "other", &family), 0);
	assert_int_equal(family.group, 0);
	assert_int_equal(nb_family_parse(nlmsg_hdr(msg), NULL, &family), 0);
	assert_int_equal(family.group, 0);
	assert_int_equal(family.ops, 0);
}

static void an_answer_without_number_is_refused(void **state)
{
	g_autoptr(nl_msg) msg = begin();
	struct nb_family family = {.id = 5};

	(void)state;
	put_groups(msg);
	assert_int_equal(nb_family_parse(nlmsg_hdr(msg), "monitor", &family), -EBADMSG);
	assert_int_equal(family.id, 5);
}

static void a_malformed_command_is_refused(void **state)
{
	g_autoptr(nl_msg) msg = begin();
	struct nb_family family;
	struct nlattr *ops, *op;

	(void)state;
	assert_int_equal(nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, 31), 0);
	ops = nla_nest_start(msg, CTRL_ATTR_OPS);
	op = nla_nest_start(msg, 1);
	assert_int_equal(nla_put_u16(msg, CTRL_ATTR_OP_ID, 1), 0);
	nla_nest_end(msg, op);
	nla_nest_end(msg, ops);
	assert_int_equal(nb_family_parse(nlmsg_hdr(msg), NULL, &family), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_its_commands_and_the_group_asked_for),
		cmocka_unit_test(a_group_it_does_not_have_is_0),
		cmocka_unit_test(an_answer_without_number_is_refused),
		cmocka_unit_test(a_malformed_command_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
