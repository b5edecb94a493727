/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claims/written_text.h"

#include "base/cpumask_text.h"
#include "base/lines.h"
#include "claims/target.h"

#include <inttypes.h>
#include <string.h>

#define HEADER "nicbalance written 1"

enum field { WORD, SINCE, CPUS, TARGET, N_FIELDS };

char *nb_written_format(const GArray *rows)
{
	GString *text = g_string_new(HEADER "\n");

	for (unsigned i = 0; i < rows->len; i++) {
		const struct nb_written_row *row = &g_array_index(rows, struct nb_written_row, i);
		g_autofree char *cpus = nb_cpumask_format_list(&row->pool.cpus);
		g_autofree char *target = nb_target_format(&row->target);

		g_string_append_printf(text, "%s %" PRIu64 " %s %s\n",
				       row->pool.pin ? "pin" : "pool", row->pool.since_nsec, cpus,
				       target);
	}
	return g_string_free(text, FALSE);
}

static bool parse_line(const char *line, void *rows)
{
	g_auto(GStrv) fields = g_strsplit(line, " ", N_FIELDS + 1);
	struct nb_written_row row = {.pool.rule = NB_RULE_WRITTEN};

	if (g_strv_length(fields) != N_FIELDS)
		return false;
	row.pool.pin = g_str_equal(fields[WORD], "pin");
	if ((!row.pool.pin && !g_str_equal(fields[WORD], "pool")) ||
	    !g_ascii_string_to_unsigned(fields[SINCE], 10, 0, UINT64_MAX, &row.pool.since_nsec,
					NULL) ||
	    nb_cpumask_parse_list(fields[CPUS], strlen(fields[CPUS]), &row.pool.cpus) < 0 ||
	    nb_cpumask_empty(&row.pool.cpus) || nb_target_parse(fields[TARGET], &row.target) < 0 ||
	    row.target.type == NB_TARGET_NIC)
		return false;
	g_array_append_val((GArray *)rows, row);
	return true;
}

GArray *nb_written_parse(const char *text, size_t len, GArray *damaged)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(struct nb_written_row));

	nb_lines_each(text, len, HEADER, parse_line, rows, damaged);
	return rows;
}
