/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What someone may have meant who wrote a section or key that does not exist. Pure. */

/* "did you mean …", or the ones there are: the half of a fault that follows the semicolon. Caller
 * frees (g_free). */
char *nb_suggest_section(const char *section);
/* section is one that exists; the key may belong to another. */
char *nb_suggest_key(const char *section, const char *key);
