/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/fake_rss.h"
#include "support/support.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <string.h>

struct fixture {
	struct nb_fake_rss rss;
	struct nb_netlink *netlink;
	GArray *entries;
	unsigned n_rings;
};

static int set_up(void **state)
{
	struct fixture *f = g_new0(struct fixture, 1);

	f->rss = (struct nb_fake_rss){.ifname = "eth0", .n = 8, .n_rings = 4, .hfunc = 1};
	nb_fake_rss_reset(&f->rss);
	assert_int_equal(nb_netlink_new_ethtool(&f->netlink), 0);
	nb_fake_rss_attach(&f->rss, f->netlink);
	f->entries = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nb_netlink_free(f->netlink);
	g_array_unref(f->entries);
	g_free(f);
	return 0;
}

static int get(struct fixture *f, const char *ifname)
{
	return nb_netlink_get_rss(f->netlink, ifname, f->entries, &f->n_rings);
}

static void assert_table(struct fixture *f, const char *expected)
{
	g_autofree char *text = nb_fake_rss_text(&f->rss);

	assert_string_equal(text, expected);
}

static void the_table_is_read_whole(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(get(f, "eth0"), 0);
	assert_int_equal(f->n_rings, 4);
	assert_int_equal(f->entries->len, 8);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(g_array_index(f->entries, uint32_t, i), i % 4);
	assert_int_equal(get(f, "eth0"), 0);
	assert_int_equal(f->entries->len, 8);
}

static void a_table_is_written_and_nothing_else_of_rss(void **state)
{
	static const uint32_t table[] = {0, 2, 0, 2, 2, 0, 2, 0};
	struct fixture *f = *state;

	f->rss.input_xfrm = 1;
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", table, 8), 0);
	assert_table(f, "0,2,0,2,2,0,2,0");
	assert_true(f->rss.configured);
	assert_int_equal(f->rss.hfunc, 1);
	assert_int_equal(f->rss.input_xfrm, 1);
}

static void a_reset_leaves_no_table_of_anyones(void **state)
{
	struct fixture *f = *state;

	nb_fake_rss_set(&f->rss, "3,3,3,3,3,3,3,3");
	f->rss.input_xfrm = 1;
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", NULL, 0), 0);
	assert_table(f, "0,1,2,3,0,1,2,3");
	assert_false(f->rss.configured);
	assert_int_equal(f->rss.input_xfrm, 1);
}

static void what_the_kernel_refuses_leaves_with_its_errno(void **state)
{
	static const uint32_t table[] = {0, 1, 4, 0, 0, 0, 0, 0};
	struct fixture *f = *state;

	assert_int_equal(get(f, "eth1"), -ENODEV);
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth1", table, 8), -ENODEV);
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", table, 8), -EINVAL);
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", table, 2), -EINVAL);
	f->rss.lacks_net_admin = true;
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", NULL, 0), -EPERM);
	f->rss.unsupported = true;
	assert_int_equal(get(f, "eth0"), -EOPNOTSUPP);
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", NULL, 0), -EOPNOTSUPP);
	assert_table(f, "0,1,2,3,0,1,2,3");
}

static void a_device_that_hashes_without_a_table_has_none(void **state)
{
	struct fixture *f = *state;

	f->rss.n = 0;
	assert_int_equal(get(f, "eth0"), -EOPNOTSUPP);
}

static void a_kernel_that_takes_a_message_is_sent_one(void **state)
{
	static const uint32_t table[] = {0, 2, 0, 2, 2, 0, 2, 0};
	struct fixture *f = *state;

	nb_fake_rss_attach_messages(&f->rss, f->netlink);
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", table, 8), 0);
	assert_table(f, "0,2,0,2,2,0,2,0");
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", NULL, 0), 0);
	assert_table(f, "0,1,2,3,0,1,2,3");
	assert_false(f->rss.configured);
	assert_int_equal(f->rss.n_messages, 2);
	assert_int_equal(f->rss.n_sets, 0);
}

