/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A configuration while it is being put together. Pure. */

#include "config/config.h"

/* Every setting at its default; no device rules. */
struct nb_config *nb_config_new_default(void);

/* The rule of the section [Device match], made at the end when there is none. Borrowed, and valid
 * until the next call. */
struct nb_device_rule *nb_config_device_rule(struct nb_config *config, const char *match);
