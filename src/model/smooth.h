/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Exponential smoothing of values measured in windows of uneven length. Pure. */

#include <stdbool.h>
#include <stdint.h>

/* Weight, in basis points, of a window of window_nsec for something that was seen for seen_nsec
 * before: 0.3 for a window of one second, which follows a shift of traffic in three to four samples
 * and damps the 10 ms ticks of /proc/stat; in proportion for other lengths. What has not been seen
 * for long is a plain average instead: a first window, above all a short one, may be all chance. */
uint64_t nb_smooth_weight(uint64_t window_nsec, uint64_t seen_nsec);

/* A share of one CPU. A smaller difference in a second is no shift; this much is five standard
 * deviations of 250 samples of the tick. */
#define NB_SMOOTH_SHIFT 1500u

/* Whether a window is so far off the smoothed value that the value has shifted: by more than
 * NB_SMOOTH_SHIFT for a window of a second, in proportion for shorter ones, and by at least four
 * standard deviations. noise is that of the smoothed loads; all are basis points. What has shifted
 * is to be smoothed as if it had never been seen. */
bool nb_smooth_has_shifted(uint64_t value, uint64_t sample, uint64_t window_nsec, uint32_t noise);

/* Moves value towards sample by weight. */
void nb_smooth(uint64_t *value, uint64_t sample, uint64_t weight);