static void what_a_kernel_overlooks_in_a_message_is_set_all_the_same(void **state)
{
	static const uint32_t late[] = {0, 1, 2, 3, 0, 1, 2, 0}, early[] = {1, 1, 2, 3, 0, 1, 2, 3};
	struct fixture *f = *state;

	nb_fake_rss_attach_messages(&f->rss, f->netlink);
	f->rss.compares_bytes = true;
	f->rss.input_xfrm = 1;
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", late, 8), 0);
	assert_table(f, "0,1,2,3,0,1,2,0");
	assert_int_equal(f->rss.n_sets, 1);
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", NULL, 0), 0);
	assert_table(f, "0,1,2,3,0,1,2,3");
	assert_int_equal(f->rss.n_sets, 2);
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", early, 8), 0);
	assert_table(f, "1,1,2,3,0,1,2,3");
	assert_int_equal(f->rss.n_sets, 2);
	assert_int_equal(f->rss.input_xfrm, 1);
}

static void what_a_message_is_refused_for_is_not_tried_otherwise(void **state)
{
	static const uint32_t table[] = {0, 1, 4, 0, 0, 0, 0, 0};
	struct fixture *f = *state;

	nb_fake_rss_attach_messages(&f->rss, f->netlink);
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth1", table, 8), -ENODEV);
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", table, 8), -EINVAL);
	f->rss.lacks_net_admin = true;
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", table, 8), -EPERM);
	f->rss.lacks_net_admin = false;
	/* The message itself, behind the question for the size. */
	f->rss.n_requests = 0;
	f->rss.fail_first = 2;
	f->rss.fail_count = 1;
	f->rss.fail_error = -EBUSY;
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", NULL, 0), -EBUSY);
	assert_int_equal(f->rss.n_sets, 0);
}

/* As one of a table that is too large for it. */
static void what_cannot_be_sent_is_set_by_the_ioctl(void **state)
{
	static const uint32_t table[] = {0, 2, 0, 2, 2, 0, 2, 0};
	struct fixture *f = *state;

	nb_fake_rss_attach_messages(&f->rss, f->netlink);
	f->rss.fail_first = 2;
	f->rss.fail_count = 1;
	f->rss.fail_error = -EMSGSIZE;
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", table, 8), 0);
	assert_table(f, "0,2,0,2,2,0,2,0");
	assert_int_equal(f->rss.n_sets, 1);
}

/* The kernel would repeat it. */
static void a_part_of_a_table_is_not_sent(void **state)
{
	static const uint32_t table[] = {0, 2};
	struct fixture *f = *state;

	nb_fake_rss_attach_messages(&f->rss, f->netlink);
	assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", table, 2), -EINVAL);
	assert_int_equal(f->rss.n_messages, 0);
	assert_table(f, "0,1,2,3,0,1,2,3");
}

static void whichever_request_fails_nothing_is_told_or_set(void **state)
{
	static const uint32_t table[] = {0, 0, 0, 0, 0, 0, 0, 0};
	struct fixture *f = *state;

	f->rss.fail_error = -EBUSY;
	f->rss.fail_count = 1;
	for (unsigned nth = 1; nth <= 3; nth++) {
		f->rss.n_requests = 0;
		f->rss.fail_first = nth;
		assert_int_equal(get(f, "eth0"), -EBUSY);
		assert_int_equal(f->entries->len, 0);
	}
	for (unsigned nth = 1; nth <= 2; nth++) {
		f->rss.n_requests = 0;
		f->rss.fail_first = nth;
		assert_int_equal(nb_netlink_set_rss(f->netlink, "eth0", table, 8), -EBUSY);
		assert_table(f, "0,1,2,3,0,1,2,3");
	}
}

/* Between the question for the size and that for the entries. */
static void a_size_that_changes_meanwhile_is_asked_again_later(void **state)
{
	struct fixture *f = *state;

	f->rss.fail_first = 3;
	f->rss.fail_count = 1;
	f->rss.fail_error = -EINVAL;
	assert_int_equal(get(f, "eth0"), -EAGAIN);
}

static int get_hash(struct fixture *f, struct nb_rss_hash *ret)
{
	memset(ret, 0, sizeof(*ret));
	return nb_netlink_get_rss_hash(f->netlink, "eth0", ret);
}

