/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Exponential smoothing of what is measured in windows of uneven length. Pure. */

#include <stdint.h>

/* Weight, in permyriad, of a window of window_nsec for something that was seen for seen_nsec
 * before: 0.3 for a window of one second, which follows a shift of traffic in three to four samples
 * and damps the 10 ms grain of /proc/stat; in proportion for other lengths. What has not been seen
 * for long is a plain average instead: a first window, and a short one above all, may be all
 * chance. */
uint64_t nb_smooth_weight(uint64_t window_nsec, uint64_t seen_nsec);

/* Moves value towards sample by weight. */
void nb_smooth(uint64_t *value, uint64_t sample, uint64_t weight);
