/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Sentences about the structs of status.h. Pure. Callers free (g_free). */

#include "nicbalance/status.h"

/* "eth0 queue 3 (IRQ 41): CPU 0 → CPU 5", or "ahci (IRQ 30): several CPUs → CPU 5", or "eth0: RSS
 * table temporarily limited to queues 0,2", or "eth0: 12 of 128 RSS table entries moved to other
 * queues" */
char *nb_record_what(const struct nb_record *record);
/* "its CPU is hotter than the mean (92 % → 61 % expected)" */
char *nb_record_why(const struct nb_record *record);
/* The outcome, or once measured, the effect. */
char *nb_record_result(const struct nb_record *record);
/* All of it: "eth0 queue 3 (IRQ 41): CPU 0 → CPU 5, its CPU is hotter than the mean (92 % → 61 %
 * expected)". */
char *nb_record_describe(const struct nb_record *record);

/* The verdict with its numbers: "no CPU with a queue is hot (CPU 3 at 12 %, mean 8 %)". plan may be
 * NULL. */
char *nb_plan_describe(const struct nb_plan *plan);
/* What runs where it should not: "IRQ 41 (eth0-rx-1)", "NET_RX" */
char *nb_intrusion_describe(const struct nb_intrusion *intrusion);
/* "eth0 queue 3 (IRQ 41, 42)" */
char *nb_queue_describe(const char *netdev, unsigned index, const uint32_t *irqs, unsigned n_irqs);