static void the_key_is_as_much_of_it_as_counts(void **state)
{
	static const unsigned sizes[] = {NB_RSS_KEY, 52};
	struct fixture *f = *state;
	struct nb_rss_hash hash;

	for (unsigned i = 0; i < sizeof(f->rss.key); i++)
		f->rss.key[i] = (uint8_t)(i + 1);
	for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++) {
		f->rss.key_size = sizes[i];
		assert_int_equal(get_hash(f, &hash), 0);
		assert_true(hash.has_key);
		assert_memory_equal(hash.key, f->rss.key, NB_RSS_KEY);
	}
	f->rss.key_size = 0;
	assert_int_equal(get_hash(f, &hash), 0);
	assert_false(hash.has_key);
}

static void another_hash_than_toeplitzs_is_none(void **state)
{
	struct fixture *f = *state;
	struct nb_rss_hash hash;

	f->rss.key_size = NB_RSS_KEY;
	f->rss.input_xfrm = 1;
	assert_int_equal(get_hash(f, &hash), -EOPNOTSUPP);
	f->rss.input_xfrm = 0;
	f->rss.hfunc = 2;
	assert_int_equal(get_hash(f, &hash), -EOPNOTSUPP);
	f->rss.hfunc = 0;
	assert_int_equal(get_hash(f, &hash), -EOPNOTSUPP);
	f->rss.hfunc = 1;
	f->rss.key_size = NB_RSS_KEY - 1;
	assert_int_equal(get_hash(f, &hash), -EOPNOTSUPP);
	f->rss.key_size = NB_RSS_KEY;
	assert_int_equal(get_hash(f, &hash), 0);
	f->rss.unsupported = true;
	assert_int_equal(get_hash(f, &hash), -EOPNOTSUPP);
}

static void ports_are_hashed_where_the_driver_says_so(void **state)
{
	const uint64_t addresses = RXH_IP_SRC | RXH_IP_DST, both = addresses | nb_port_fields;
	struct fixture *f = *state;
	struct nb_rss_hash hash;

	/* It tells nothing. */
	assert_int_equal(get_hash(f, &hash), 0);
	assert_true(hash.tcp_ports[0] && hash.tcp_ports[1]);
	assert_false(hash.udp_ports[0] || hash.udp_ports[1]);

	f->rss.tcp_fields[0] = f->rss.udp_fields[1] = both;
	f->rss.tcp_fields[1] = f->rss.udp_fields[0] = addresses;
	assert_int_equal(get_hash(f, &hash), 0);
	assert_true(hash.tcp_ports[0] && hash.udp_ports[1]);
	assert_false(hash.tcp_ports[1] || hash.udp_ports[0]);

	f->rss.tcp_fields[0] = addresses | RXH_L4_B_0_1;
	assert_int_equal(get_hash(f, &hash), 0);
	assert_false(hash.tcp_ports[0]);
}

int main(void)
{
#define TEST(claim) cmocka_unit_test_setup_teardown(claim, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_table_is_read_whole),
		TEST(a_table_is_written_and_nothing_else_of_rss),
		TEST(the_key_is_as_much_of_it_as_counts),
		TEST(another_hash_than_toeplitzs_is_none),
		TEST(ports_are_hashed_where_the_driver_says_so),
		TEST(a_reset_leaves_no_table_of_anyones),
		TEST(what_the_kernel_refuses_leaves_with_its_errno),
		TEST(a_device_that_hashes_without_a_table_has_none),
		TEST(a_kernel_that_takes_a_message_is_sent_one),
		TEST(what_a_kernel_overlooks_in_a_message_is_set_all_the_same),
		TEST(what_a_message_is_refused_for_is_not_tried_otherwise),
		TEST(what_cannot_be_sent_is_set_by_the_ioctl),
		TEST(a_part_of_a_table_is_not_sent),
		TEST(whichever_request_fails_nothing_is_told_or_set),
		TEST(a_size_that_changes_meanwhile_is_asked_again_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
