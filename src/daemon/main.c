/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/daemon.h"

#include "publish/journal.h"
#include "publish/message_ids.h"
#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define RUN_DIRECTORY "/run/nicbalance"
#define EXIT_USAGE 2
/* How long a daemon, or the unit's ExecStopPost=, waits for a --restore that is running. */
#define LOCK_PATIENCE_USEC 5000000u
#define LOCK_POLL_USEC 50000u

static int refuse(const char *what)
{
	g_printerr("nicbalanced: %s; see nicbalanced --help\n", what);
	return -EINVAL;
}

static int parse_options(int argc, char **argv, struct nb_options *options)
{
	const GOptionEntry entries[] = {
		{"config", 0, 0, G_OPTION_ARG_FILENAME, &options->config_file,
		 "Read FILE instead of nicbalance.conf", "FILE"},
		{"root", 0, 0, G_OPTION_ARG_FILENAME, &options->root,
		 "Work on a captured machine below DIR", "DIR"},
		{"socket", 0, 0, G_OPTION_ARG_FILENAME, &options->socket_path,
		 "Listen for nicbalancectl on PATH", "PATH"},
		{"no-system-bus", 0, 0, G_OPTION_ARG_NONE, &options->no_system_bus,
		 "Serve the private socket only", NULL},
		{"restore-on-exit", 0, 0, G_OPTION_ARG_NONE, &options->restore_on_exit,
		 "Restore all original values before exiting", NULL},
		{"restore", 0, 0, G_OPTION_ARG_NONE, &options->restore,
		 "Restore the values that an earlier run changed, and exit", NULL},
		{"unless-restarting", 0, 0, G_OPTION_ARG_NONE, &options->unless_restarting,
		 "With --restore: do nothing while systemd restarts the unit", NULL},
		{"unless-running", 0, 0, G_OPTION_ARG_NONE, &options->unless_running,
		 "With --restore: do nothing while a daemon runs on this host", NULL},
		{"debug", 0, 0, G_OPTION_ARG_NONE, &options->debug, "Log the verdict of each cycle",
		 NULL},
		{"version", 0, 0, G_OPTION_ARG_NONE, &options->version, "Print the version", NULL},
		{NULL}};
	g_autoptr(GOptionContext) context =
		g_option_context_new("- balance the interrupts of network queues over CPUs");
	g_autoptr(GError) error = NULL;

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, &argc, &argv, &error))
		return refuse(error->message);
	if (argc > 1)
		return refuse("takes no arguments");
	if ((options->unless_restarting || options->unless_running) && !options->restore)
		return refuse("--unless-restarting and --unless-running are for --restore");
	return 0;
}

static unsigned lock_patience(const struct nb_options *options)
{
	return !options->restore || options->unless_restarting ? LOCK_PATIENCE_USEC : 0;
}

static int lock_within(int fd, unsigned patience_usec)
{
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK || patience_usec < LOCK_POLL_USEC)
			return -errno;
		patience_usec -= LOCK_POLL_USEC;
		g_usleep(LOCK_POLL_USEC);
	}
	return 0;
}

