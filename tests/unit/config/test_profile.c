/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/profile.h"

#include "config/config.h"
#include "fixture.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MAIN "etc/nicbalance/nicbalance.conf"
#define SHIPPED "usr/lib/nicbalance/profiles/"
#define IPVS                                            \
	"IP Virtual Server version 1.2.1 (size=4096)\n" \
	"Prot LocalAddress:Port Scheduler Flags\n"      \
	"  -> RemoteAddress:Port Forward Weight ActiveConn InActConn\n"

static void give_files(struct machine *machine)
{
	static const char *const names[] = {"db", "lvs", "router"};

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_strdup_printf(SHIPPED "%s.conf", names[i]);

		nb_tmp_write(machine->dir, path, "");
	}
}

static void assert_found(struct machine *machine, const char *expected)
{
	const char *sign;

	assert_string_equal(nb_profile_find(machine->root, &sign), expected);
	assert_true(*sign != '\0');
}

static void a_host_without_signs_has_none(void **state)
{
	struct machine *machine = *state;

	give_files(machine);
	nb_tmp_write(machine->dir, "proc/net/ip_vs", IPVS);
	nb_tmp_write(machine->dir, "proc/sys/net/ipv4/ip_forward", "0\n");
	make_dir(machine, "sys/fs/cgroup/system.slice/ssh.service");
	make_dir(machine, "sys/fs/cgroup/system.slice/system-getty.slice");
	assert_found(machine, "none");
}

static void each_sign_has_its_profile(void **state)
{
	struct machine *machine = *state;

	give_files(machine);
	nb_tmp_write(machine->dir, "proc/sys/net/ipv6/conf/all/forwarding", "1\n");
	assert_found(machine, "router");
	nb_tmp_write(machine->dir, "proc/sys/net/ipv4/ip_forward", "1\n");
	assert_found(machine, "router");
	make_dir(machine, "sys/fs/cgroup/system.slice/system-postgresql.slice");
	assert_found(machine, "db");
	nb_tmp_write(machine->dir, "proc/net/ip_vs",
		     IPVS "TCP  0A4D0001:0050 wrr  \n  -> 0A4D0102:0050 Masq 1 0 0\n");
	assert_found(machine, "lvs");
}

static void a_database_is_known_by_its_unit(void **state)
{
	struct machine *machine = *state;

	give_files(machine);
	make_dir(machine, "sys/fs/cgroup/system.slice/redis-server.service");
	assert_found(machine, "db");
}

static void what_has_no_file_is_not_chosen(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, "proc/net/ip_vs", IPVS "FWM  00000001 wlc  \n");
	nb_tmp_write(machine->dir, "proc/sys/net/ipv4/ip_forward", "1\n");
	assert_found(machine, "none");
	nb_tmp_write(machine->dir, "run/nicbalance/profiles/router.conf", "");
	assert_found(machine, "router");
}

static void the_order_is_that_of_the_signs(void **state)
{
	(void)state;
	assert_true(nb_profile_goes_before("lvs", "db"));
	assert_true(nb_profile_goes_before("db", "router"));
	assert_true(nb_profile_goes_before("router", "none"));
	assert_false(nb_profile_goes_before("db", "db"));
	assert_false(nb_profile_goes_before("none", "router"));
	assert_false(nb_profile_goes_before("none", "none"));
}

static void the_nearest_file_counts(void **state)
{
	struct machine *machine = *state;
	g_autofree char *names = NULL;

	assert_null(nb_profile_path(machine->root, "db"));
	give_files(machine);
	for (unsigned i = 0; i < 2; i++) {
		g_autofree char *path = nb_profile_path(machine->root, "db");

		assert_string_equal(path,
				    i == 0 ? SHIPPED "db.conf" : "etc/nicbalance/profiles/db.conf");
		nb_tmp_write(machine->dir, "etc/nicbalance/profiles/db.conf", "");
	}
	nb_tmp_write(machine->dir, "etc/nicbalance/profiles/cache.conf", "");
	nb_tmp_write(machine->dir, "etc/nicbalance/profiles/README", "");
	names = nb_profile_list(machine->root);
	assert_string_equal(names, "cache, db, lvs, router");
}

/* --- in a configuration */

static struct nb_config *load(struct machine *machine)
{
	struct nb_config *config = NULL;
	char *error = NULL;

	if (nb_config_load(machine->root, NULL, &config, &error) < 0)
		fail_msg("%s", error);
	return config;
}

