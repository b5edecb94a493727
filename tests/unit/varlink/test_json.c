/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "varlink/internal.h"

#include "support/support.h"

#include <string.h>

static void assert_json(sd_json_variant *json, const char *expected)
{
	char *text = NULL;

	assert_true(sd_json_variant_format(json, 0, &text) >= 0);
	assert_string_equal(text, expected);
	free(text);
}

static struct nb_order claim(void)
{
	struct nb_order order = {
		.id = 3,
		.target = {NB_TARGET_QUEUE, "eth1", 2},
		.exclusive = true,
		.present = true,
		.owner = "kubelet",
		.connection = "varlink:1",
		.since_realtime_usec = 1000000,
		.ends_nsec = 5,
		.ends_realtime_usec = 2000000,
	};

	nb_cpumask_add(&order.cpus, 4);
	nb_cpumask_add(&order.cpus, 5);
	return order;
}

static struct nb_order ban(void)
{
	struct nb_order order = {.id = UINT64_MAX, .owner = "operator", .since_realtime_usec = 7};

	nb_cpumask_add(&order.cpus, 0);
	return order;
}

#define CLAIM                                                                                   \
	"{\"id\":3,\"kind\":\"claim\",\"target\":\"eth1:2\",\"present\":true,\"cpus\":\"4-5\"," \
	"\"exclusive\":true,\"owner\":\"kubelet\",\"sinceUSec\":1000000,\"endsUSec\":2000000,"  \
	"\"whileConnected\":true}"
/* What it has not is left out. */
#define BAN                                                                                 \
	"{\"id\":18446744073709551615,\"kind\":\"ban\",\"cpus\":\"0\",\"exclusive\":false," \
	"\"owner\":\"operator\",\"sinceUSec\":7,\"whileConnected\":false}"

static void an_order_has_its_fields(void **state)
{
	g_autoptr(sd_json_variant) of_claim = NULL, of_ban = NULL;
	struct nb_order orders[] = {claim(), ban()};

	(void)state;
	assert_true(nb_varlink_order_json(&orders[0], &of_claim) >= 0);
	assert_json(of_claim, CLAIM);
	assert_true(nb_varlink_order_json(&orders[1], &of_ban) >= 0);
	assert_json(of_ban, BAN);
}

static void a_list_has_all_orders(void **state)
{
	g_autoptr(sd_json_variant) list = NULL, none = NULL;
	struct nb_order orders[] = {claim(), ban()};
	struct nb_status status = {.orders = orders, .n_orders = 2};

	(void)state;
	assert_true(nb_varlink_list_json(&status, &list) >= 0);
	assert_json(list, "{\"orders\":[" CLAIM "," BAN "]}");
	status.n_orders = 0;
	assert_true(nb_varlink_list_json(&status, &none) >= 0);
	assert_json(none, "{\"orders\":[]}");
}

static const char *text_of(sd_json_variant *json, const char *name)
{
	return sd_json_variant_string(sd_json_variant_by_key(json, name));
}

static bool acts(struct nb_status status)
{
	g_autoptr(sd_json_variant) json = NULL;

	assert_true(nb_varlink_status_json(&status, &json) >= 0);
	return sd_json_variant_boolean(sd_json_variant_by_key(json, "acts"));
}

static void before_the_first_sample_no_cpu_is_known(void **state)
{
	g_autoptr(sd_json_variant) json = NULL;
	struct nb_policy policy = {};
	struct nb_status status = {.policy = &policy, .banned_by = "/etc/x:3"};

	(void)state;
	nb_cpumask_add(&policy.banned, 6);
	assert_true(nb_varlink_status_json(&status, &json) >= 0);
	assert_string_equal(text_of(json, "onlineCPUs"), "");
	assert_string_equal(text_of(json, "eligibleCPUs"), "");
	assert_string_equal(text_of(json, "bannedCPUs"), "6");
	assert_string_equal(text_of(json, "bannedBy"), "/etc/x:3");
}

static void it_acts_unless_it_observes_or_is_paused(void **state)
{
	struct nb_policy policy = {};

	(void)state;
	assert_true(acts((struct nb_status){.policy = &policy, .mode = NB_MODE_BALANCE}));
	assert_false(acts((struct nb_status){.policy = &policy, .mode = NB_MODE_OBSERVE}));
	assert_false(acts(
		(struct nb_status){.policy = &policy, .mode = NB_MODE_BALANCE, .paused = true}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_order_has_its_fields),
		cmocka_unit_test(a_list_has_all_orders),
		cmocka_unit_test(before_the_first_sample_no_cpu_is_known),
		cmocka_unit_test(it_acts_unless_it_observes_or_is_paused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
