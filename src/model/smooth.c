/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/smooth.h"

#include "nicbalance/units.h"

#define WEIGHT_OF_ONE_SECOND UINT64_C(3000)

uint64_t nb_smooth_weight(uint64_t window_nsec, uint64_t seen_nsec)
{
	uint64_t steady =
		nb_permyriad(window_nsec, NB_NSEC_PER_SEC) * WEIGHT_OF_ONE_SECOND / NB_WHOLE;
	uint64_t average;

	if (steady > NB_WHOLE)
		return NB_WHOLE;
	/* The average has the greater weight until it has seen 1 ÷ 0.3 seconds. */
	if (seen_nsec > 4 * NB_NSEC_PER_SEC)
		return steady;
	average = nb_permyriad(window_nsec, window_nsec + seen_nsec);
	return steady > average ? steady : average;
}

void nb_smooth(uint64_t *value, uint64_t sample, uint64_t weight)
{
	*value = (*value * (NB_WHOLE - weight) + sample * weight) / NB_WHOLE;
}
