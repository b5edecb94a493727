/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First line a pattern, the rest a handler's name: a text without places fits itself, "*" fits all.
 */

#include "fuzz/fuzz.h"
#include "sample/drivers/pattern.h"

#include <stdlib.h>
#include <string.h>

/* Stars are free, but each {if} multiplies the ways to try by the lengths of a name. Patterns are
 * rows of our own tables, and no row has two. */
static bool is_like_ours(const char *pattern)
{
	const char *first = strstr(pattern, "{if}");

	return !first || (strlen(pattern) < 64 && !strstr(first + 1, "{if}"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const others[] = {"eth1", "ens3f0", NULL};
	static const struct nb_pattern_names names = {
		.ifname = "eth0", .pci = "0000:3b:00.0", .device = "virtio2"};
	struct nb_pattern_names renamed = names;
	g_autofree char *pattern = g_strndup((const char *)data, size);
	char *text = strchr(pattern, '\n');
	unsigned number;

	renamed.other_ifnames = others;
	if (text)
		*text++ = '\0';
	else
		text = pattern;
	if (!is_like_ours(pattern))
		return 0;
	nb_pattern_match(pattern, text, &names, &number);
	nb_pattern_match(pattern, text, &renamed, &number);
	FUZZ_CLAIM(nb_pattern_match("*", text, &names, &number) && number == 0);
	if (!strpbrk(pattern, "{*"))
		FUZZ_CLAIM(nb_pattern_match(pattern, pattern, &names, &number) && number == 0);
	return 0;
}
