/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse.h"
#include "sample/text.h"

static uint32_t *net_rx_of(struct nb_cpu_counters *cpu)
{
	return &cpu->net_rx;
}

static uint32_t *net_tx_of(struct nb_cpu_counters *cpu)
{
	return &cpu->net_tx;
}

/* Walks header and row together: the column of a CPU is where its name stands. */
static int take_row(struct nb_text header, struct nb_text row, struct nb_cpu_counters *cpus,
		    unsigned n_cpus, uint32_t *(*counter_of)(struct nb_cpu_counters *))
{
	unsigned n = 0;
	uint64_t id, count;

	while (!nb_text_at_end(&header)) {
		if (!nb_text_take(&header, "CPU") || !nb_text_take_field(&header, UINT_MAX, &id) ||
		    !nb_text_take_field(&row, UINT32_MAX, &count))
			return -EBADMSG;
		if (n < n_cpus && cpus[n].id == id)
			*counter_of(&cpus[n++]) = (uint32_t)count;
	}
	if (!nb_text_at_end(&row))
		return -EBADMSG;
	return n == n_cpus ? 0 : -ESTALE;
}

int nb_parse_softirqs(const char *text, size_t len, struct nb_cpu_counters *cpus, unsigned n_cpus)
{
	struct nb_text rest = nb_text_of(text, len), header, line;
	bool has_rx = false, has_tx = false;
	int r;

	r = nb_text_take_line(&rest, &header);
	if (r <= 0)
		return -EBADMSG;

	while ((r = nb_text_take_line(&rest, &line)) > 0) {
		nb_text_skip_blanks(&line);
		if (nb_text_take(&line, "NET_RX:")) {
			r = take_row(header, line, cpus, n_cpus, net_rx_of);
			has_rx = true;
		} else if (nb_text_take(&line, "NET_TX:")) {
			r = take_row(header, line, cpus, n_cpus, net_tx_of);
			has_tx = true;
		}
		if (r < 0)
			return r;
	}
	return r == 0 && has_rx && has_tx ? 0 : -EBADMSG;
}
