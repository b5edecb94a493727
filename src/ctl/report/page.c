/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/report/draw.h"
#include "ctl/show/cell.h"
#include "version.h"

static const char style[] =
	"body{font:15px/1.45 system-ui,sans-serif;color:#1c1b22;background:#fff;"
	"max-width:1120px;margin:2rem auto;padding:0 1.2rem}\n"
	"h1{font-size:1.6rem;margin:0}h2{font-size:1.15rem;margin:2.2rem 0 .4rem}\n"
	"p{margin:.3rem 0 .8rem}.source,.note{color:#5d5b66}.outcome{font-size:1.1rem;"
	"margin-top:1rem}\n"
	".sums{display:flex;flex-wrap:wrap;gap:0 2.5rem;align-items:flex-start}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"th,td{text-align:left;vertical-align:top;padding:.22rem .8rem .22rem 0;"
	"border-bottom:1px solid #e4e2ea}\n"
	"thead th{color:#5d5b66;font-weight:600;border-bottom:2px solid #c9c6d2}\n"
	"tbody th{font-weight:400}td.n,.figures thead th{text-align:right}\n"
	".sums{font-size:14px}.sums>div{flex:1 1 0;min-width:22rem}.figures td:last-child{font-weight:600}.moves{font-size:13px;width:100%}"
	".moves th{white-space:nowrap}\n"
	"svg{display:block;width:100%;height:auto;overflow:visible}\n"
	"svg text{font-size:11px;fill:#3c3a46}\n"
	".cells path{fill:none;shape-rendering:crispEdges}.loff{stroke:#c3cbd1}"
	".off{background:#c3cbd1}\n"
	".names text,.grid text{text-anchor:end}.names .node{text-anchor:start;font-weight:600}\n"
	".axis path{stroke:#8a8794}.axis text,.marks text{text-anchor:middle}\n"
	".grid path{stroke:#e4e2ea}.grid .whole{stroke:#b0adb9;stroke-dasharray:5 4}\n"
	".lines .before,.lines .after{fill:none;stroke-width:1.6;stroke-linejoin:round}\n"
	".lines .before{stroke:#98959f}.lines .after{stroke:#0077a3;stroke-width:2.2}\n"
	".marks path{fill:none;stroke:#007f8a;stroke-width:1.4}"
	".marks .halo{stroke:#fff;stroke-width:3.4;stroke-opacity:.8}\n"
	".marks circle{fill:#00b3b8;stroke:#fff;stroke-width:1}.marks text{fill:#006a73;"
	"font-weight:600}\n"
	".legend{display:flex;flex-wrap:wrap;align-items:center;gap:.15rem .3rem;font-size:13px}\n"
	".legend span{margin-right:.5rem}.legend i{width:1.5em;height:1em;display:inline-block}"
	".legend b{font-weight:400;margin-right:.55rem}\n"
	".legend .before,.legend .after{height:3px;background:#98959f}"
	".legend .after{background:#0077a3}\n"
	"footer{margin:2.5rem 0 1rem;color:#5d5b66;font-size:13px}\n"
	"@media print{body{margin:0;max-width:none}svg{break-inside:avoid}}\n";

/* Colours are part of what it says, so they are printed, too. */
static void append_head(GString *html, const char *title)
{
	g_string_append(html, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
			      "<meta charset=\"utf-8\">\n"
			      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	nb_draw_text(html, title);
	g_string_append(html, "</title>\n<style>\n");
	g_string_append(html, style);
	nb_draw_level_styles(html);
	g_string_append(html, "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}\n"
			      "</style>\n</head>\n<body>\n");
}

static unsigned percent(uint32_t bp)
{
	return (bp + 50) / 100;
}

/* The answer before the figures. */
static void append_outcome(GString *html, const nb_rehearsed *rehearsed)
{
	struct nb_rehearsal_sum before, after;

	nb_rehearsal_sum(rehearsed->runs[0], &before);
	nb_rehearsal_sum(rehearsed->runs[1], &after);
	g_string_append_printf(
		html,
		"<p class=\"outcome\">The hottest CPU with network work: <b>%u %%</b> "
		"%s, <b>%u %%</b> %s, on average, by %u moved queue%s.</p>\n",
		percent(before.hottest_mean), rehearsed->headings[0], percent(after.hottest_mean),
		rehearsed->headings[1], after.n_moves, after.n_moves == 1 ? "" : "s");
}

static void append_title(GString *html, const nb_rehearsed *rehearsed, const char *title,
			 const char *source, const struct nb_draw_time *time)
{
	g_autofree char *length = nb_span_text(time->length_nsec / NB_NSEC_PER_USEC);

	g_string_append(html, "<h1>");
	nb_draw_text(html, title);
	g_string_append(html, "</h1>\n<p class=\"source\">");
	nb_draw_text(html, source);
	g_string_append_printf(html, ": %s on %u CPUs</p>\n", length, rehearsed->runs[0]->n_cpus);
	append_outcome(html, rehearsed);
}

static void append_sums(GString *html, const nb_rehearsed *rehearsed)
{
	g_string_append(html, "<div class=\"sums\"><div><h2>Figures</h2>\n");
	nb_draw_figures(html, rehearsed);
	g_string_append(html, "</div><div><h2>What the daemon thought</h2>\n");
	nb_draw_verdicts(html, rehearsed->runs[1]);
	g_string_append(html, "</div></div>\n");
}

static void append_advice(GString *html, const struct nb_rehearsal *run)
{
	if (run->advice->len == 0)
		return;
	g_string_append(html, "<h2>Advice</h2>\n<ul>\n");
	for (unsigned i = 0; i < run->advice->len; i++) {
		const struct nb_rehearsed_advice *said =
			&g_array_index(run->advice, struct nb_rehearsed_advice, i);

		g_string_append(html, "<li>");
		nb_draw_text(html, said->nic);
		g_string_append(html, ": ");
		nb_draw_text(html, said->text);
		g_string_append(html, "</li>\n");
	}
	g_string_append(html, "</ul>\n");
}

static void append_column_note(GString *html, const struct nb_draw_time *time)
{
	if (time->column_nsec <= NB_NSEC_PER_SEC)
		return;
	g_string_append_printf(
		html, "<p class=\"note\">Each column is the hottest of %.0f seconds.</p>\n",
		(double)time->column_nsec / NB_NSEC_PER_SEC);
}

static void append_maps(GString *html, const nb_rehearsed *rehearsed,
			const struct nb_draw_time *time)
{
	for (unsigned i = 0; i < 2; i++) {
		g_string_append_printf(html, "<h2>Every CPU %s</h2>\n", rehearsed->headings[i]);
		if (i == 0) {
			nb_draw_legend(html, rehearsed->runs[i]);
			append_column_note(html, time);
		}
		nb_draw_heat(html, rehearsed->runs[i], time, rehearsed->headings[i]);
	}
}

static void append_moves(GString *html, const nb_rehearsed *rehearsed)
{
	for (unsigned i = 2; i-- > 0;) {
		if (rehearsed->runs[i]->records->len == 0)
			continue;
		g_string_append_printf(html, "<h2>Moves %s</h2>\n", rehearsed->headings[i]);
		nb_draw_moves(html, rehearsed->runs[i], rehearsed->names[i]);
	}
}

GString *nb_draw_page(const nb_rehearsed *rehearsed, const char *source)
{
	struct nb_draw_time time = nb_draw_time_of(rehearsed->runs[0]);
	const char *title = *rehearsed->title ? rehearsed->title : "Network interrupt load";
	GString *html = g_string_new(NULL);

	append_head(html, title);
	append_title(html, rehearsed, title, source, &time);
	append_sums(html, rehearsed);
	append_advice(html, rehearsed->runs[1]);
	g_string_append(html, "<h2>The hottest CPU with network work</h2>\n");
	nb_draw_hottest(html, rehearsed, &time);
	append_maps(html, rehearsed, &time);
	append_moves(html, rehearsed);
	g_string_append(html, "<footer>");
	if (rehearsed->note)
		g_string_append_printf(html, "<p>%s</p>", rehearsed->note);
	g_string_append(html, "<p>Numbers above a map are those of the moves below. "
			      "nicbalance " NB_VERSION "</p></footer>\n</body>\n</html>\n");
	return html;
}
