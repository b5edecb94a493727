/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The variables that the service of irqbalance is started with: the syntax of its unit, of drop-ins
 * and of environment files, not what the values mean. Pure. */

#include <glib.h>

enum nb_irqbalance_variable {
	NB_IRQBALANCE_MASK,
	NB_IRQBALANCE_LIST,
	NB_IRQBALANCE_ARGUMENTS,
	NB_IRQBALANCE_COMMAND, /* ExecStart= of the unit, which may have arguments of its own */
	_NB_IRQBALANCE_VARIABLE_MAX,
};

/* The last assignment. */
struct nb_irqbalance_value {
	char *text; /* NULL: none; owned */
	char *origin;
};

typedef struct nb_irqbalance_variables {
	struct nb_irqbalance_value values[_NB_IRQBALANCE_VARIABLE_MAX];
	GPtrArray *files; /* that EnvironmentFile= names: absolute paths; NULL: none */
} nb_irqbalance_variables;

void nb_irqbalance_variables_clear(struct nb_irqbalance_variables *variables);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(nb_irqbalance_variables, nb_irqbalance_variables_clear)

const char *nb_irqbalance_variable_name(enum nb_irqbalance_variable variable);

/* path: as the operator knows it. What is neither of these variables nor understood is passed over,
 * with specifiers ("%i") and patterns of files. */
/* Of systemd.exec(5) and systemd.service(5): Environment=, EnvironmentFile= and ExecStart=, which
 * an empty value takes back. Units come before environment files, which replace what they say. */
void nb_irqbalance_variables_add_unit(struct nb_irqbalance_variables *variables, const char *path,
				      const char *text, size_t len);
/* What EnvironmentFile= names. */
void nb_irqbalance_variables_add_file(struct nb_irqbalance_variables *variables, const char *path,
				      const char *text, size_t len);
