/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/smooth.h"

#include "nicbalance/units.h"

#include <assert.h>

#define WEIGHT_OF_ONE_SECOND UINT64_C(3000)
/* Four standard deviations of a single window, which are 2.4 times those of the smoothed value:
 * √((2 − α) ÷ α) for α = 0.3. */
#define SHIFT_NOISE 10u

#define MAX(a, b) ((a) > (b) ? (a) : (b))

uint64_t nb_smooth_weight(uint64_t window_nsec, uint64_t seen_nsec)
{
	uint64_t steady =
		nb_basis_points(window_nsec, NB_NSEC_PER_SEC) * WEIGHT_OF_ONE_SECOND / NB_WHOLE;
	uint64_t average;

	assert(window_nsec > 0);
	if (steady > NB_WHOLE)
		return NB_WHOLE;
	/* The average has the greater weight until it has seen 1 ÷ 0.3 seconds. */
	if (seen_nsec > 4 * NB_NSEC_PER_SEC)
		return steady;
	average = nb_basis_points(window_nsec, window_nsec + seen_nsec);
	return steady > average ? steady : average;
}

bool nb_smooth_has_shifted(uint64_t value, uint64_t sample, uint64_t window_nsec, uint32_t noise)
{
	uint64_t off = value > sample ? value - sample : sample - value;
	uint64_t shift = NB_SMOOTH_SHIFT;

	assert(window_nsec > 0);
	if (window_nsec < NB_NSEC_PER_SEC)
		shift = NB_SMOOTH_SHIFT * NB_NSEC_PER_SEC / window_nsec;
	return off > MAX(shift, SHIFT_NOISE * noise);
}

void nb_smooth(uint64_t *value, uint64_t sample, uint64_t weight)
{
	assert(weight <= NB_WHOLE);
	*value = (*value * (NB_WHOLE - weight) + sample * weight) / NB_WHOLE;
}
