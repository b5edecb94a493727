/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/cpu_time.h"

#include "nicbalance/units.h"

/* Each column of /proc/stat is rounded down to whole ticks of USER_HZ (10 ms), so a sum of columns
 * may lack this much without any time being missing. */
#define ROUNDING_NSEC (NB_NSEC_PER_SEC / 50)

/* A kernel that samples softirq time at the tick does not see an interrupt that wakes an idle CPU,
 * runs NET_RX and lets it sleep again: tick_nohz_stop_idle() ends the idle time and no column
 * begins (kernel/time/tick-sched.c). Time in no column is softirq time. */
static uint64_t missing(uint64_t accounted_nsec, uint64_t elapsed_nsec)
{
	return nb_growth(accounted_nsec + ROUNDING_NSEC, elapsed_nsec);
}

struct nb_cpu_time nb_cpu_time_between(const struct nb_cpu_counters *prev,
				       const struct nb_cpu_counters *cur, uint64_t elapsed_nsec)
{
	uint64_t user_nsec = nb_growth(prev->user_nsec, cur->user_nsec);
	uint64_t irq_nsec = nb_growth(prev->irq_nsec, cur->irq_nsec);
	uint64_t softirq_nsec = nb_growth(prev->softirq_nsec, cur->softirq_nsec);
	uint64_t steal_nsec = nb_growth(prev->steal_nsec, cur->steal_nsec);
	uint64_t busy_nsec = user_nsec + irq_nsec + softirq_nsec + steal_nsec;
	uint64_t idle_nsec = nb_growth(prev->idle_nsec, cur->idle_nsec);
	uint64_t accounted_nsec = busy_nsec + idle_nsec;
	/* All columns stand still on a captured machine only. */
	uint64_t missing_nsec = accounted_nsec ? missing(accounted_nsec, elapsed_nsec) : 0;

	return (struct nb_cpu_time){
		.busy_nsec = busy_nsec + missing_nsec,
		.softirq_nsec = softirq_nsec + missing_nsec,
		.irq_nsec = irq_nsec,
		.net_rx = cur->net_rx - prev->net_rx,
		.net_tx = cur->net_tx - prev->net_tx,
		.processed = cur->processed - prev->processed,
		.dropped = cur->dropped - prev->dropped,
		.squeezed = cur->squeezed - prev->squeezed,
	};
}

uint32_t nb_cpu_other_share(const struct nb_cpu_counters *prev, const struct nb_cpu_counters *cur,
			    uint64_t elapsed_nsec)
{
	return nb_basis_points(nb_growth(prev->user_nsec, cur->user_nsec) +
				       nb_growth(prev->steal_nsec, cur->steal_nsec),
			       elapsed_nsec);
}

struct nb_cpu_time nb_cpu_time_timed(const struct nb_cpu_counters *prev,
				     const struct nb_cpu_counters *cur, uint32_t other_share,
				     uint64_t elapsed_nsec)
{
	uint64_t irq_nsec = nb_growth(prev->irq_nsec, cur->irq_nsec);
	uint64_t softirq_nsec = nb_growth(prev->softirq_nsec, cur->softirq_nsec);
	uint64_t other_nsec = elapsed_nsec / NB_WHOLE * other_share;
	uint64_t busy_nsec = irq_nsec + softirq_nsec + other_nsec;

	return (struct nb_cpu_time){
		.busy_nsec = busy_nsec < elapsed_nsec ? busy_nsec : elapsed_nsec,
		.softirq_nsec = softirq_nsec,
		.irq_nsec = irq_nsec,
		.net_rx = cur->net_rx - prev->net_rx,
		.processed = cur->processed - prev->processed,
		.dropped = cur->dropped - prev->dropped,
		.squeezed = cur->squeezed - prev->squeezed,
	};
}
