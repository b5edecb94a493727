/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nicbalance/units.h"
#include "sample/parse/parse.h"
#include "sample/parse/text.h"

/* Columns of fs/proc/stat.c show_stat(). guest and guest_nice follow, and are inside user and
 * nice (kernel/sched/cputime.c account_guest_time()). */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, N_COLUMNS };

static bool take_times(struct nb_text *line, uint64_t nsec_per_tick, struct nb_cpu_counters *cpu)
{
	/* No machine has run for that long, and no sum below can overflow. */
	const uint64_t ticks_max = UINT64_MAX / NB_NSEC_PER_SEC / 8;
	uint64_t nsec[N_COLUMNS];

	for (int i = 0; i < N_COLUMNS; i++) {
		if (!nb_text_take_field(line, ticks_max, &nsec[i]))
			return false;
		nsec[i] *= nsec_per_tick;
	}
	cpu->user_nsec = nsec[USER] + nsec[NICE] + nsec[SYSTEM];
	cpu->idle_nsec = nsec[IDLE] + nsec[IOWAIT];
	cpu->irq_nsec = nsec[IRQ];
	cpu->softirq_nsec = nsec[SOFTIRQ];
	cpu->steal_nsec = nsec[STEAL];
	return true;
}

int nb_parse_stat(const char *text, size_t len, unsigned ticks_per_sec,
		  struct nb_cpu_counters *cpus, unsigned n_cpus)
{
	struct nb_text rest = nb_text_of(text, len), line;
	uint64_t nsec_per_tick = NB_NSEC_PER_SEC / ticks_per_sec, id;
	unsigned n = 0;

	while (nb_text_take_line(&rest, &line) > 0) {
		if (nb_text_take(&line, "intr "))
			return n == n_cpus ? 0 : -ESTALE;
		if (nb_text_take(&line, "cpu "))
			continue;
		if (!nb_text_take(&line, "cpu") || !nb_text_take_number(&line, UINT_MAX, &id))
			return -EBADMSG;
		if (n == n_cpus || cpus[n].id != id)
			return -ESTALE;
		if (!take_times(&line, nsec_per_tick, &cpus[n]))
			return -EBADMSG;
		n++;
	}
	return -EBADMSG;
}

/* fs/proc/stat.c show_stat() and show_all_irqs(): first the sum, then a number for each interrupt
 * from 0 on, those that do not exist too. */
static int take_counts(struct nb_text *line, GArray *ret_counts)
{
	uint64_t value;

	if (!nb_text_take_field(line, UINT64_MAX, &value))
		return -EBADMSG;
	g_array_set_size(ret_counts, 0);
	while (!nb_text_at_end(line)) {
		uint32_t count;

		if (!nb_text_take_field(line, UINT32_MAX, &value))
			return -EBADMSG;
		count = (uint32_t)value;
		g_array_append_val(ret_counts, count);
	}
	return 0;
}

int nb_parse_intr(const char *text, size_t len, GArray *ret_counts)
{
	struct nb_text rest = nb_text_of(text, len), line;

	while (nb_text_take_line(&rest, &line) > 0)
		if (nb_text_take(&line, "intr "))
			return take_counts(&line, ret_counts);
	return -EBADMSG;
}
