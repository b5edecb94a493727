/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Rows of machine, snapshot and loads by their key; NULL if there is none. Pure. */

#include "nicbalance/load.h"
#include "nicbalance/snapshot.h"

const struct nb_nic *nb_machine_find_nic(const struct nb_machine *machine, int ifindex);
/* The name of a device, "" when it is gone. */
const char *nb_machine_netdev(const struct nb_machine *machine, int ifindex);
const struct nb_queue *nb_machine_find_queue(const struct nb_machine *machine,
					     struct nb_queue_key key);
/* The queue that an interrupt serves. */
const struct nb_queue *nb_machine_find_served(const struct nb_machine *machine, uint32_t irq);
/* The key of that queue, or else of a device interrupt. */
struct nb_queue_key nb_machine_key_of_irq(const struct nb_machine *machine, uint32_t irq);
const struct nb_device_irq *nb_machine_find_device_irq(const struct nb_machine *machine,
						       uint32_t irq);

/* The capacity of a CPU; NB_WHOLE if it is not known. */
uint32_t nb_topology_capacity(const struct nb_topology *topology, int cpu);

const struct nb_cpu_counters *nb_snapshot_find_cpu(const struct nb_snapshot *snapshot,
						   unsigned cpu);
const struct nb_queue_state *nb_snapshot_find_queue(const struct nb_snapshot *snapshot,
						    struct nb_queue_key key);
/* The pid of the kernel thread that polls a queue, by its position: netlink tells, or it polled
 * last. 0: softirqs do, or unknown. */
uint32_t nb_snapshot_thread(const struct nb_snapshot *snapshot, unsigned queue);
/* Of one in scope. */
const struct nb_nic_state *nb_snapshot_find_nic(const struct nb_snapshot *snapshot, int ifindex);
/* The RPS mask of a receive queue; NULL if RPS is off. */
const struct nb_cpumask *nb_snapshot_find_rps(const struct nb_snapshot *snapshot,
					      struct nb_queue_key key);

const struct nb_cpu_load *nb_loads_find_cpu(const struct nb_loads *loads, unsigned cpu);
const struct nb_nic_load *nb_loads_find_nic(const struct nb_loads *loads, int ifindex);
const struct nb_queue_load *nb_loads_find_queue(const struct nb_loads *loads,
						struct nb_queue_key key);
