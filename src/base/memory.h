/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Keeps struct nb_memory in step with the machine. Pure. A zeroed memory is an empty one. */

#include "nicbalance/memory.h"
#include "nicbalance/snapshot.h"

#include <glib.h>

void nb_memory_clear(struct nb_memory *memory);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(nb_memory, nb_memory_clear)
/* Clears all but what other programs wrote: that counts if it still stands. */
void nb_memory_forget_moves(struct nb_memory *memory);

/* After a rescan: pairs what is remembered with the queues of the new machine, by key. A queue that
 * is new or has other interrupts is fresh. The RPS mask of one that was reset is forgotten; other
 * masks that changed are left for the verifier to find, and affinities for nb_written_review().
 * Within a generation it only notes the counters, and what tells of resets. */
void nb_memory_sync(struct nb_memory *memory, const struct nb_snapshot *snapshot);

/* What is remembered of a queue that was reset: who it is, its counters, and its affinity. */
void nb_memory_renew_queue(struct nb_queue_memory *queue);

/* The daemon has begun so lately that services which start at the same time may be what its CPUs
 * are busy with. */
bool nb_memory_is_starting(const struct nb_memory *memory, uint64_t now_nsec);
/* A move of a queue is being measured. */
bool nb_memory_is_measuring(const struct nb_memory *memory);
/* No move is being measured, no placement is provisional, and no RPS mask or threaded NAPI is about
 * to be found no longer needed. */
bool nb_memory_is_settled(const struct nb_memory *memory, uint64_t now_nsec);

/* A restart found this queue, this RPS mask, this RSS table, this threaded NAPI or this
 * setting as the previous run left it. Queues come first: their CPUs tell which masks were set to
 * let a stuck NAPI complete. */
void nb_memory_adopt_queue(struct nb_memory *memory, struct nb_queue_key key, unsigned cpu);
void nb_memory_adopt_rps(struct nb_memory *memory, struct nb_queue_key key,
			 const struct nb_cpumask *cpus, uint64_t now_nsec);
/* spread: as in struct nb_rss_memory, and then queues are all. */
void nb_memory_adopt_rss(struct nb_memory *memory, int ifindex, const struct nb_cpumask *queues,
			 uint32_t spread);
void nb_memory_adopt_threaded(struct nb_memory *memory, struct nb_queue_key key);
void nb_memory_adopt_setting(struct nb_memory *memory, enum nb_kind kind, int ifindex,
			     unsigned ours);

/* Changes are made again after a pause or observe mode: queues that are still where they were found
 * are judged again, and XPS masks that were only said to change are changed. */
void nb_memory_refresh(struct nb_memory *memory);

/* NULL if not remembered. */
struct nb_queue_memory *nb_memory_find_queue(const struct nb_memory *memory,
					     struct nb_queue_key key);
struct nb_rps_memory *nb_memory_find_rps(struct nb_memory *memory, struct nb_queue_key key);
/* The entry of key, made if missing; valid until the next call that makes or drops one. */
struct nb_rps_memory *nb_memory_get_rps(struct nb_memory *memory, struct nb_queue_key key);
void nb_memory_drop_rps(struct nb_memory *memory, struct nb_queue_key key);
/* The same of a NIC's RSS table. */
struct nb_rss_memory *nb_memory_find_rss(const struct nb_memory *memory, int ifindex);
struct nb_rss_memory *nb_memory_get_rss(struct nb_memory *memory, int ifindex);
void nb_memory_drop_rss(struct nb_memory *memory, int ifindex);
/* The same of threaded NAPI, of one queue or of all of a NIC. */
struct nb_threaded_memory *nb_memory_find_threaded(const struct nb_memory *memory,
						   struct nb_queue_key key);
struct nb_threaded_memory *nb_memory_get_threaded(struct nb_memory *memory,
						  struct nb_queue_key key);
void nb_memory_drop_threaded(struct nb_memory *memory, struct nb_queue_key key);
/* We switched it on for this queue, by itself or with all of its NIC. */
bool nb_memory_is_threaded(const struct nb_memory *memory, struct nb_queue_key queue);
/* The same of a setting of a NIC as a whole. */
struct nb_setting_memory *nb_memory_find_setting(const struct nb_memory *memory, enum nb_kind kind,
						 int ifindex);
struct nb_setting_memory *nb_memory_get_setting(struct nb_memory *memory, enum nb_kind kind,
						int ifindex);
void nb_memory_drop_setting(struct nb_memory *memory, enum nb_kind kind, int ifindex);

/* The other queue of the swap that this queue's last move was half of; NULL if it was no swap. */
struct nb_queue_memory *nb_memory_find_partner(const struct nb_memory *memory,
					       const struct nb_queue_memory *queue);
/* nsec, doubled for each failure in a row of the queue, up to 64 times. */
uint64_t nb_memory_back_off(const struct nb_queue_memory *queue, uint64_t nsec);

/* nsec, four times as long for each failure in a row, up to 1024 times: what did not help is tried
 * a quarter as often each time; with a dwell of a minute, after five failures every 17 hours. */
uint64_t nb_memory_quadruple(uint64_t nsec, unsigned failures);

/* The kernel did not carry out a write for a reason that may pass, or did. */
void nb_memory_reject(struct nb_rejections *rejections, uint64_t now_nsec);
/* A write was rejected so lately that the next has to wait: wait_nsec after the first one in a row,
 * twice as long after each further one, up to 512 times. */
bool nb_memory_is_rejected(const struct nb_rejections *rejections, uint64_t wait_nsec,
			   uint64_t now_nsec);

/* A CPU had no free vector: it is no target until then. */
void nb_memory_set_no_vector(struct nb_memory *memory, unsigned cpu, uint64_t until_nsec);
bool nb_memory_lacks_vectors(const struct nb_memory *memory, unsigned cpu, uint64_t now_nsec);
