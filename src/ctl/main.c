/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/columns.h"
#include "ctl/connect.h"
#include "ctl/ctl.h"
#include "version.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

struct options {
	gboolean json, noheadings, all, version;
	char *output;
	char *socket;
	char *command;
};

/* form is the table that -o is about; NULL for a command that prints none. */
static const struct command {
	const char *name;
	int (*run)(struct nb_ctl *ctl);
	const struct nb_form *form;
	const char *help;
} commands[] = {
	{"status", nb_ctl_status, &nb_form_queues, "what it sees and did (the default)"},
	{"plan", nb_ctl_plan, &nb_form_planned_moves, "what the next round would do, and why"},
	{"pause", nb_ctl_pause, NULL, "change nothing from now on"},
	{"resume", nb_ctl_resume, NULL, "act again"},
	{"restore", nb_ctl_restore, NULL, "put everything back as it was found, and pause"},
	{"config", nb_ctl_config, &nb_form_settings, "every setting and where it comes from"},
	{"reload", nb_ctl_reload, NULL, "read the configuration anew"},
};

static char *describe_commands(void)
{
	GString *text = g_string_new("Commands:\n");

	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		g_string_append_printf(text, "  %-18s %s\n", commands[i].name, commands[i].help);
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		g_autofree char *names = NULL;

		if (!commands[i].form)
			continue;
		names = nb_columns_names(commands[i].form);
		g_string_append_printf(text, "\nColumns of %s:\n  %s\n", commands[i].name, names);
	}
	return g_string_free(text, FALSE);
}

static int usage(const char *text)
{
	g_printerr("nicbalancectl: %s\nTry: nicbalancectl --help\n", text);
	return -EINVAL;
}

static int take_command(int argc, char **argv, struct options *options)
{
	if (argc > 2)
		return usage("one command at a time");
	options->command = g_strdup(argc == 2 ? argv[1] : "status");
	return 0;
}

/* Options may stand behind the command, too. --help prints and exits. */
static int parse(int argc, char **argv, struct options *options)
{
	const GOptionEntry entries[] = {
		{"json", 0, 0, G_OPTION_ARG_NONE, &options->json, "Print JSON", NULL},
		{"output", 'o', 0, G_OPTION_ARG_STRING, &options->output,
		 "Print these columns alone, or with +, these too", "COLUMNS"},
		{"all", 0, 0, G_OPTION_ARG_NONE, &options->all,
		 "Print every CPU and every move of the history", NULL},
		{"noheadings", 0, 0, G_OPTION_ARG_NONE, &options->noheadings, "Print no headings",
		 NULL},
		{"socket", 0, 0, G_OPTION_ARG_FILENAME, &options->socket,
		 "Speak to the daemon that listens at PATH", "PATH"},
		{"version", 0, 0, G_OPTION_ARG_NONE, &options->version, "Print the version", NULL},
		{NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
	};
	g_autoptr(GOptionContext) context = g_option_context_new("[COMMAND]");
	g_autofree char *described = describe_commands();
	g_autoptr(GError) error = NULL;

	g_option_context_set_summary(context, "Ask and direct nicbalanced.");
	g_option_context_set_description(context, described);
	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, &argc, &argv, &error))
		return usage(error->message);
	return take_command(argc, argv, options);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		if (g_str_equal(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int select_columns(const struct command *command, const char *text, struct nb_ctl *ctl)
{
	g_autofree char *error = NULL;
	int r;

	r = nb_columns_select(command->form, &ctl->style, text, &ctl->columns, &error);
	return r < 0 ? usage(error) : 0;
}

/* What can be said to be wrong without the daemon is said before it is asked. */
static int prepare(const struct options *options, struct nb_ctl *ctl, const struct command **ret)
{
	const struct command *command = find_command(options->command);
	g_autofree char *unknown = NULL;

	if (!command) {
		unknown = g_strdup_printf("there is no command \"%s\"", options->command);
		return usage(unknown);
	}
	if (!command->form && (options->output || options->json))
		return usage("this command prints no table");
	nb_style_detect(&ctl->style);
	ctl->style.noheadings = options->noheadings;
	ctl->json = options->json;
	ctl->all = options->all;
	*ret = command;
	return options->output ? select_columns(command, options->output, ctl) : 0;
}

static int exit_status(int r)
{
	switch (r) {
	case -ECONNREFUSED:
		return EXIT_NOT_RUNNING;
	case -EACCES:
		return EXIT_NOT_PERMITTED;
	default:
		return r < 0 ? EXIT_FAILED : EXIT_DONE;
	}
}

/* A full disk behind a redirection is no success. */
static int flush_output(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	g_printerr("nicbalancectl: cannot write the output: %s\n", strerror(errno));
	return -EIO;
}

static int print_version(void)
{
	puts("nicbalancectl " NB_VERSION);
	return flush_output();
}

static int run(const struct command *command, const char *socket, struct nb_ctl *ctl)
{
	int r;

	r = nb_connect(socket, &ctl->bus);
	if (r < 0)
		return r;
	r = command->run(ctl);
	if (r < 0)
		return r;
	return flush_output();
}

int main(int argc, char **argv)
{
	struct options options = {0};
	struct nb_ctl ctl = {0};
	const struct command *command = NULL;
	int status;

	setlocale(LC_CTYPE, "");
	if (parse(argc, argv, &options) < 0 || prepare(&options, &ctl, &command) < 0)
		status = EXIT_USAGE;
	else if (options.version)
		status = exit_status(print_version());
	else
		status = exit_status(run(command, options.socket, &ctl));

	sd_bus_flush_close_unref(ctl.bus);
	g_clear_pointer(&ctl.columns, g_ptr_array_unref);
	g_free(options.output);
	g_free(options.socket);
	g_free(options.command);
	return status;
}
