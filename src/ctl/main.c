/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/values.h"
#include "ctl/bus/connect.h"
#include "ctl/ctl.h"
#include "ctl/options.h"
#include "ctl/show/columns.h"
#include "nicbalance/units.h"
#include "version.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

/* form is the table that -o is about; NULL for a command that prints none. */
static const struct command {
	const char *name;
	const char *arguments; /* what must follow it, one word or two, or [may]; or NULL */
	int (*run)(struct nb_ctl *ctl);
	const struct nb_form *form;
	const char *help;
	bool rehearses; /* what a file says; no daemon is asked */
} commands[] = {
	{"status", NULL, nb_ctl_status, &nb_form_queues,
	 "state, queues, CPUs and last changes (the default)"},
	{"plan", NULL, nb_ctl_plan, &nb_form_changes, "what the next cycle would change, and why"},
	{"latency", NULL, nb_ctl_latency, &nb_form_latency, "NET_RX softirq latency of each CPU"},
	{"record", NULL, nb_ctl_record, NULL, "record each cycle, for replay"},
	{"pause", NULL, nb_ctl_pause, NULL, "continue to measure, but change nothing"},
	{"resume", NULL, nb_ctl_resume, NULL, "make changes again"},
	{"restore", NULL, nb_ctl_restore, NULL, "restore all original values, and pause"},
	{"config", NULL, nb_ctl_config, &nb_form_settings,
	 "every setting and the file that sets it"},
	{"reload", NULL, nb_ctl_reload, NULL, "reload the configuration"},
	{"ban", "CPUS", nb_ctl_ban, NULL, "keep interrupts and RPS off these CPUs"},
	{"unban", "CPUS", nb_ctl_unban, NULL, "end that"},
	{"claim", "NIC|NIC:QUEUE|IRQ CPUS", nb_ctl_claim, NULL, "keep it on these CPUs"},
	{"release", "NIC|NIC:QUEUE|IRQ|@ID|all", nb_ctl_release, NULL, "end a ban or a claim"},
	{"claims", NULL, nb_ctl_claims, &nb_form_claims, "bans and claims, and whose they are"},
	{"owners", "[NIC]", nb_ctl_owners, &nb_form_owners, "who wrote which setting"},
	{"simulate", "SCENARIO", nb_ctl_simulate, &nb_form_rehearsed_moves,
	 "simulate a host, with and without the daemon", true},
	{"replay", "TRACE", nb_ctl_replay, &nb_form_rehearsed_moves,
	 "compare a recording with another configuration", true},
	{"report", "TRACE", nb_ctl_report, NULL, "the same as an HTML page", true},
};

static char *describe_commands(void)
{
	GString *text = g_string_new("Commands:\n");

	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		g_autofree char *call =
			g_strjoin(commands[i].arguments ? " " : "", commands[i].name,
				  commands[i].arguments ? commands[i].arguments : "", NULL);

		g_string_append_printf(text,
				       strlen(call) > 18 ? "  %s\n%20s %s\n" : "  %-18s%s %s\n",
				       call, "", commands[i].help);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		g_autofree char *names = NULL;

		if (!commands[i].form)
			continue;
		names = nb_columns_names(commands[i].form);
		g_string_append_printf(text, "\nColumns of %s:\n  %s\n", commands[i].name, names);
	}
	return g_string_free(text, FALSE);
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
	return r < 0 ? nb_ctl_usage("%s", error) : 0;
}

static bool writes_page(const struct command *command)
{
	return command->run == nb_ctl_report;
}

static bool writes_file(const struct command *command)
{
	return writes_page(command) || command->run == nb_ctl_record;
}

static int check_seconds(const struct nb_ctl_options *options, const struct command *command)
{
	int max = command->run == nb_ctl_record ? RECORD_SECONDS_MAX : SECONDS_MAX;

	if (options->seconds == SECONDS_NOT_GIVEN)
		return 0;
	if (command->run != nb_ctl_latency && command->run != nb_ctl_record)
		return nb_ctl_usage("--seconds is for latency and record");
	if (options->seconds >= 1 && options->seconds <= max)
		return 0;
	return nb_ctl_usage("--seconds takes a number from 1 to %d", max);
}

static unsigned n_arguments(const struct command *command)
{
	if (!command->arguments)
		return 0;
	return strchr(command->arguments, ' ') ? 2 : 1;
}

static int check_arguments(const struct nb_ctl_options *options, const struct command *command)
{
	unsigned n = options->n_arguments;

	if (n > n_arguments(command) && command->arguments)
		return nb_ctl_usage("too many arguments; write: nicbalancectl %s %s", command->name,
				    command->arguments);
	if (n > n_arguments(command))
		return nb_ctl_usage("one command at a time");
	if (n < n_arguments(command) && command->arguments[0] != '[')
		return nb_ctl_usage("%s of what? Write: nicbalancectl %s %s", command->name,
				    command->name, command->arguments);
	return 0;
}

