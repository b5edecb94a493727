/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/tunnels.h"

#include "unit/sample/machine.h"

#define ETH0 2
#define ETH1 3

struct device {
	const char *name;
	int ifindex;
	enum nb_scope scope;
	bool tunnel;
	const char *iflink, *rx_bytes; /* NULL: there is no such file */
};

/* The tunnel that eth0 and eth1 are told to carry. */
static void assert_over(const struct device *devices, unsigned n, const char *eth0,
			const char *eth1)
{
	g_autoptr(GArray) facts = g_array_new(FALSE, FALSE, sizeof(struct nb_nic_facts));
	g_autoptr(nb_sysroot) root = NULL;
	g_autoptr(nb_tunnels) tunnels = NULL;
	char *dir = nb_tmp_make();

	for (unsigned i = 0; i < n; i++) {
		const struct device *device = &devices[i];
		struct nb_nic_facts one = {.tunnel = device->tunnel};
		g_autofree char *iflink = g_strdup_printf("sys/class/net/%s/iflink", device->name);
		g_autofree char *rx_bytes =
			g_strdup_printf("sys/class/net/%s/statistics/rx_bytes", device->name);

		g_strlcpy(one.nic.name, device->name, sizeof(one.nic.name));
		one.nic.ifindex = device->ifindex;
		one.nic.scope = device->scope;
		g_array_append_val(facts, one);
		if (device->iflink)
			nb_tmp_write(dir, iflink, device->iflink);
		if (device->rx_bytes)
			nb_tmp_write(dir, rx_bytes, device->rx_bytes);
	}
	root = nb_machine_open(dir);
	tunnels = nb_tunnels_read(root, facts);
	assert_string_equal(nb_tunnels_over(tunnels, ETH0), eth0);
	assert_string_equal(nb_tunnels_over(tunnels, ETH1), eth1);
	nb_tmp_remove(dir);
}

#define ASSERT_OVER(eth0, eth1, ...)                                                            \
	assert_over((const struct device[]){{"eth0", ETH0, NB_SCOPE_IN, false},                 \
					    {"eth1", ETH1, NB_SCOPE_IN, false},                 \
					    __VA_ARGS__},                                       \
		    G_N_ELEMENTS(((const struct device[]){{NULL}, {NULL}, __VA_ARGS__})), eth0, \
		    eth1)

static void one_that_is_bound_comes_over_its_nic(void **state)
{
	(void)state;
	ASSERT_OVER("gre1", "", {"gre1", 9, NB_SCOPE_VIRTUAL, true, "2\n", "10\n"});
	ASSERT_OVER("", "", {"dummy0", 9, NB_SCOPE_VIRTUAL, false, "2\n", "10\n"});
}

static void one_that_is_bound_to_no_nic_may_come_over_any(void **state)
{
	(void)state;
	ASSERT_OVER("gre1", "gre1", {"gre1", 9, NB_SCOPE_VIRTUAL, true, "0\n", "10\n"});
	ASSERT_OVER("ppp0", "ppp0", {"ppp0", 9, NB_SCOPE_VIRTUAL, true, "9\n", "10\n"});
	ASSERT_OVER("gre1", "gre1", {"bond0", 8, NB_SCOPE_STACKED, false, "8\n", NULL},
		    {"gre1", 9, NB_SCOPE_VIRTUAL, true, "8\n", "10\n"});
}

static void of_several_the_busiest_counts(void **state)
{
	(void)state;
	ASSERT_OVER("gre2", "sit1", {"gre1", 9, NB_SCOPE_VIRTUAL, true, "2\n", "10\n"},
		    {"gre2", 10, NB_SCOPE_VIRTUAL, true, "2\n", "18446744073709551615\n"},
		    {"sit1", 11, NB_SCOPE_VIRTUAL, true, "0\n", "10\n"});
}

static void nonsense_is_nothing(void **state)
{
	(void)state;
	ASSERT_OVER("gre1", "gre1", {"gre1", 9, NB_SCOPE_VIRTUAL, true, "-1\n", "many\n"});
	ASSERT_OVER("gre1", "gre1", {"gre1", 9, NB_SCOPE_VIRTUAL, true, NULL, NULL});
	ASSERT_OVER("", "", {"gre1", 9, NB_SCOPE_VIRTUAL, false, "2\n", "10\n"});
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_is_bound_comes_over_its_nic),
		cmocka_unit_test(one_that_is_bound_to_no_nic_may_come_over_any),
		cmocka_unit_test(of_several_the_busiest_counts),
		cmocka_unit_test(nonsense_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
