/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Where libnl's error numbers become errnos. Pure. */

/* Takes the result of a libnl call: a negative NLE_… becomes a negative errno, anything else is
 * returned as it is. */
int nb_nl_errno(int result);
