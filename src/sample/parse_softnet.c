/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse.h"
#include "sample/text.h"

/* Columns of net/core/net-procfs.c softnet_seq_show(). */
enum { PROCESSED = 0, DROPPED = 1, SQUEEZED = 2, RECEIVED_RPS = 9, CPU_ID = 12, N_COLUMNS };

#define DIGITS_MAX 8
#define NOT_HEX 16u

static unsigned hex_value(char c)
{
	unsigned digit = (unsigned char)c - (unsigned)'0';
	unsigned letter = ((unsigned char)c | 0x20u) - (unsigned)'a';

	if (digit < 10)
		return digit;
	return letter < 6 ? letter + 10 : NOT_HEX;
}

static bool take_hex(struct nb_text *line, uint32_t *ret)
{
	uint32_t value = 0;
	const char *start;
	unsigned digit;

	nb_text_skip_blanks(line);
	/* What most columns hold: of seven the kernel has no use any more. */
	if (nb_text_take(line, "00000000 ")) {
		*ret = 0;
		return true;
	}
	start = line->p;
	for (; line->p < line->end && (digit = hex_value(*line->p)) != NOT_HEX; line->p++)
		value = value << 4 | digit;
	*ret = value;
	return line->p > start && line->p - start <= DIGITS_MAX &&
	       (line->p == line->end || *line->p == ' ');
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