/* One daemon per host: two would undo each other's changes. The lock ends with the process. */
static int lock_host(unsigned patience_usec, int *ret_fd)
{
	int fd, r;

	if (g_mkdir_with_parents(RUN_DIRECTORY, 0755) < 0)
		return -errno;
	fd = open(RUN_DIRECTORY "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	r = lock_within(fd, patience_usec);
	if (r < 0) {
		close(fd);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

static unsigned count_restored(const GArray *restored)
{
	unsigned n = 0;

	for (unsigned i = 0; i < restored->len; i++)
		n += g_array_index(restored, struct nb_restored, i).outcome == NB_OUTCOME_APPLIED;
	return n;
}

static void log_restored(const char *message_id, unsigned n_restored, unsigned n_left)
{
	nb_journal_say(LOG_NOTICE, message_id, "Restored %u original values", n_restored);
	if (n_left)
		nb_journal_say(LOG_NOTICE, message_id,
			       "Did not restore %u values that were changed by another program or "
			       "no longer exist",
			       n_left);
}

static int restore_all(struct nb_applier *applier, const char *message_id)
{
	g_autoptr(GArray) restored = g_array_new(FALSE, FALSE, sizeof(struct nb_restored));
	unsigned n = nb_applier_count(applier);
	int r;

	r = nb_applier_restore(applier, restored);
	if (n == 0)
		return r;
	if (r < 0)
		nb_journal_say(
			LOG_WARNING, message_id,
			"Failed to restore %u of %u values; run nicbalanced --restore to try "
			"again",
			nb_applier_count(applier), n);
	else
		log_restored(message_id, count_restored(restored), n - count_restored(restored));
	return r;
}

/* A captured machine answers none of its requests. Without it everything else is restored. */
static struct nb_netlink *open_netlink(const struct nb_sysroot *root)
{
	struct nb_netlink *netlink = NULL;
	int r;

	if (!nb_sysroot_is_host(root))
		return NULL;
	r = nb_netlink_new(&netlink);
	if (r < 0) {
		nb_journal_say(LOG_WARNING, NULL,
			       "Failed to open netlink (%s); threaded NAPI of single queues is not "
			       "restored",
			       strerror(-r));
		r = nb_netlink_new_ethtool(&netlink);
	}
	if (r < 0)
		nb_journal_say(LOG_WARNING, NULL,
			       "Failed to open an ethtool socket (%s); RSS tables are not restored",
			       strerror(-r));
	return netlink;
}

static int run_restore(const struct nb_options *options)
{
	g_autoptr(nb_sysroot) root = NULL;
	g_autoptr(nb_netlink) netlink = NULL;
	g_autoptr(nb_applier) applier = NULL;
	int r;

	r = nb_daemon_open_root(options, &root);
	if (r < 0)
		return r;
	netlink = open_netlink(root);
	r = nb_applier_new(root, netlink, &applier);
	if (r < 0 && r != -EBADMSG) {
		nb_journal_say(LOG_ERR, NULL, "Failed to read " RUN_DIRECTORY "/baseline: %s",
			       strerror(-r));
		return r;
	}
	return restore_all(applier, NB_MESSAGE_LEFTOVER_RESTORED);
}

static int run_daemon(const struct nb_options *options)
{
	g_autoptr(nb_daemon) daemon = NULL;
	int r, restored = 0;

	r = nb_daemon_new(options, &daemon);
	if (r < 0)
		return r;
	r = nb_daemon_run(daemon);
	if (options->restore_on_exit)
		restored = restore_all(daemon->applier, NB_MESSAGE_RESTORED);
	return r < 0 ? r : restored;
}

static void clear_options(struct nb_options *options)
{
	g_free(options->config_file);
	g_free(options->root);
	g_free(options->socket_path);
}

static int run(struct nb_options *options)
{
	int lock = -1;
	int r = 0;

	if (!options->socket_path)
		options->socket_path = g_strdup(RUN_DIRECTORY "/bus");
	if (options->debug)
		nb_journal_set_max_priority(LOG_DEBUG);
	/* Before the lock is taken: whoever has it either balances or restores. */
	if (options->restore && options->unless_restarting && nb_unit_is_restarting())
		return 0;
	if (!options->root)
		r = lock_host(lock_patience(options), &lock);
	if (r == -EWOULDBLOCK && options->restore && options->unless_running)
		return 0;
	if (r == -EWOULDBLOCK) {
		nb_journal_say(LOG_ERR, NULL,
			       "Another nicbalanced is running on this host; use nicbalancectl to "
			       "control it");
		return r;
	}
	if (r < 0) {
		nb_journal_say(LOG_ERR, NULL, "Failed to lock " RUN_DIRECTORY "/lock: %s",
			       strerror(-r));
		return r;
	}
	r = options->restore ? run_restore(options) : run_daemon(options);
	if (lock >= 0)
		close(lock);
	return r;
}

static void print_version(void)
{
	puts("nicbalanced " NB_VERSION);
	if (nb_varlink_is_built())
		puts("Varlink interface " NB_VARLINK_INTERFACE);
	else
		puts("Built without the Varlink interface, which needs libsystemd 257 or later");
}

static int status_of(int argc, char **argv, struct nb_options *options)
{
	if (parse_options(argc, argv, options) < 0)
		return EXIT_USAGE;
	if (options->version) {
		print_version();
		return EXIT_SUCCESS;
	}
	return run(options) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct nb_options options = {};
	int status = status_of(argc, argv, &options);

	clear_options(&options);
	return status;
}
