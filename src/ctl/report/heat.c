/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/describe.h"
#include "ctl/report/draw.h"

#define HEIGHT_WANTED 800u
#define ROW_MAX 22u
#define LABEL_HEIGHT 12u /* of the name of a CPU */
#define GAP 20u          /* above each node, for its name */
#define MARKS 18u        /* above all, for the numbers of moves */
#define OFFLINE NB_DRAW_LEVELS

struct heat {
	const struct nb_rehearsal *run;
	const struct nb_draw_time *time;
	unsigned *order; /* of CPUs from top to bottom */
	unsigned *tops;  /* of each CPU by position */
	uint8_t *levels; /* n_columns for each CPU by position; the highest of each column */
	unsigned row;    /* height */
	unsigned bottom;
};

static bool is_before(const struct nb_rehearsal *run, unsigned a, unsigned b)
{
	return run->cpu_nodes[a] != run->cpu_nodes[b] ? run->cpu_nodes[a] < run->cpu_nodes[b]
						      : run->cpu_ids[a] < run->cpu_ids[b];
}

/* Few CPUs, so insertion will do; mostly they are in order. */
static void sort_by_node(struct heat *heat)
{
	for (unsigned i = 0; i < heat->run->n_cpus; i++) {
		unsigned at = i;

		for (; at > 0 && is_before(heat->run, i, heat->order[at - 1]); at--)
			heat->order[at] = heat->order[at - 1];
		heat->order[at] = i;
	}
}

/* A node that is the only one needs no name. */
static bool begins_node(const struct heat *heat, unsigned i)
{
	const int *nodes = heat->run->cpu_nodes;
	unsigned last = heat->run->n_cpus - 1;

	if (nodes[heat->order[0]] == nodes[heat->order[last]])
		return false;
	return i == 0 || nodes[heat->order[i]] != nodes[heat->order[i - 1]];
}

static void lay_out(struct heat *heat)
{
	unsigned n_cpus = heat->run->n_cpus;
	unsigned y = MARKS;

	heat->row = CLAMP(HEIGHT_WANTED / MAX(n_cpus, 1), 1, ROW_MAX);
	sort_by_node(heat);
	for (unsigned i = 0; i < n_cpus; i++) {
		if (begins_node(heat, i))
			y += GAP;
		heat->tops[heat->order[i]] = y;
		y += heat->row;
	}
	heat->bottom = y;
}

/* Of several windows in a column, and of an offline CPU and a busy one, the hottest counts: peaks
 * must not vanish. */
static void raise_level(uint8_t *level, uint32_t demand)
{
	if (demand == NB_REHEARSED_OFFLINE)
		*level = *level ? *level : OFFLINE + 1;
	else if (*level == OFFLINE + 1 || nb_draw_level(demand) + 1 > *level)
		*level = (uint8_t)(nb_draw_level(demand) + 1);
}

/* A level is stored plus one; zero is a column without a window. */
static void fill_levels(struct heat *heat)
{
	unsigned n_cpus = heat->run->n_cpus, n_columns = heat->time->n_columns;

	for (unsigned i = 0; i < heat->run->seconds->len; i++) {
		const struct nb_rehearsed_second *second =
			&g_array_index(heat->run->seconds, struct nb_rehearsed_second, i);
		unsigned first, end;

		nb_draw_columns(heat->time, second, &first, &end);
		for (unsigned cpu = 0; cpu < n_cpus; cpu++)
			for (unsigned x = first; x < end; x++)
				raise_level(&heat->levels[cpu * n_columns + x],
					    g_array_index(heat->run->demand, uint32_t,
							  i * n_cpus + cpu));
	}
}

/* The stretches of one level in one row, as strokes of a path. */
static void append_row(GString *path, const struct heat *heat, unsigned cpu, unsigned level)
{
	const uint8_t *levels = &heat->levels[cpu * heat->time->n_columns];
	unsigned begin = 0;

	for (unsigned x = 0; x <= heat->time->n_columns; x++) {
		bool in = x < heat->time->n_columns && levels[x] == level + 1;

		if (!in && begin < x)
			g_string_append_printf(path, "M%u %u%sh%u", begin,
					       heat->tops[cpu] + heat->row / 2,
					       heat->row % 2 ? ".5" : "", x - begin);
		if (!in)
			begin = x + 1;
	}
}

/* One path for each level: a page of 256 CPUs stays small. Between high rows a line is left free.
 */
static void append_cells(GString *html, const struct heat *heat)
{
	g_string_append_printf(html,
			       "<g class=\"cells\" stroke-width=\"%u\" "
			       "transform=\"translate(%u 0) scale(%.5f 1)\">\n",
			       heat->row >= 8 ? heat->row - 1 : heat->row, NB_DRAW_LEFT,
			       (double)NB_DRAW_WIDTH / heat->time->n_columns);
	for (unsigned level = 0; level <= OFFLINE; level++) {
		g_autoptr(GString) path = g_string_new(NULL);

		for (unsigned cpu = 0; cpu < heat->run->n_cpus; cpu++)
			append_row(path, heat, cpu, level);
		if (path->len == 0)
			continue;
		if (level == OFFLINE)
			g_string_append_printf(html, "<path class=\"loff\" d=\"%s\"/>\n",
					       path->str);
		else
			g_string_append_printf(html, "<path class=\"l%u\" d=\"%s\"/>\n", level,
					       path->str);
	}
	g_string_append(html, "</g>\n");
}

