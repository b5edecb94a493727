/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cycle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t nb_bench_median(uint64_t *values, unsigned n)
{
	qsort(values, n, sizeof(*values), compare);
	return values[n / 2];
}

uint64_t nb_bench_mean(const uint64_t *values, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += values[i];
	return sum / n;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		int (*run)(int argc, char **argv);
	} verbs[] = {
		{"watch", nb_bench_watch}, {"enter", nb_bench_enter}, {"turn", nb_bench_turn},
		{"idle", nb_bench_idle},   {"loop", nb_bench_loop},
	};

	for (size_t i = 0; argc > 1 && i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(argv[1], verbs[i].word) == 0)
			return verbs[i].run(argc - 2, argv + 2);
	fprintf(stderr, "bench-cycle is a part of bench/cycle; run that.\n");
	return EXIT_FAILURE;
}
