/* SPDX-License-Identifier: GPL-2.0-or-later */
/* serve SOCKET [--system] [--empty] [--fail] [--observe] [--pause] [--full]: serves the canned
 * status until SIGTERM. Says "ready" on stdout when the socket listens. */
#include "bus/canned.h"
#include "publish/sd_cleanup.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

struct options {
	gboolean system, empty, fail, observe, pause, full;
};

static void parse(int *argc, char ***argv, struct options *ret)
{
	struct options options = {0};
	GOptionEntry entries[] = {
		{"system", 0, 0, G_OPTION_ARG_NONE, &options.system, NULL, NULL},
		{"empty", 0, 0, G_OPTION_ARG_NONE, &options.empty, NULL, NULL},
		{"fail", 0, 0, G_OPTION_ARG_NONE, &options.fail, NULL, NULL},
		{"observe", 0, 0, G_OPTION_ARG_NONE, &options.observe, NULL, NULL},
		{"pause", 0, 0, G_OPTION_ARG_NONE, &options.pause, NULL, NULL},
		{"full", 0, 0, G_OPTION_ARG_NONE, &options.full, NULL, NULL},
		{NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
	};
	GOptionContext *context = g_option_context_new("SOCKET");

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, argc, argv, NULL) || *argc != 2)
		g_error("serve SOCKET [--system] [--empty] [--fail] [--observe] [--pause] [--full]");
	g_option_context_free(context);
	*ret = options;
}

static int serve(const char *path, bool system, struct canned *canned)
{
	g_autoptr(sd_event) event = NULL;
	g_autoptr(nb_bus) bus = NULL;
	sigset_t term;
	int r;

	/* A test that fails does not stop what it started. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);

	r = sd_event_new(&event);
	if (r < 0)
		return r;
	r = sd_event_add_signal(event, NULL, SIGTERM, NULL, NULL);
	if (r < 0)
		return r;
	r = nb_bus_new(event, path, system, &canned_handlers, canned, &bus);
	if (r < 0)
		return r;
	canned->bus = bus;
	puts("ready");
	fflush(stdout);
	return sd_event_loop(event);
}

int main(int argc, char **argv)
{
	struct options options;
	struct canned canned;
	int r;

	parse(&argc, &argv, &options);
	canned_init(&canned);
	if (options.full)
		canned_make_full(&canned);
	canned.before_first_cycle = options.empty;
	canned.fails = options.fail;
	canned.status.mode = options.observe ? NB_MODE_OBSERVE : NB_MODE_BALANCE;
	canned.status.paused = options.pause;

	r = serve(argv[1], options.system, &canned);
	if (r < 0)
		fprintf(stderr, "serve: %s\n", strerror(-r));
	canned_clear(&canned);
	return r < 0 ? 1 : 0;
}
