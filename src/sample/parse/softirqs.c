/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse/parse.h"

#include "nicbalance/names.h"
#include "sample/parse/text.h"

/* The names of CPUs, and the line of each kind; its p is NULL if it is not there. */
struct rows {
	struct nb_text header;
	struct nb_text kinds[_NB_SOFTIRQ_MAX];
};

static int find_rows(struct nb_text rest, struct rows *ret)
{
	struct rows rows = {};
	struct nb_text line;
	int r;

	r = nb_text_take_line(&rest, &rows.header);
	if (r <= 0)
		return -EBADMSG;
	while ((r = nb_text_take_line(&rest, &line)) > 0) {
		nb_text_skip_blanks(&line);
		for (enum nb_softirq kind = 0; kind < _NB_SOFTIRQ_MAX; kind++) {
			struct nb_text row = line;

			if (nb_text_take(&row, nb_softirq_name(kind)) && nb_text_take(&row, ":"))
				rows.kinds[kind] = row;
		}
	}
	*ret = rows;
	return r;
}

/* Header and rows are walked together: the column of a CPU is where its name stands. */
static bool take_cpu(struct rows *rows, uint64_t most, uint64_t *ret)
{
	return nb_text_take(&rows->header, "CPU") && nb_text_take_field(&rows->header, most, ret);
}

static bool take_count(struct rows *rows, enum nb_softirq kind, uint32_t *ret)
{
	uint64_t count;

	if (!nb_text_take_field(&rows->kinds[kind], UINT32_MAX, &count))
		return false;
	*ret = (uint32_t)count;
	return true;
}

int nb_parse_softirqs(const char *text, size_t len, struct nb_cpu_counters *cpus, unsigned n_cpus)
{
	uint32_t net_tx, net_rx;
	struct rows rows;
	unsigned n = 0;
	uint64_t id;
	int r;

	r = find_rows(nb_text_of(text, len), &rows);
	if (r < 0 || !rows.kinds[NB_SOFTIRQ_NET_TX].p || !rows.kinds[NB_SOFTIRQ_NET_RX].p)
		return -EBADMSG;
	while (!nb_text_at_end(&rows.header)) {
		if (!take_cpu(&rows, UINT_MAX, &id) ||
		    !take_count(&rows, NB_SOFTIRQ_NET_TX, &net_tx) ||
		    !take_count(&rows, NB_SOFTIRQ_NET_RX, &net_rx))
			return -EBADMSG;
		if (n == n_cpus || cpus[n].id != id)
			continue;
		cpus[n].net_tx = net_tx;
		cpus[n].net_rx = net_rx;
		n++;
	}
	if (!nb_text_at_end(&rows.kinds[NB_SOFTIRQ_NET_TX]) ||
	    !nb_text_at_end(&rows.kinds[NB_SOFTIRQ_NET_RX]))
		return -EBADMSG;
	return n == n_cpus ? 0 : -ESTALE;
}

static bool take_counts(struct rows *rows, uint32_t *counts)
{
	for (enum nb_softirq kind = 0; kind < _NB_SOFTIRQ_MAX; kind++)
		if (rows->kinds[kind].p && !take_count(rows, kind, &counts[kind]))
			return false;
	return true;
}

int nb_parse_softirq_kinds(const char *text, size_t len, nb_softirq_fn fn, void *userdata)
{
	uint32_t counts[_NB_SOFTIRQ_MAX] = {};
	struct rows rows;
	uint64_t id;
	int r;

	r = find_rows(nb_text_of(text, len), &rows);
	if (r < 0)
		return r;
	while (!nb_text_at_end(&rows.header)) {
		if (!take_cpu(&rows, NB_CPUS_MAX - 1, &id) || !take_counts(&rows, counts))
			return -EBADMSG;
		fn((unsigned)id, counts, userdata);
	}
	return 0;
}

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
