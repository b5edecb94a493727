/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The probe of a machine that is made up: no program fills its counters, so they are memory that
 * grows between cycles. What the programs cost is bench/probe's to tell. */
#include "cycle.h"

#include "bpf/probe_internal.h"
#include "nicbalance/snapshot.h"
#include "support/fake_probe.h"

#include <errno.h>

#define MSEC UINT64_C(1000000)

/* Applications use so much of each CPU. */
#define USER_NSEC (200 * MSEC)
/* Of any other vector, and of interrupts. */
#define OTHER_NSEC MSEC
#define INTERRUPTS 1000u
#define POLLS 1200u
#define PACKETS 16u

/* That daemon/grade.c is given when it asks for one. */
static struct nb_probe *ready;

int __wrap_nb_probe_open(struct nb_probe_loading **loading, struct nb_probe **ret,
			 char **ret_reason);

int __wrap_nb_probe_open(struct nb_probe_loading **loading, struct nb_probe **ret,
			 char **ret_reason)
{
	(void)loading;
	if (!ready) {
		*ret_reason = g_strdup("the estimated grade is measured");
		return -EPERM;
	}
	*ret = ready;
	return 0;
}

void nb_bench_probe_prepare(const struct nb_machine *machine)
{
	unsigned n_cpus = machine->topology.n_possible;

	ready = nb_fake_probe_new(n_cpus);
	/* As where the kernel lets its times be read: without /proc/stat. */
	ready->cpustat = g_new0(struct nb_probe_cpustat, n_cpus);
	for (unsigned i = 0; i < machine->n_queues; i++)
		nb_fake_probe_add_napi(ready, (unsigned)machine->queues[i].key.ifindex, 0,
				       machine->queues[i].irqs[0]);
}

static void turn_queue(const struct nb_queue *queue, unsigned napi, unsigned cpu,
		       uint64_t poll_nsec)
{
	struct nb_probe_irq *irq = nb_fake_probe_irq(ready, queue->irqs[0]);
	struct nb_probe_napi *counters = nb_fake_probe_napi(ready, napi);

	irq->irq_nsec += OTHER_NSEC;
	irq->count += INTERRUPTS;
	irq->cpu = cpu;
	ready->cpus[cpu].irq_nsec += OTHER_NSEC;
	ready->cpus[cpu].interrupts += INTERRUPTS;

	nb_fake_probe_poll(ready, napi, cpu, poll_nsec, PACKETS);
	counters->polls += POLLS;
	counters->packets += POLLS * PACKETS;
}

void nb_bench_probe_turn(const struct nb_snapshot *snapshot, uint64_t poll_nsec)
{
	if (snapshot->grade != NB_GRADE_MEASURED)
		return;
	for (unsigned i = 0; i < snapshot->n_cpus; i++) {
		struct nb_probe_cpu *cpu = nb_fake_probe_cpu(ready, snapshot->cpus[i].id);

		cpu->softirqs += POLLS;
		cpu->softirq_nsec[NB_PROBE_NET_TX] += OTHER_NSEC;
		ready->cpustat[snapshot->cpus[i].id].user_nsec += USER_NSEC;
	}
	for (unsigned i = 0; i < snapshot->n_queues; i++)
		if (snapshot->queues[i].effective_cpu >= 0)
			turn_queue(&snapshot->machine->queues[i], i,
				   (unsigned)snapshot->queues[i].effective_cpu, poll_nsec);
}
