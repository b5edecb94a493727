/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/fetch_rows.h"
#include "nicbalance/interface.h"

static int read_cpu(sd_bus_message *reply, void *row)
{
	struct nb_cpu_row *cpu = row;

	return sd_bus_message_read(reply, "(" NB_BUS_CPU ")", &cpu->id, &cpu->core, &cpu->llc,
				   &cpu->node, &cpu->busy, &cpu->load.queues, &cpu->load.fixed,
				   &cpu->backlog, &cpu->softirq, &cpu->irq, &cpu->dropped,
				   &cpu->squeezed, &cpu->n_queues, &cpu->note);
}

int nb_fetch_cpus(sd_bus *bus, nb_rows *ret)
{
	return nb_fetch_rows(bus, "ListCpus", NB_BUS_CPU, sizeof(struct nb_cpu_row), read_cpu, ret);
}
