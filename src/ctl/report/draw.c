/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/report/draw.h"
#include "ctl/show/cell.h"

#define TICKS_MAX 12u

struct nb_draw_time nb_draw_time_of(const struct nb_rehearsal *run)
{
	const struct nb_rehearsed_second *seconds =
		(const struct nb_rehearsed_second *)(const void *)run->seconds->data;
	unsigned n = run->seconds->len;
	struct nb_draw_time time = {.length_nsec = n ? seconds[n - 1].at_nsec : 0};
	uint64_t measured_nsec = 0;

	for (unsigned i = 0; i < n; i++)
		measured_nsec += seconds[i].window_nsec;
	/* A window a column, and several where there are too many of them. */
	time.column_nsec = MAX(measured_nsec / MAX(n, 1), 1);
	if (time.length_nsec / time.column_nsec >= NB_DRAW_COLUMNS_MAX) {
		uint64_t least = time.length_nsec / NB_DRAW_COLUMNS_MAX + 1;

		time.column_nsec *= (least + time.column_nsec - 1) / time.column_nsec;
	}
	time.n_columns = (unsigned)((time.length_nsec + time.column_nsec - 1) / time.column_nsec);
	time.n_columns = MAX(time.n_columns, 1);
	return time;
}

void nb_draw_columns(const struct nb_draw_time *time, const struct nb_rehearsed_second *second,
		     unsigned *ret_first, unsigned *ret_end)
{
	uint64_t begin_nsec = nb_growth(second->window_nsec, second->at_nsec);
	/* Windows are not quite equal: one belongs where most of it is. */
	uint64_t first = (begin_nsec + time->column_nsec / 2) / time->column_nsec;
	uint64_t end = (second->at_nsec + time->column_nsec / 2) / time->column_nsec;

	*ret_first = (unsigned)MIN(first, time->n_columns - 1);
	*ret_end = (unsigned)CLAMP(end, *ret_first + 1, time->n_columns);
}

double nb_draw_x(const struct nb_draw_time *time, uint64_t nsec)
{
	return (double)nsec / (double)time->column_nsec * NB_DRAW_WIDTH / time->n_columns;
}

/* Times that people count in. */
static uint64_t tick_nsec(const struct nb_draw_time *time)
{
	static const unsigned seconds[] = {1,   2,   5,    10,   15,   30,    60,    120,  300,
					   600, 900, 1800, 3600, 7200, 10800, 21600, 43200};

	for (size_t i = 0; i < G_N_ELEMENTS(seconds); i++)
		if (time->length_nsec / NB_NSEC_PER_SEC / seconds[i] <= TICKS_MAX)
			return seconds[i] * NB_NSEC_PER_SEC;
	return time->length_nsec / TICKS_MAX;
}

void nb_draw_axis(GString *html, const struct nb_draw_time *time, unsigned y)
{
	uint64_t step_nsec = tick_nsec(time);

	g_string_append(html, "<g class=\"axis\">");
	for (uint64_t at_nsec = 0; at_nsec <= time->length_nsec; at_nsec += step_nsec) {
		double x = NB_DRAW_LEFT + nb_draw_x(time, at_nsec);
		g_autofree char *text = nb_span_text(at_nsec / NB_NSEC_PER_USEC);

		g_string_append_printf(
			html, "<path d=\"M%.1f %uv5\"/><text x=\"%.1f\" y=\"%u\">%s</text>", x, y,
			x, y + 17, text);
	}
	g_string_append(html, "</g>\n");
}

void nb_draw_begin(GString *html, const char *class, unsigned height, const char *label)
{
	g_string_append_printf(html, "<svg class=\"%s\" viewBox=\"0 0 %u %u\" role=\"img\">\n",
			       class, NB_DRAW_LEFT + NB_DRAW_WIDTH + NB_DRAW_RIGHT, height);
	g_string_append(html, "<title>");
	nb_draw_text(html, label);
	g_string_append(html, "</title>\n");
}

void nb_draw_text(GString *html, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	g_autofree char *escaped = g_markup_escape_text(valid, -1);

	g_string_append(html, escaped);
}

/* From light to dark without a step back, so that the order shows in grey, on paper and to every
 * kind of colour blindness: after magma of matplotlib, whose lightness is even (van der Walt and
 * Smith, SciPy 2015), with a paler beginning, for most CPUs are idle. */
static const char *const colours[NB_DRAW_LEVELS] = {
	"#f3f1ea", "#fdebb8", "#fed395", "#feb47b", "#fb8861", "#ee5b5e",
	"#d3436e", "#a8327d", "#762181", "#43107a", "#000004",
};

unsigned nb_draw_level(uint32_t share)
{
	if (share > NB_WHOLE)
		return NB_DRAW_LEVELS - 1;
	return MIN(share * (NB_DRAW_LEVELS - 1) / NB_WHOLE, NB_DRAW_LEVELS - 2);
}

void nb_draw_level_styles(GString *html)
{
	for (unsigned i = 0; i < NB_DRAW_LEVELS; i++)
		g_string_append_printf(html, ".l%u{stroke:%s}.k%u{background:%s}\n", i, colours[i],
				       i, colours[i]);
}

static bool has_offline(const struct nb_rehearsal *run)
{
	for (unsigned i = 0; i < run->demand->len; i++)
		if (g_array_index(run->demand, uint32_t, i) == NB_REHEARSED_OFFLINE)
			return true;
	return false;
}

void nb_draw_legend(GString *html, const struct nb_rehearsal *run)
{
	g_string_append(html, "<p class=\"legend\"><span>Busy, percent of one CPU</span>");
	for (unsigned i = 0; i < NB_DRAW_LEVELS; i++) {
		bool last = i == NB_DRAW_LEVELS - 1;

		g_string_append_printf(html, "<i class=\"k%u\"></i><b>", i);
		if (last)
			g_string_append(html, "more than it can do");
		else
			g_string_append_printf(html, "%u–%u", i * 10, (i + 1) * 10);
		g_string_append(html, "</b>");
	}
	if (has_offline(run))
		g_string_append(html, "<i class=\"off\"></i><b>offline</b>");
	g_string_append(html, "</p>\n");
}
