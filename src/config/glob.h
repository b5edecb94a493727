/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Globs of the configuration, as fnmatch(3) takes them. Pure. */

/* Why text is none that someone can have meant, with what to write instead; NULL: it is one. For
 * fnmatch(3) it would match nothing, or a name that holds its own "[" or comment. */
const char *nb_glob_explain(const char *text);