static bool orders(const struct command *command)
{
	return command->run == nb_ctl_ban || command->run == nb_ctl_claim;
}

static int check_order(const struct nb_ctl_options *options, const struct command *command)
{
	uint64_t lease_nsec;

	if (options->owner && !orders(command) && command->run != nb_ctl_unban &&
	    command->run != nb_ctl_release)
		return nb_ctl_usage("--owner is for ban, unban, claim and release");
	if (options->owner && *options->owner == '\0')
		return nb_ctl_usage("--owner takes a name");
	if ((options->lease || options->while_connected) && !orders(command))
		return nb_ctl_usage("--lease and --while-connected are for ban and claim");
	if (options->exclusive && command->run != nb_ctl_claim)
		return nb_ctl_usage("--exclusive is for claim");
	if (options->lease &&
	    (nb_span_parse(options->lease, &lease_nsec) < 0 || lease_nsec < NB_NSEC_PER_USEC))
		return nb_ctl_usage("--lease takes a time span, as in 90s or 1h 30min");
	return 0;
}

static int check_options(const struct nb_ctl_options *options, const struct command *command)
{
	int r;

	r = check_arguments(options, command);
	if (r < 0)
		return r;
	r = check_order(options, command);
	if (r < 0)
		return r;
	if (!command->form && (options->output || options->json))
		return nb_ctl_usage("this command prints no table%s",
				    writes_file(command) ? "; --file names the file to write" : "");
	if (options->file && !writes_file(command))
		return nb_ctl_usage("--file is for record and report");
	if (options->all && command->run != nb_ctl_status)
		return nb_ctl_usage("--all is for status");
	if (options->config && !command->rehearses)
		return nb_ctl_usage("--config is for simulate, replay and report");
	if (options->report && (!command->rehearses || writes_page(command)))
		return nb_ctl_usage("--report is for simulate and replay");
	return check_seconds(options, command);
}

/* 0: none. */
static uint64_t lease_usec(const struct nb_ctl_options *options)
{
	uint64_t lease_nsec = 0;

	if (options->lease)
		(void)nb_span_parse(options->lease, &lease_nsec);
	return lease_nsec / NB_NSEC_PER_USEC;
}

/* What can be said to be wrong without the daemon is said before it is asked. Returns the command,
 * or NULL when it was said. */
static const struct command *prepare(const struct nb_ctl_options *options, struct nb_ctl *ctl)
{
	const struct command *command = find_command(options->command);

	if (!command)
		nb_ctl_usage("there is no command \"%s\"", options->command);
	if (!command || check_options(options, command) < 0)
		return NULL;
	nb_style_detect(&ctl->style);
	ctl->style.noheadings = options->noheadings;
	ctl->json = options->json;
	ctl->all = options->all;
	ctl->seconds = options->seconds == SECONDS_NOT_GIVEN ? 0 : (unsigned)options->seconds;
	ctl->file = options->file ? options->file : options->report;
	ctl->argument = options->argument;
	ctl->cpus = options->second_argument;
	ctl->owner = options->owner;
	ctl->lease_usec = lease_usec(options);
	ctl->exclusive = options->exclusive;
	ctl->while_connected = options->while_connected;
	ctl->config = options->config;
	if (options->output && select_columns(command, options->output, ctl) < 0)
		return NULL;
	return command;
}

static int exit_status(int r)
{
	switch (r) {
	case -ECONNREFUSED:
		return EXIT_NOT_RUNNING;
	case -EACCES:
		return EXIT_NOT_PERMITTED;
	case -EINPROGRESS:
		return EXIT_REMAINS;
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

	r = command->rehearses ? 0 : nb_connect(socket, &ctl->bus);
	if (r < 0)
		return r;
	r = command->run(ctl);
	if (r < 0)
		return r;
	return flush_output();
}

int main(int argc, char **argv)
{
	g_autofree char *described = describe_commands();
	struct nb_ctl_options options;
	struct nb_ctl ctl = {0};
	const struct command *command = NULL;
	int status;

	setlocale(LC_CTYPE, "");
	if (nb_ctl_options_parse(argc, argv, described, &options) == 0)
		command = prepare(&options, &ctl);
	if (!command)
		status = EXIT_USAGE;
	else if (options.version)
		status = exit_status(print_version());
	else
		status = exit_status(run(command, options.socket, &ctl));

	json_decref(ctl.document);
	sd_bus_flush_close_unref(ctl.bus);
	g_clear_pointer(&ctl.columns, g_ptr_array_unref);
	nb_ctl_options_clear(&options);
	return status;
}