static void assert_fails(struct machine *machine, int result, const char *expected)
{
	struct nb_config *config = NULL;
	g_autofree char *error = NULL;

	assert_int_equal(nb_config_load(machine->root, NULL, &config, &error), result);
	assert_string_equal(error, expected);
}

static void assert_refused(struct machine *machine, const char *expected)
{
	assert_fails(machine, -EINVAL, expected);
}

static void assert_set(const struct nb_config *config, const char *section, const char *key,
		       const char *value, const char *origin)
{
	unsigned row = (unsigned)nb_config_find(section, key);
	g_autofree char *is = nb_config_value(config, row);

	assert_string_equal(is, value);
	assert_string_equal(g_ptr_array_index(config->origins, row), origin);
}

static void its_settings_are_in_place_of_defaults(void **state)
{
	struct machine *machine = *state;
	g_autoptr(nb_config) config = NULL;

	nb_tmp_write(machine->dir, SHIPPED "db.conf", "[Balance]\nHot=60%\nPanic=80%\n");
	nb_tmp_write(machine->dir, MAIN, "[Daemon]\nProfile=db\n[Balance]\nHot=50%\n");
	config = load(machine);
	assert_set(config, "Balance", "Hot", "50%", "/" MAIN ":4");
	assert_set(config, "Balance", "Panic", "80%", "/" SHIPPED "db.conf:3");
	assert_string_equal(config->profile_used, "db");
}

static void its_sections_of_devices_come_last(void **state)
{
	struct machine *machine = *state;
	g_autoptr(nb_config) config = NULL;

	nb_tmp_write(machine->dir, SHIPPED "lvs.conf",
		     "[Device *]\nUdpHash=sdfn\n[Device eth0]\nNode=1\n"
		     "[Interrupt nvme*]\nIgnore=yes\n[Interrupt 7]\nIgnore=yes\n");
	nb_tmp_write(machine->dir, MAIN,
		     "[Daemon]\nProfile=lvs\n[Device eth0]\nNode=0\n[Interrupt 7]\nCPUs=2\n");
	config = load(machine);
	assert_int_equal(config->devices.n_rules, 2);
	assert_string_equal(config->devices.rules[0].match, "eth0");
	assert_int_equal(config->devices.rules[0].node, 0);
	assert_int_equal(config->devices.rules[0].udp_hash, NB_UDP_HASH_UNKNOWN);
	assert_string_equal(config->devices.rules[1].match, "*");
	assert_int_equal(config->devices.rules[1].udp_hash, NB_UDP_HASH_PORTS);
	assert_int_equal(config->devices.interrupts.n_rules, 2);
	assert_string_equal(config->devices.interrupts.rules[0].match, "7");
	assert_false(config->devices.interrupts.rules[0].ignore);
	assert_string_equal(config->devices.interrupts.rules[1].match, "nvme*");
}

static void auto_takes_that_of_the_host(void **state)
{
	struct machine *machine = *state;
	g_autoptr(nb_config) config = NULL;

	nb_tmp_write(machine->dir, MAIN, "[Daemon]\nProfile=auto\n");
	config = load(machine);
	assert_string_equal(config->profile_used, "none");
	g_clear_pointer(&config, nb_config_free);

	nb_tmp_write(machine->dir, SHIPPED "router.conf", "[Balance]\nHot=60%\n");
	nb_tmp_write(machine->dir, "proc/sys/net/ipv4/ip_forward", "1\n");
	config = load(machine);
	assert_string_equal(config->profile_used, "router");
	assert_set(config, "Daemon", "Profile", "auto", "/" MAIN ":2");
	assert_set(config, "Balance", "Hot", "60%", "/" SHIPPED "router.conf:2");
}

static void one_that_is_not_there_is_a_fault(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, MAIN, "[Daemon]\nProfile=web\n");
	assert_refused(machine,
		       "/" MAIN ":2: there is no profile web; write none, auto, or put it into "
		       "/etc/nicbalance/profiles/web.conf");
	give_files(machine);
	assert_refused(machine,
		       "/" MAIN ":2: there is no profile web; write none, auto, db, lvs, router, "
		       "or put it into /etc/nicbalance/profiles/web.conf");
}

