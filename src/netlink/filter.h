/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Filters of notification sockets. What they drop wakes nobody: where containers come and go, that
 * is thousands of messages a second about virtual devices. What they pass is judged again by
 * nb_links_take() and nb_uevent_parse(). */

/* Drops link messages of virtual devices and of bridge ports. */
int nb_filter_links(int fd);

/* Passes what is coming, going, online or offline, unless it is below /devices/virtual. */
int nb_filter_uevents(int fd);
