/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The drawings and tables of a report. Pure. All drawings share their left edge and their axis of
 * time, so that what stands one below the other happened at once. */

#include "ctl/report/rehearsed.h"

/* Pixels. */
#define NB_DRAW_LEFT 64u /* room for the names of CPUs */
#define NB_DRAW_WIDTH 1000u
#define NB_DRAW_RIGHT 16u
#define NB_DRAW_AXIS 22u /* room for the labels of time */

/* More columns than this no screen shows side by side. */
#define NB_DRAW_COLUMNS_MAX 600u

/* How time becomes columns. */
struct nb_draw_time {
	uint64_t length_nsec;
	uint64_t column_nsec;
	unsigned n_columns;
};

struct nb_draw_time nb_draw_time_of(const struct nb_rehearsal *run);
/* The columns [*ret_first, *ret_end) that a second covers. */
void nb_draw_columns(const struct nb_draw_time *time, const struct nb_rehearsed_second *second,
		     unsigned *ret_first, unsigned *ret_end);
/* Distance from the left edge of the drawing. */
double nb_draw_x(const struct nb_draw_time *time, uint64_t nsec);
/* Ticks and labels below y. */
void nb_draw_axis(GString *html, const struct nb_draw_time *time, unsigned y);
/* The opening tag of a drawing. */
void nb_draw_begin(GString *html, const char *class, unsigned height, const char *label);

/* A rehearsal as a page of HTML that needs nothing but itself: no script, no font, no picture from
 * elsewhere. source: the file it came from. Caller frees. */
GString *nb_draw_page(const nb_rehearsed *rehearsed, const char *source);

/* Text from elsewhere. */
void nb_draw_text(GString *html, const char *text);

/* The colours of shares, as rules of a style sheet and as a legend. A second's share has the class
 * of its level; the last level is demand beyond a whole CPU. */
#define NB_DRAW_LEVELS 11u
unsigned nb_draw_level(uint32_t share);
void nb_draw_level_styles(GString *html);
void nb_draw_legend(GString *html, const struct nb_rehearsal *run);

/* CPUs by time, with marks for moves that bear the numbers of the table of moves. */
void nb_draw_heat(GString *html, const struct nb_rehearsal *run, const struct nb_draw_time *time,
		  const char *label);
/* The hottest CPU of both runs. */
void nb_draw_hottest(GString *html, const nb_rehearsed *rehearsed, const struct nb_draw_time *time);

void nb_draw_figures(GString *html, const nb_rehearsed *rehearsed);
void nb_draw_verdicts(GString *html, const struct nb_rehearsal *run);
/* id names its rows, so that marks can point at them. */
void nb_draw_moves(GString *html, const struct nb_rehearsal *run, const char *id);
