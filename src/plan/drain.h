/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Queues whose NAPIs do not follow their interrupts. A poll that always finds its whole budget goes
 * on, with the interrupt masked, on the CPU where it began; most drivers do not look where they
 * are. Pure. */

#include "nicbalance/plan.h"
#include "plan/board.h"

/* While the verifier says that a queue is stuck, all queues polled on its CPU hand their packets on
 * by RPS, each to the CPU it was moved to, those that stay to such a CPU: what is left to poll is
 * then so little that every NAPI there finishes, and the next interrupt comes where it belongs.
 * When none is stuck any more the masks go, all at once, and queues that were drained are left
 * alone for a third of the RPS dwell. Appends struct nb_rps_change to changes;
 * false when there are none, or RPS is switched off. */
bool nb_drain(const struct nb_board *board, struct nb_memory *memory, GArray *changes);
