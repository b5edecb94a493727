/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Names and signatures of the bus object, as the daemon serves and nicbalancectl reads them;
 * systemd/org.nicbalance1.xml says the same to the rest of the world. Pure.
 * Shares are basis points of one CPU; words are those of nicbalance/names.h; a list is CPUs in the
 * form "0-3,8". */

#define NB_BUS_NAME "org.nicbalance1"
#define NB_BUS_PATH "/org/nicbalance1"
#define NB_BUS_INTERFACE "org.nicbalance1.Manager"
#define NB_BUS_SOCKET "/run/nicbalance/bus"

/* Reload: the message holds a line for each fault of the configuration. */
#define NB_BUS_ERROR_CONFIGURATION "org.nicbalance1.Error.Configuration"
/* Pause, Resume, Restore, WatchDelays: the daemon says in the message what went wrong. */
#define NB_BUS_ERROR_FAILED "org.nicbalance1.Error.Failed"

/* id, core, last-level cache, node; busy, queues, rest, backlog, softirq, irq; dropped and squeezed
 * in the last window; number of queues served; note (words separated by commas). */
#define NB_BUS_CPU "uuuiuuuuuuuuus"

/* ifindex, name, driver, node, name of its master, scope, mapping, source of packet counts; number
 * of receive queues, of transmit queues, of queues that move as one, of slow-path vectors. */
#define NB_BUS_NIC "ississssuuuu"

/* ifindex, name of the device, index; has a receive queue, a transmit queue; interrupts; CPU or -1;
 * cost; what its NAPI's kernel threads use besides; every poll of the last window used its whole
 * budget; packets received, packets sent and interrupts per second; RPS list; note. */
#define NB_BUS_QUEUE "isubbauiuubtttss"

/* When (CLOCK_REALTIME, microseconds); event, reason or "", outcome, effect; ifindex, name of the
 * device, index, interrupts; CPU from and to or -1; RPS list from and to; cost, load before,
 * predicted and measured (4294967295: not measured); what, why and the result as sentences. Of an
 * interrupt that is no queue's ifindex is 0, the name "", and index its number. */
#define NB_BUS_MOVE "tssssisuauiissuuuusss"

/* "nic", "queue" or "cpu"; which; why in a word and in a sentence. */
#define NB_BUS_EXCLUDED "ssss"

/* ifindex, name of the device, index; reason; CPU from or -1, CPU to; cost; load of the source now
 * and as predicted, of the target now and as predicted; why in a sentence. */
#define NB_BUS_PLANNED_MOVE "isusiuuuuuus"
/* ifindex, name of the device, index; reason; RPS list from, to; why in a sentence. */
#define NB_BUS_PLANNED_RPS "isussss"
/* verdict in a word and in a sentence; hottest CPU or -1, its load, the mean, the gain that a move
 * needs; moves; RPS masks. */
#define NB_BUS_PLAN "ssiuuua(" NB_BUS_PLANNED_MOVE ")a(" NB_BUS_PLANNED_RPS ")"

/* CPU; how often NET_RX waited there for its turn, as in struct nb_delays. */
#define NB_BUS_DELAYS "uau"

/* Cursor for the next call; text since the last one is lost; lines of a trace. */
#define NB_BUS_RECORDED "tbs"

/* So long delays are counted after WatchDelays was called last, and a trace is kept after Record
 * was. */
#define NB_BUS_WATCH_SEC 10

/* section, key, value, default, origin ("path:line"; empty for the default). */
#define NB_BUS_SETTING "sssss"
