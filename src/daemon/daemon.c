/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/daemon.h"

#include "publish/journal.h"
#include "publish/message_ids.h"
#include "verify/verify.h"

#include <errno.h>
#include <string.h>

static int fail(int error, const char *what)
{
	nb_journal_say(LOG_ERR, NULL, "Failed to %s: %s", what, strerror(-error));
	return error;
}

static int load_config(struct nb_daemon *daemon)
{
	g_autofree char *error = NULL;
	int r;

	r = nb_config_load(daemon->root, daemon->options->config_file, &daemon->config, &error);
	if (r < 0)
		nb_journal_say(LOG_ERR, NB_MESSAGE_CONFIGURATION_REFUSED,
			       "Configuration refused:\n%s", error);
	return r;
}

static int open_applier(struct nb_daemon *daemon)
{
	int r = nb_applier_new(daemon->root, daemon->netlink, &daemon->applier);

	if (r == -EBADMSG) {
		nb_journal_say(
			LOG_WARNING, NB_MESSAGE_BASELINE_DAMAGED,
			"Original values saved by an earlier run are damaged in line %s of "
			"/run/nicbalance/baseline.damaged. The values in other lines will be "
			"restored; restore the rest by hand.",
			nb_applier_damage(daemon->applier));
		return 0;
	}
	return r < 0 ? fail(r, "read /run/nicbalance/baseline") : 0;
}

static int open_netlink(struct nb_daemon *daemon)
{
	int r;

	if (!nb_sysroot_is_host(daemon->root))
		return 0;
	r = nb_netlink_new(&daemon->netlink);
	return r < 0 ? fail(r, "open netlink sockets") : 0;
}

static int open_sampler(struct nb_daemon *daemon)
{
	int r;

	r = nb_sampler_new(daemon->root, daemon->netlink, &daemon->config->devices,
			   &daemon->sampler);
	if (r < 0)
		return fail(r, "prepare reading /proc and /sys");
	nb_sampler_want_device_irqs(daemon->sampler, daemon->config->device_interrupts);
	nb_sampler_want_virtuals(daemon->sampler, daemon->config->policy.rps_virtual);
	return 0;
}

int nb_daemon_open_root(const struct nb_options *options, nb_sysroot **ret)
{
	int r = nb_sysroot_open(options->root, ret);

	if (r < 0)
		nb_journal_say(LOG_ERR, NULL, "Failed to open the root directory %s: %s",
			       options->root ? options->root : "/", strerror(-r));
	return r;
}

int nb_daemon_new(const struct nb_options *options, struct nb_daemon **ret)
{
	g_autoptr(nb_daemon) daemon = g_new0(struct nb_daemon, 1);
	int r;

	daemon->options = options;
	daemon->started_realtime_usec = (uint64_t)g_get_real_time();
	daemon->rescan_wanted = true;
	r = nb_daemon_open_root(options, &daemon->root);
	if (r < 0)
		return r;
	r = load_config(daemon);
	if (r < 0)
		return r;
	nb_daemon_adopt_irqbalance(daemon);
	nb_daemon_adopt_profile(daemon);
	r = open_netlink(daemon);
	if (r < 0)
		return r;
	r = open_applier(daemon);
	if (r < 0)
		return r;
	r = nb_daemon_load_orders(daemon);
	if (r < 0)
		return fail(r, "read /run/nicbalance/claims");
	nb_daemon_load_written(daemon);
	r = open_sampler(daemon);
	if (r < 0)
		return r;
	r = sd_event_default(&daemon->event);
	if (r < 0)
		return fail(r, "create the event loop");

	nb_loop_init(&daemon->loop);
	nb_intrusions_init(&daemon->intrusions);
	daemon->idle_check = nb_idle_check_new();
	daemon->prober.root = daemon->root;
	daemon->prober.sampler = daemon->sampler;
	nb_daemon_set_prober(daemon, nb_daemon_now_nsec());
	daemon->history = nb_history_new();
	daemon->recorder = nb_recorder_new();
	daemon->told_faults = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	daemon->told_drops = g_array_new(FALSE, FALSE, sizeof(struct nb_told_nic));
	daemon->told_full_nodes = g_array_new(FALSE, FALSE, sizeof(struct nb_told_nic));
	daemon->tunnel_counts = g_array_new(FALSE, FALSE, sizeof(struct nb_tunnel_count));
	daemon->unadopted = g_array_new(FALSE, FALSE, sizeof(int));
	for (unsigned i = 0; i < G_N_ELEMENTS(daemon->told_advice); i++)
		daemon->told_advice[i] = g_array_new(FALSE, FALSE, sizeof(struct nb_told_nic));
	*ret = g_steal_pointer(&daemon);
	return 0;
}

void nb_daemon_free(struct nb_daemon *daemon)
{
	if (!daemon)
		return;
	/* Orders that end with connections are reported to whoever is left. */
	g_clear_pointer(&daemon->varlink, nb_varlink_free);
	g_clear_pointer(&daemon->bus, nb_bus_free);
	sd_event_source_disable_unref(daemon->timer);
	sd_event_source_disable_unref(daemon->look_timer);
	nb_netlink_monitor_free(daemon->monitor);
	sd_event_unref(daemon->event);
	nb_sampler_free(daemon->sampler);
	nb_prober_clear(&daemon->prober);
	nb_applier_free(daemon->applier);
	nb_netlink_free(daemon->netlink);
	nb_idle_check_free(daemon->idle_check);
	nb_history_free(daemon->history);
	nb_recorder_free(daemon->recorder);
	g_clear_pointer(&daemon->told_drops, g_array_unref);
	g_clear_pointer(&daemon->told_full_nodes, g_array_unref);
	g_clear_pointer(&daemon->tunnel_counts, g_array_unref);
	for (unsigned i = 0; i < G_N_ELEMENTS(daemon->told_advice); i++)
		g_clear_pointer(&daemon->told_advice[i], g_array_unref);
	g_clear_pointer(&daemon->unadopted, g_array_unref);
	g_clear_pointer(&daemon->owners.text, g_free);
	g_clear_pointer(&daemon->told_faults, g_hash_table_unref);
	g_clear_pointer(&daemon->awaited, g_array_unref);
	nb_loop_clear(&daemon->loop);
	nb_intrusions_clear(&daemon->intrusions);
	nb_orders_free(daemon->orders);
	nb_claims_clear(&daemon->claims);
	nb_config_free(daemon->config);
	nb_irqbalance_free(daemon->irqbalance.read);
	nb_sysroot_free(daemon->root);
	g_free(daemon);
}
