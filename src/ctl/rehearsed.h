/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A rehearsal as commands show it: what came of a file without our plans and with them. */

#include "config/config.h"
#include "ctl/ctl.h"
#include "rehearse/rehearse.h"

typedef struct nb_rehearsed {
	char *title;             /* what was rehearsed, in a few words; owned */
	const char *note;        /* what the second run cannot tell; NULL: nothing is to be said */
	const char *names[2];    /* of the runs: a word */
	const char *headings[2]; /* and a few */
	struct nb_rehearsal
		*runs[2];         /* as it was or would be by itself, then by our plans; owned */
	struct nb_config *config; /* owned */
} nb_rehearsed;

/* Read the file that the command is about and the configuration, and run them. On failure every
 * fault was said on stderr, a line each with file, line and what to write instead. */
int nb_rehearsed_simulate(const struct nb_ctl *ctl, nb_rehearsed *ret);
int nb_rehearsed_replay(const struct nb_ctl *ctl, nb_rehearsed *ret);
void nb_rehearsed_clear(nb_rehearsed *rehearsed);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(nb_rehearsed, nb_rehearsed_clear)

/* Prints it as the options say, and writes the page when one is asked for. */
int nb_rehearsed_show(const struct nb_ctl *ctl, const nb_rehearsed *rehearsed);
/* Writes the page to path, to stdout when NULL. */
int nb_rehearsed_draw(const nb_rehearsed *rehearsed, const char *source, const char *path);

/* Its tables. Texts in rows belong to texts. */
GArray *nb_rehearsed_run_rows(const nb_rehearsed *rehearsed);      /* struct nb_run_row */
GArray *nb_rehearsed_verdict_rows(const struct nb_rehearsal *run); /* struct nb_verdict_row */
GArray *nb_rehearsed_move_rows(const struct nb_rehearsal *run, GPtrArray *texts);
