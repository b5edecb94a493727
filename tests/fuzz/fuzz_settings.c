/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A first byte for the setting, then its text: what is taken is written as a text that is taken for
 * the same; what is refused changes nothing, and is said with a remedy. */

#include "config/draft.h"
#include "config/settings.h"
#include "fuzz/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(nb_config) config = nb_config_new_default();
	g_autofree char *text = NULL, *before = NULL, *once = NULL, *twice = NULL;
	const struct nb_setting *setting;
	void *record;
	int r;

	if (size == 0)
		return 0;
	setting = nb_settings_row(data[0] % nb_settings_count());
	text = g_strndup((const char *)data + 1, size - 1);
	record = nb_config_record(config, setting->record, "eth*");
	before = nb_setting_format(setting, record);
	r = nb_setting_assign(setting, record, text);
	once = nb_setting_format(setting, record);
	if (r < 0) {
		g_autofree char *fault = nb_setting_explain(setting, text, r);

		FUZZ_CLAIM(r == -EINVAL || r == -ERANGE);
		FUZZ_CLAIM(strcmp(once, before) == 0 && strstr(fault, "; "));
		return 0;
	}
	FUZZ_CLAIM(nb_setting_assign(setting, record, once) == 0);
	twice = nb_setting_format(setting, record);
	FUZZ_CLAIM(strcmp(once, twice) == 0);
	return 0;
}
