/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verify/judges.h"

static void judge(const struct nb_judging *judging, struct nb_device_irq_memory *known)
{
	struct nb_finding finding = {
		.kind = NB_KIND_DEVICE_IRQ,
		.key = nb_device_irq_key(known->irq),
		.cpu_ours = known->expected_cpu,
		.cpu_theirs = known->affinity.cpu,
	};

	(void)nb_judging_yield_affinity(judging, &finding, &known->affinity,
					&known->yielded_until_nsec);
	known->moved_nsec = 0;
	known->expected_cpu = -1;
}

void nb_judge_device_irqs(const struct nb_judging *judging)
{
	struct nb_memory *memory = judging->memory;

	for (unsigned i = 0; i < memory->n_device_irqs; i++)
		if (memory->device_irqs[i].affinity.unjudged)
			judge(judging, &memory->device_irqs[i]);
}
