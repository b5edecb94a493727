/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/judges.h"

#include "base/find.h"

static bool is_where_we_put_it(const struct nb_device_irq_memory *known,
			       const struct nb_device_irq *now)
{
	return now->n_allowed == 1 && now->cpu == known->expected_cpu;
}

/* A mask that loses its last CPU becomes that of all (kernel/irq/cpuhotplug.c migrate_one_irq()):
 * then it is placed again. */
static void judge(const struct nb_judging *judging, struct nb_device_irq_memory *known,
		  const struct nb_device_irq *now)
{
	struct nb_finding finding = {
		.kind = NB_KIND_DEVICE_IRQ,
		.key = nb_device_irq_key(known->irq),
		.cpu_ours = known->expected_cpu,
		.cpu_theirs = now->n_allowed == 1 ? now->cpu : -1,
	};

	known->moved_nsec = 0;
	known->expected_cpu = -1;
	if (nb_cpumask_has(&judging->snapshot->machine->topology.online,
			   (unsigned)finding.cpu_ours))
		nb_judging_yield(judging, &finding, &known->yielded_until_nsec);
}

void nb_judge_device_irqs(const struct nb_judging *judging)
{
	const struct nb_machine *machine = judging->snapshot->machine;
	struct nb_memory *memory = judging->memory;

	if (memory->device_irqs_judged == machine->device_irqs_version)
		return;
	memory->device_irqs_judged = machine->device_irqs_version;
	for (unsigned i = 0; i < memory->n_device_irqs; i++) {
		struct nb_device_irq_memory *known = &memory->device_irqs[i];
		const struct nb_device_irq *now = nb_machine_find_device_irq(machine, known->irq);

		if (now && known->expected_cpu >= 0 && !is_where_we_put_it(known, now))
			judge(judging, known, now);
	}
}
