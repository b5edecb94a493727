/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel's configuration: a line that sets the option decides, wherever it stands. */

#include "fuzz/fuzz.h"
#include "sample/topology/accounting.h"

#include <stdlib.h>

#define OPTION "CONFIG_IRQ_TIME_ACCOUNTING"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autofree char *with = g_strconcat(text, "\n" OPTION "=y\n", NULL);
	enum nb_accounting accounting = nb_accounting_parse_config(text);

	FUZZ_CLAIM(accounting >= 0 && accounting < _NB_ACCOUNTING_MAX);
	FUZZ_CLAIM(strstr(text, OPTION) || accounting == NB_ACCOUNTING_UNKNOWN);
	FUZZ_CLAIM(nb_accounting_parse_config(with) == NB_ACCOUNTING_PRECISE);
	return 0;
}
