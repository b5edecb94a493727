/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/report_draw.h"

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
