/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/options.h"

#include "ctl/ctl.h"

#include <errno.h>

int nb_ctl_usage(const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_printerr("nicbalancectl: %s\nTry: nicbalancectl --help\n", text);
	return -EINVAL;
}

static void take_words(int argc, char **argv, struct nb_ctl_options *options)
{
	options->n_arguments = argc > 2 ? (unsigned)argc - 2 : 0;
	options->command = g_strdup(argc > 1 ? argv[1] : "status");
	options->argument = argc > 2 ? g_strdup(argv[2]) : NULL;
	options->second_argument = argc > 3 ? g_strdup(argv[3]) : NULL;
}

int nb_ctl_options_parse(int argc, char **argv, const char *commands,
			 struct nb_ctl_options *options)
{
	const GOptionEntry entries[] = {
		{"json", 0, 0, G_OPTION_ARG_NONE, &options->json, "Print JSON", NULL},
		{"output", 'o', 0, G_OPTION_ARG_STRING, &options->output,
		 "Print only these columns; with +, add them", "COLUMNS"},
		{"file", 0, 0, G_OPTION_ARG_FILENAME, &options->file,
		 "With report, record: write to FILE instead of standard output", "FILE"},
		{"all", 0, 0, G_OPTION_ARG_NONE, &options->all,
		 "Print every CPU and every move of the history", NULL},
		{"noheadings", 0, 0, G_OPTION_ARG_NONE, &options->noheadings, "Print no headings",
		 NULL},
		{"seconds", 0, 0, G_OPTION_ARG_INT, &options->seconds,
		 "With latency: measure for N seconds (5); with record: stop after N seconds", "N"},
		{"config", 0, 0, G_OPTION_ARG_FILENAME, &options->config,
		 "With simulate, replay, report: use this configuration", "FILE"},
		{"report", 0, 0, G_OPTION_ARG_FILENAME, &options->report,
		 "With simulate, replay: also write the HTML page", "FILE"},
		{"owner", 0, 0, G_OPTION_ARG_STRING, &options->owner,
		 "With ban, unban, claim, release: whose order it is (operator)", "NAME"},
		{"lease", 0, 0, G_OPTION_ARG_STRING, &options->lease,
		 "With ban, claim: until this time is over", "SPAN"},
		{"while-connected", 0, 0, G_OPTION_ARG_NONE, &options->while_connected,
		 "With ban, claim: stay, and until interrupted", NULL},
		{"exclusive", 0, 0, G_OPTION_ARG_NONE, &options->exclusive,
		 "With claim: nothing else may use these CPUs", NULL},
		{"socket", 0, 0, G_OPTION_ARG_FILENAME, &options->socket,
		 "Connect to the daemon on PATH", "PATH"},
		{"version", 0, 0, G_OPTION_ARG_NONE, &options->version, "Print the version", NULL},
		{NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
	};
	g_autoptr(GOptionContext) context = g_option_context_new("[COMMAND]");
	g_autoptr(GError) error = NULL;

	*options = (struct nb_ctl_options){.seconds = SECONDS_NOT_GIVEN};
	g_option_context_set_summary(context, "Query and control nicbalanced.");
	g_option_context_set_description(context, commands);
	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, &argc, &argv, &error))
		return nb_ctl_usage("%s", error->message);
	take_words(argc, argv, options);
	return 0;
}

void nb_ctl_options_clear(struct nb_ctl_options *options)
{
	g_free(options->output);
	g_free(options->file);
	g_free(options->socket);
	g_free(options->config);
	g_free(options->report);
	g_free(options->owner);
	g_free(options->lease);
	g_free(options->command);
	g_free(options->argument);
	g_free(options->second_argument);
}
