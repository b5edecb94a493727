/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Calls, and their answers as rows. Each function says on stderr why it failed. */

#include "ctl/rows.h"
#include "ctl/sd_cleanup.h"

/* Rows of one type, and the message that owns their texts. All zero: none. */
typedef struct nb_rows {
	sd_bus_message *reply;
	GArray *rows;
} nb_rows;

void nb_rows_clear(nb_rows *rows);
/* Leaves none behind. */
nb_rows nb_rows_steal(nb_rows *rows);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(nb_rows, nb_rows_clear)

/* One row: the properties. */
int nb_fetch_daemon(sd_bus *bus, nb_rows *ret);

int nb_fetch_cpus(sd_bus *bus, nb_rows *ret);
int nb_fetch_nics(sd_bus *bus, nb_rows *ret);
int nb_fetch_queues(sd_bus *bus, nb_rows *ret);
int nb_fetch_moves(sd_bus *bus, nb_rows *ret);
int nb_fetch_excluded(sd_bus *bus, nb_rows *ret);
int nb_fetch_settings(sd_bus *bus, nb_rows *ret);
/* Rows are struct nb_delays. Keeps the daemon counting for another NB_BUS_WATCH_SEC. */
int nb_fetch_delays(sd_bus *bus, nb_rows *ret);

/* Lines of a trace; text belongs to reply. */
typedef struct nb_piece {
	sd_bus_message *reply;
	uint64_t cursor; /* for the next piece */
	bool lost;       /* pieces before this one are; the next one begins a trace */
	const char *text;
} nb_piece;

void nb_piece_clear(nb_piece *piece);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(nb_piece, nb_piece_clear)

/* cursor: 0 for the first piece, which is empty. */
int nb_fetch_piece(sd_bus *bus, uint64_t cursor, nb_piece *ret);

/* The message is in verdict, which is one row. */
typedef struct nb_plan_rows {
	nb_rows verdict, moves, rps;
} nb_plan_rows;

void nb_plan_rows_clear(nb_plan_rows *plan);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(nb_plan_rows, nb_plan_rows_clear)

int nb_fetch_plan(sd_bus *bus, nb_plan_rows *ret);
