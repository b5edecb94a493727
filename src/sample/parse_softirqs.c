/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse.h"
#include "sample/text.h"

/* The lines that count; p is NULL of a row that is not there. */
struct rows {
	struct nb_text header;
	struct nb_text net_tx;
	struct nb_text net_rx;
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
		if (nb_text_take(&line, "NET_TX:"))
			rows.net_tx = line;
		else if (nb_text_take(&line, "NET_RX:"))
			rows.net_rx = line;
	}
	*ret = rows;
	return r == 0 && rows.net_tx.p && rows.net_rx.p ? 0 : -EBADMSG;
}

/* Header and rows are walked together: the column of a CPU is where its name stands. */
static bool take_column(struct rows *rows, uint64_t *ret_id, uint64_t *ret_tx, uint64_t *ret_rx)
{
	return nb_text_take(&rows->header, "CPU") &&
	       nb_text_take_field(&rows->header, UINT_MAX, ret_id) &&
	       nb_text_take_field(&rows->net_tx, UINT32_MAX, ret_tx) &&
	       nb_text_take_field(&rows->net_rx, UINT32_MAX, ret_rx);
}

int nb_parse_softirqs(const char *text, size_t len, struct nb_cpu_counters *cpus, unsigned n_cpus)
{
	uint64_t id, net_tx, net_rx;
	struct rows rows;
	unsigned n = 0;
	int r;

	r = find_rows(nb_text_of(text, len), &rows);
	if (r < 0)
		return r;
	while (!nb_text_at_end(&rows.header)) {
		if (!take_column(&rows, &id, &net_tx, &net_rx))
			return -EBADMSG;
		if (n == n_cpus || cpus[n].id != id)
			continue;
		cpus[n].net_tx = (uint32_t)net_tx;
		cpus[n].net_rx = (uint32_t)net_rx;
		n++;
	}
	if (!nb_text_at_end(&rows.net_tx) || !nb_text_at_end(&rows.net_rx))
		return -EBADMSG;
	return n == n_cpus ? 0 : -ESTALE;
}