static void a_link_to_nowhere_is_a_fault_and_one_to_dev_null_is_empty(void **state)
{
	struct machine *machine = *state;
	g_autofree char *path =
		g_build_filename(machine->dir, "etc/nicbalance/profiles/db.conf", NULL);
	g_autoptr(nb_config) config = NULL;

	give_files(machine);
	nb_tmp_write(machine->dir, SHIPPED "db.conf", "[Balance]\nHot=60%\n");
	nb_tmp_write(machine->dir, MAIN, "[Daemon]\nProfile=db\n");
	make_dir(machine, "etc/nicbalance/profiles");
	assert_int_equal(symlink("gone.conf", path), 0);
	assert_fails(machine, -ENOLINK,
		     "/etc/nicbalance/profiles/db.conf: is a link to a file that does not exist; "
		     "create that file, or remove the link");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/null", path), 0);
	config = load(machine);
	assert_int_equal(config->policy.hot, 7000);
}

static void a_name_is_no_path(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, "etc/nicbalance/x.conf", "");
	nb_tmp_write(machine->dir, MAIN, "[Daemon]\nProfile=../x\n");
	assert_refused(machine,
		       "/" MAIN ":2: Profile=../x is not the name of a profile; write none, auto, "
		       "or letters, digits, - and _, such as Profile=none");
}

static void faults_of_a_profile_name_its_file(void **state)
{
	struct machine *machine = *state;

	nb_tmp_write(machine->dir, SHIPPED "db.conf", "[Daemon]\nProfile=lvs\n[Balance]\nHot=no\n");
	nb_tmp_write(machine->dir, MAIN, "[Daemon]\nProfile=db\n");
	assert_refused(machine,
		       "/" SHIPPED "db.conf:2: a profile cannot set Profile=; remove the line\n"
		       "/" SHIPPED
		       "db.conf:4: Hot=no is not a share; write a share of one CPU such as "
		       "Hot=70%");
}

static const struct shipped {
	const char *name, *section, *key, *value;
} shipped[] = {
	{"lvs", "Device", "UdpHash", "*: sdfn"},
	{"db", "XPS", "Enabled", "yes"},
	{"db", "RPS", "RfsFlows", "32768"},
	{"router", "Device", "UdpHash", "*: sdfn"},
};

static const struct shipped *find_shipped(const char *name, unsigned row)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(shipped); i++)
		if (g_str_equal(shipped[i].name, name) &&
		    g_str_equal(shipped[i].section, nb_config_section(row)) &&
		    g_str_equal(shipped[i].key, nb_config_key(row)))
			return &shipped[i];
	return NULL;
}

static void those_that_are_shipped_say_what_the_manual_says(void **state)
{
	static const char *const names[] = {"lvs", "db", "router"};
	struct machine *machine = *state;

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *source = g_strdup_printf("conf/profiles/%s.conf", names[i]);
		g_autofree char *path = g_strdup_printf(SHIPPED "%s.conf", names[i]);
		g_autofree char *text = nb_tmp_read(NB_SOURCE_DIR, source);
		g_autofree char *main = g_strdup_printf("[Daemon]\nProfile=%s\n", names[i]);
		g_autoptr(nb_config) config = NULL;

		nb_tmp_write(machine->dir, path, text);
		nb_tmp_write(machine->dir, MAIN, main);
		config = load(machine);
		for (unsigned row = 0; row < nb_config_n_settings(); row++) {
			const struct shipped *said = find_shipped(names[i], row);
			const char *origin = g_ptr_array_index(config->origins, row);
			g_autofree char *value = nb_config_value(config, row);

			assert_true((said != NULL) == (origin && strstr(origin, SHIPPED)));
			if (said)
				assert_string_equal(value, said->value);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		MACHINE_TEST(a_host_without_signs_has_none),
		MACHINE_TEST(each_sign_has_its_profile),
		MACHINE_TEST(a_database_is_known_by_its_unit),
		MACHINE_TEST(what_has_no_file_is_not_chosen),
		cmocka_unit_test(the_order_is_that_of_the_signs),
		MACHINE_TEST(the_nearest_file_counts),
		MACHINE_TEST(its_settings_are_in_place_of_defaults),
		MACHINE_TEST(its_sections_of_devices_come_last),
		MACHINE_TEST(auto_takes_that_of_the_host),
		MACHINE_TEST(one_that_is_not_there_is_a_fault),
		MACHINE_TEST(a_link_to_nowhere_is_a_fault_and_one_to_dev_null_is_empty),
		MACHINE_TEST(a_name_is_no_path),
		MACHINE_TEST(faults_of_a_profile_name_its_file),
		MACHINE_TEST(those_that_are_shipped_say_what_the_manual_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
