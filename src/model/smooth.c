/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/smooth.h"

#include "nicbalance/units.h"

#define WEIGHT_OF_ONE_SECOND UINT64_C(3000)

uint64_t nb_smooth_weight(uint64_t window_nsec, uint64_t seen_nsec)
{
	uint64_t steady =
		nb_permyriad(window_nsec, NB_NSEC_PER_SEC) * WEIGHT_OF_ONE_SECOND / NB_WHOLE;
	uint64_t average = nb_permyriad(window_nsec, window_nsec + seen_nsec);

	if (steady > NB_WHOLE)
		return NB_WHOLE;
	return steady > average ? steady : average;
}

void nb_smooth(uint64_t *value, uint64_t sample, uint64_t weight)
{
	*value = (*value * (NB_WHOLE - weight) + sample * weight) / NB_WHOLE;
}
