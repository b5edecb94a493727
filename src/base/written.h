/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Affinities that other programs wrote. One that narrows limits its queue or device interrupt for
 * as long as it stands: it is a row of nb_memory.written. Pure.
 *
 * Each complete sample is compared with the one before. What changed and was not our doing is
 * another program's, unless something tells of the driver or the kernel: the device was opened
 * again, its interrupts or counters began anew, the affinity is what its driver asks for, or CPUs
 * came or went. */

#include "nicbalance/memory.h"
#include "nicbalance/policy.h"
#include "nicbalance/snapshot.h"

#include <glib.h>

/* Looks, in a complete sample, for what tells of resets. Before the sample is paired with memory.
 */
void nb_written_note_resets(struct nb_memory *memory, const struct nb_snapshot *snapshot);
/* The affinities of this NIC may be its driver's or the kernel's doing. */
bool nb_written_is_unsteady(const struct nb_memory *memory, int ifindex, uint64_t now_nsec);

/* Brings memory.written in step with a complete sample; of another it does nothing. What was found
 * is noted in the memory of each queue and device interrupt, for the verifier. */
void nb_written_review(struct nb_memory *memory, const struct nb_snapshot *snapshot,
		       const struct nb_policy *policy);

/* An earlier run had found this row. It counts if it stands when it is reviewed. */
void nb_written_adopt(struct nb_memory *memory, const struct nb_pool *pool);
/* Forgets the row of a queue, of all queues of a NIC (NB_EVERY_QUEUE), or of a device interrupt:
 * they are placed again. Returns how many. */
unsigned nb_written_release(struct nb_memory *memory, struct nb_queue_key key);

/* Another program put it where it may be, and there it stays. allowed: the CPUs that it may use. */
bool nb_written_holds(const struct nb_pools *written, struct nb_queue_key key,
		      const struct nb_cpumask *allowed);
/* How long it is left alone after such a write: longer each time. */
uint64_t nb_written_rest_nsec(const struct nb_affinity_memory *affinity,
			      const struct nb_policy *policy);
/* The kernel did not carry out our last move: x86 silently drops a pending one if the target has no
 * vector left (kernel/irq/migration.c irq_move_masked_irq()), and the mask is again the one from
 * before our write. */
bool nb_written_lost_move(const struct nb_queue_memory *queue, const struct nb_queue_state *state);
