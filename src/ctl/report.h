/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A rehearsal as a page of HTML that needs nothing but itself: no script, no font, no picture from
 * elsewhere. Pure. */

#include "ctl/rehearsed.h"

/* source: the file it came from. Caller frees. */
GString *nb_report_render(const nb_rehearsed *rehearsed, const char *source);
