/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/report/draw.h"

#define HEIGHT 170u
#define TOP 10u
/* Twice a CPU says enough about too much. */
#define SHARE_MAX (2 * NB_WHOLE)

static unsigned y_of(uint32_t share, uint32_t top)
{
	return TOP + HEIGHT - HEIGHT * MIN(share, top) / top;
}

/* A whole CPU, and more only where there is more. */
static uint32_t top_of(const nb_rehearsed *rehearsed)
{
	uint32_t top = NB_WHOLE;

	for (unsigned i = 0; i < 2; i++) {
		const GArray *seconds = rehearsed->runs[i]->seconds;

		for (unsigned j = 0; j < seconds->len; j++)
			top = MAX(top,
				  g_array_index(seconds, struct nb_rehearsed_second, j).hottest);
	}
	return MIN((top + 2499) / 2500 * 2500, SHARE_MAX);
}

static void append_grid(GString *html, uint32_t top)
{
	g_string_append(html, "<g class=\"grid\">");
	for (uint32_t share = 0; share <= top; share += 2500)
		g_string_append_printf(
			html, "<path d=\"M%u %uh%u\"%s/><text x=\"%u\" y=\"%u\">%u %%</text>",
			NB_DRAW_LEFT, y_of(share, top), NB_DRAW_WIDTH,
			share == NB_WHOLE ? " class=\"whole\"" : "", NB_DRAW_LEFT - 6,
			y_of(share, top) + 4, share / 100);
	g_string_append(html, "</g>\n");
}

/* The hottest second of each column. */
static void append_line(GString *html, const struct nb_rehearsal *run,
			const struct nb_draw_time *time, uint32_t top, const char *class)
{
	g_autofree uint32_t *hottest = g_new0(uint32_t, time->n_columns);
	double width = (double)NB_DRAW_WIDTH / time->n_columns;

	for (unsigned i = 0; i < run->seconds->len; i++) {
		const struct nb_rehearsed_second *second =
			&g_array_index(run->seconds, struct nb_rehearsed_second, i);
		unsigned first, end;

		nb_draw_columns(time, second, &first, &end);
		for (unsigned x = first; x < end; x++)
			hottest[x] = MAX(hottest[x], second->hottest);
	}
	g_string_append_printf(html, "<path class=\"%s\" d=\"", class);
	for (unsigned x = 0; x < time->n_columns; x++)
		g_string_append_printf(html, "%s%.1f %uh%.2f", x ? "L" : "M",
				       NB_DRAW_LEFT + x * width, y_of(hottest[x], top), width);
	g_string_append(html, "\"/>\n");
}

void nb_draw_hottest(GString *html, const nb_rehearsed *rehearsed, const struct nb_draw_time *time)
{
	uint32_t top = top_of(rehearsed);

	g_string_append_printf(html,
			       "<p class=\"legend\"><i class=\"before\"></i><b>%s</b>"
			       "<i class=\"after\"></i><b>%s</b></p>\n",
			       rehearsed->headings[0], rehearsed->headings[1]);
	nb_draw_begin(html, "lines", TOP + HEIGHT + NB_DRAW_AXIS,
		      "The hottest CPU with network work");
	append_grid(html, top);
	append_line(html, rehearsed->runs[0], time, top, "before");
	append_line(html, rehearsed->runs[1], time, top, "after");
	nb_draw_axis(html, time, TOP + HEIGHT);
	g_string_append(html, "</svg>\n");
}
