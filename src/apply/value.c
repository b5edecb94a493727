/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/value.h"

#include <assert.h>

GBytes *nb_value_of_cpus(const struct nb_cpumask *cpus)
{
	unsigned n_words = NB_CPUMASK_WORDS;

	while (n_words > 0 && cpus->words[n_words - 1] == 0)
		n_words--;
	return g_bytes_new(cpus->words, n_words * sizeof(cpus->words[0]));
}

void nb_value_cpus(GBytes *value, struct nb_cpumask *ret)
{
	gsize size;
	const void *words = g_bytes_get_data(value, &size);

	assert(size <= sizeof(ret->words));
	nb_cpumask_clear(ret);
	if (size > 0)
		memcpy(ret->words, words, size);
}

GBytes *nb_value_of_number(uint64_t number)
{
	return g_bytes_new(&number, sizeof(number));
}

uint64_t nb_value_number(GBytes *value)
{
	uint64_t number;
	gsize size;
	const void *data = g_bytes_get_data(value, &size);

	assert(size == sizeof(number));
	memcpy(&number, data, sizeof(number));
	return number;
}
