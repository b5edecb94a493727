/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* This process's own resident memory. */

/* Lets go of the code of the program and its libraries that has been run or that the kernel mapped
 * around it (64 KiB around each page touched). What is used again comes back from the page cache by
 * minor faults; what only the start needed, such as the dynamic linker and the parsing of options
 * and configuration, stays away. A mapping that differs from its file, by a debugger's breakpoint
 * or a uprobe, is left alone. Best effort: without /proc/self/smaps nothing happens. */
void nb_resident_trim(void);
