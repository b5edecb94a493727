/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A probe without a kernel: its counters are plain memory, written by the test. */

#include "bpf/probe.h"

/* Its CPUs 0 … n_cpus − 1 and NAPIs stand still until someone writes. */
struct nb_probe *nb_fake_probe_new(unsigned n_cpus);
void nb_fake_probe_free(struct nb_probe *probe);

struct nb_probe_cpu *nb_fake_probe_cpu(struct nb_probe *probe, unsigned cpu);
/* A NAPI that appears: of device ifindex, sure to follow irq (0: not known). Its position. */
unsigned nb_fake_probe_add_napi(struct nb_probe *probe, unsigned ifindex, uint32_t napi_id,
				uint32_t irq);
struct nb_probe_napi *nb_fake_probe_napi(struct nb_probe *probe, unsigned position);
/* The counters of an interrupt that is in scope. */
struct nb_probe_irq *nb_fake_probe_irq(struct nb_probe *probe, uint32_t irq);

/* One poll of nsec on a CPU, as the programs would book it: it took in so many packets. */
void nb_fake_probe_poll(struct nb_probe *probe, unsigned napi, unsigned cpu, uint64_t nsec,
			unsigned packets);

/* Packets of one entry of the RSS table that is counted, in the queue that it names and in others.
 */
void nb_fake_probe_receive(struct nb_probe *probe, unsigned bucket, unsigned packets,
			   unsigned strayed);
/* The same, by hashes that were reckoned. */
void nb_fake_probe_reckon(struct nb_probe *probe, unsigned bucket, unsigned packets,
			  unsigned strayed);
