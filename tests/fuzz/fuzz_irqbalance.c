/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is taken bans CPUs by a line that there is, and interrupts to leave alone; what is refused
 * is said with its line and a remedy. */

#include "config/irqbalance.h"
#include "fuzz/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_auto(nb_irqbalance_variables) variables = {};
	g_autoptr(nb_irqbalance) irqbalance = NULL;
	g_autofree char *error = NULL;
	int r;

	nb_irqbalance_variables_add_unit(&variables, "/f", (const char *)data, size);
	nb_irqbalance_variables_add_file(&variables, "/f", (const char *)data, size);
	for (unsigned i = 0; variables.files && i < variables.files->len; i++)
		FUZZ_CLAIM(*(const char *)g_ptr_array_index(variables.files, i) == '/');
	r = nb_irqbalance_interpret(&variables, &irqbalance, &error);
	if (r < 0) {
		FUZZ_CLAIM(r == -EINVAL && !irqbalance);
		FUZZ_CLAIM(g_str_has_prefix(error, "/f:") && strstr(error, "; write "));
		return 0;
	}
	FUZZ_CLAIM(!error);
	FUZZ_CLAIM(irqbalance->origin || nb_cpumask_empty(&irqbalance->banned));
	for (unsigned i = 0; i < irqbalance->interrupts.n_rules; i++)
		FUZZ_CLAIM(irqbalance->interrupts.rules[i].ignore);
	return 0;
}
