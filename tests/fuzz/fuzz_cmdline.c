/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A first byte for the number of CPUs, then the kernel's command line. One more word adds its CPU
 * and nothing else, unless it stands behind "--"; words that are not about managed interrupts
 * isolate nothing. */

#include "fuzz/fuzz.h"
#include "sample/topology/isolation.h"

#include <stdlib.h>
#include <string.h>

static bool ends_for_the_kernel(const char *line)
{
	g_auto(GStrv) words = g_strsplit_set(line, " \t\n", -1);

	return g_strv_contains((const char *const *)words, "--");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *line = NULL, *more = NULL, *less = NULL;
	struct nb_cpumask mask, with_more, with_less;
	unsigned n_possible;

	if (size == 0)
		return 0;
	n_possible = data[0] * 32u;
	line = g_strndup((const char *)data + 1, size - 1);
	more = g_strconcat(line, " isolcpus=managed_irq,domain,77", NULL);
	less = g_strconcat(line, " -- isolcpus=managed_irq,78", NULL);
	nb_isolation_parse_cmdline(line, n_possible, &mask);
	nb_isolation_parse_cmdline(more, n_possible, &with_more);
	nb_isolation_parse_cmdline(less, n_possible, &with_less);

	FUZZ_CLAIM(nb_cpumask_equal(&mask, &with_less));
	FUZZ_CLAIM(strstr(line, "isolcpus=") || nb_cpumask_empty(&mask));
	FUZZ_CLAIM(strstr(line, "managed_irq") || nb_cpumask_empty(&mask));
	if (!ends_for_the_kernel(line))
		nb_cpumask_add(&mask, 77);
	FUZZ_CLAIM(nb_cpumask_equal(&mask, &with_more));
	return 0;
}
