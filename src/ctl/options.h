/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The command line of nicbalancectl. */

#include <glib.h>

struct nb_ctl_options {
	gboolean json, noheadings, all, version;
	gboolean exclusive, while_connected;
	int seconds;
	char *output;
	char *file;
	char *socket;
	char *config;
	char *report;
	char *owner;
	char *lease;
	char *command;
	/* Of the command; NULL: none was given. There may be more than it takes. */
	unsigned n_arguments;
	char *argument;
	char *second_argument;
};

/* Options may stand behind the command, too. commands is their description for --help, which prints
 * and exits. On failure says why on stderr and returns -EINVAL. */
int nb_ctl_options_parse(int argc, char **argv, const char *commands,
			 struct nb_ctl_options *options);
void nb_ctl_options_clear(struct nb_ctl_options *options);

/* Says what is wrong with the command line; -EINVAL. */
int nb_ctl_usage(const char *format, ...) G_GNUC_PRINTF(1, 2);
