/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Reads the lines of a configuration or a scenario: [Section], Key=Value, # and ; comments. Knows
 * nothing of which sections and keys there are. Pure. */

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* Longest line that is read; what is longer is some other kind of file. */
#define NB_INI_LINE_MAX 4096u

typedef struct nb_ini nb_ini;

enum nb_ini_kind {
	NB_INI_SECTION,    /* [name value]; value "" when there is no second word */
	NB_INI_ASSIGNMENT, /* name=value, both without white space around them */
	NB_INI_FAULT,      /* value is "what is wrong; what to write instead" */
};

/* Texts stay valid until the reader is freed. */
struct nb_ini_item {
	enum nb_ini_kind kind;
	unsigned line; /* the first is 1 */
	const char *name;
	const char *value;
};

/* Copies text, which need not end in NUL. A byte order mark in front is skipped. */
struct nb_ini *nb_ini_new(const char *text, size_t len);
void nb_ini_free(struct nb_ini *ini);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_ini, nb_ini_free)

/* The next item; false at the end of the text. An assignment always belongs to the section item
 * before it: those before the first section are faults, and those below a header that is itself a
 * fault are left out. */
bool nb_ini_next(struct nb_ini *ini, struct nb_ini_item *ret);
