/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse/parse.h"
#include "sample/parse/text.h"

static bool take_digit(struct nb_text *text, uint8_t *ret)
{
	int digit = text->p < text->end ? g_ascii_xdigit_value(*text->p) : -1;

	if (digit < 0)
		return false;
	text->p++;
	*ret = (uint8_t)(*ret << 4 | digit);
	return true;
}

/* Bytes with colons in between (net/core/sysctl_net_core.c proc_do_rss_key()). */
int nb_parse_rss_key(const char *text, size_t len, uint8_t *ret_key, unsigned n_bytes)
{
	struct nb_text rest = nb_text_of(text, len);
	uint8_t any = 0;

	for (unsigned i = 0; i < n_bytes; i++) {
		if ((i > 0 && !nb_text_take(&rest, ":")) || !take_digit(&rest, &ret_key[i]) ||
		    !take_digit(&rest, &ret_key[i]))
			return -EBADMSG;
		any |= ret_key[i];
	}
	return any ? 0 : -ENODATA;
}