static void append_names(GString *html, const struct heat *heat)
{
	unsigned every = 1;

	while (every * heat->row < LABEL_HEIGHT)
		every *= 2;
	g_string_append(html, "<g class=\"names\">");
	for (unsigned i = 0; i < heat->run->n_cpus; i++) {
		unsigned cpu = heat->order[i];
		unsigned y = heat->tops[cpu];

		if (begins_node(heat, i))
			g_string_append_printf(html,
					       "<text class=\"node\" x=\"%u\" y=\"%u\">Node %d"
					       "</text>",
					       NB_DRAW_LEFT, y - 6, heat->run->cpu_nodes[cpu]);
		if (heat->run->cpu_ids[cpu] % every == 0)
			g_string_append_printf(
				html, "<text x=\"%u\" y=\"%u\">%s%u</text>", NB_DRAW_LEFT - 6,
				y + (heat->row >= LABEL_HEIGHT ? heat->row / 2 + 4 : 8),
				i == 0 ? "CPU " : "", heat->run->cpu_ids[cpu]);
	}
	g_string_append(html, "</g>\n");
}

/* The middle of a CPU's row; false: not on the map. */
static bool middle_of(const struct heat *heat, int id, double *ret)
{
	for (unsigned i = 0; i < heat->run->n_cpus; i++) {
		if ((int)heat->run->cpu_ids[i] != id)
			continue;
		*ret = heat->tops[i] + heat->row / 2.0;
		return true;
	}
	return false;
}

static double x_of(const struct heat *heat, const struct nb_record *record)
{
	return NB_DRAW_LEFT + nb_draw_x(heat->time, record->realtime_usec * NB_NSEC_PER_USEC);
}

static void append_way(GString *html, const struct heat *heat, const struct nb_record *record)
{
	double x = x_of(heat, record);
	double from, to;

	if (record->event != NB_EVENT_MOVED || !middle_of(heat, record->cpu_from, &from) ||
	    !middle_of(heat, record->cpu_to, &to) || record->cpu_from == record->cpu_to)
		return;
	g_string_append_printf(html,
			       "<path class=\"halo\" d=\"M%.1f %.1fV%.1f\"/>"
			       "<path d=\"M%.1f %.1fV%.1f\"/>\n",
			       x, from, to, x, from, to);
}

static void append_target(GString *html, const struct heat *heat, const struct nb_record *record,
			  unsigned number)
{
	double radius = CLAMP(heat->row / 5.0, 1.8, 3.5);
	g_autofree char *what = nb_record_what(record);
	double to;

	if (record->event != NB_EVENT_MOVED || !middle_of(heat, record->cpu_to, &to))
		return;
	g_string_append_printf(html, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>%u: ",
			       x_of(heat, record), to, radius, number);
	nb_draw_text(html, what);
	g_string_append(html, "</title></circle>\n");
}

/* The numbers of the records made at one time, where there is room for them. */
static void append_number(GString *html, const struct heat *heat, unsigned first, unsigned last,
			  double *taken)
{
	const struct nb_record *record =
		&g_array_index(heat->run->records, struct nb_record, first);
	double x = x_of(heat, record);
	g_autofree char *text = first == last ? g_strdup_printf("%u", first + 1)
					      : g_strdup_printf("%u–%u", first + 1, last + 1);
	double width = 4.0 * (double)g_utf8_strlen(text, -1) + 4;

	g_string_append_printf(html, "<path d=\"M%.1f %uv4\"/>", x, MARKS - 5);
	if (x - width < *taken)
		return;
	g_string_append_printf(html, "<text x=\"%.1f\" y=\"%u\">%s</text>", x, MARKS - 7, text);
	*taken = x + width;
}

static void append_marks(GString *html, const struct heat *heat)
{
	const GArray *records = heat->run->records;
	double taken = 0;
	unsigned first = 0;

	g_string_append(html, "<g class=\"marks\">\n");
	for (unsigned i = 0; i < records->len; i++)
		append_way(html, heat, &g_array_index(records, struct nb_record, i));
	for (unsigned i = 0; i < records->len; i++)
		append_target(html, heat, &g_array_index(records, struct nb_record, i), i + 1);
	for (unsigned i = 0; i < records->len; i++) {
		const struct nb_record *record = &g_array_index(records, struct nb_record, i);

		if (i + 1 < records->len && record[1].realtime_usec == record->realtime_usec)
			continue;
		append_number(html, heat, first, i, &taken);
		first = i + 1;
	}
	g_string_append(html, "</g>\n");
}

void nb_draw_heat(GString *html, const struct nb_rehearsal *run, const struct nb_draw_time *time,
		  const char *label)
{
	g_autofree unsigned *order = g_new0(unsigned, run->n_cpus);
	g_autofree unsigned *tops = g_new0(unsigned, run->n_cpus);
	g_autofree uint8_t *levels = g_new0(uint8_t, (size_t)run->n_cpus * time->n_columns);
	struct heat heat = {
		.run = run, .time = time, .order = order, .tops = tops, .levels = levels};

	lay_out(&heat);
	fill_levels(&heat);
	nb_draw_begin(html, "heat", heat.bottom + NB_DRAW_AXIS, label);
	append_cells(html, &heat);
	append_names(html, &heat);
	append_marks(html, &heat);
	nb_draw_axis(html, time, heat.bottom + 2);
	g_string_append(html, "</svg>\n");
}
