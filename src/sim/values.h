/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Values of a scenario's keys. Pure. All take text without white space around it, return 0 or
 * -EINVAL or -ERANGE, and leave *ret untouched on failure. */

#include <stdint.h>

/* "12", "1.5k", "2M". */
int nb_sim_parse_count(const char *text, uint64_t *ret);
/* "70%", "2.5%". */
int nb_sim_parse_share(const char *text, uint64_t *ret_bp);
/* "250ns", "5ms", "1min 30s"; seconds where no unit is given. */
int nb_sim_parse_span(const char *text, uint64_t *ret_nsec);
/* yes, true, on, 1; no, false, off, 0. */
int nb_sim_parse_boolean(const char *text, uint64_t *ret);
