/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse.h"
#include "sample/text.h"

/* Columns of net/core/net-procfs.c softnet_seq_show(). */
enum { PROCESSED = 0, DROPPED = 1, SQUEEZED = 2, RECEIVED_RPS = 9, CPU_ID = 12, N_COLUMNS };

static bool take_hex(struct nb_text *line, uint32_t *ret)
{
	uint64_t value = 0;
	const char *start;

	nb_text_skip_blanks(line);
	start = line->p;
	for (; line->p < line->end && g_ascii_isxdigit(*line->p); line->p++) {
		value = value << 4 | (unsigned)g_ascii_xdigit_value(*line->p);
		if (value > UINT32_MAX)
			return false;
	}
	*ret = (uint32_t)value;
	return line->p > start && (line->p == line->end || *line->p == ' ');
}

int nb_parse_softnet(const char *text, size_t len, struct nb_cpu_counters *cpus, unsigned n_cpus)
{
	struct nb_text rest = nb_text_of(text, len), line;
	uint32_t columns[N_COLUMNS];
	unsigned n = 0;
	int r;

	while ((r = nb_text_take_line(&rest, &line)) > 0) {
		for (int i = 0; i < N_COLUMNS; i++)
			if (!take_hex(&line, &columns[i]))
				return -EBADMSG;
		if (n == n_cpus || cpus[n].id != columns[CPU_ID])
			return -ESTALE;
		cpus[n].processed = columns[PROCESSED];
		cpus[n].dropped = columns[DROPPED];
		cpus[n].squeezed = columns[SQUEEZED];
		cpus[n].received_rps = columns[RECEIVED_RPS];
		n++;
	}
	if (r < 0)
		return r;
	return n == n_cpus ? 0 : -ESTALE;
}
