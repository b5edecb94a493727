/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines come in order, texts are there, and an assignment has a section before it. */

#include "base/ini.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(nb_ini) ini = nb_ini_new((const char *)data, size);
	struct nb_ini_item item;
	bool in_section = false;
	unsigned line = 0;

	while (nb_ini_next(ini, &item)) {
		FUZZ_CLAIM(item.line > line);
		line = item.line;
		FUZZ_CLAIM(item.value != NULL);
		if (item.kind == NB_INI_SECTION)
			in_section = true;
		if (item.kind == NB_INI_ASSIGNMENT)
			FUZZ_CLAIM(in_section && item.name[0] != '\0');
	}
	return 0;
}
