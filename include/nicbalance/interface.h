/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Names of the bus object, as the daemon serves and nicbalancectl reads them;
 * systemd/org.nicbalance1.xml says the same to other programs. Pure. */

#define NB_BUS_NAME "org.nicbalance1"
#define NB_BUS_PATH "/org/nicbalance1"
#define NB_BUS_INTERFACE "org.nicbalance1.Manager"
#define NB_BUS_SOCKET "/run/nicbalance/bus"

/* Reload: the message holds a line for each fault of the configuration. */
#define NB_BUS_ERROR_CONFIGURATION "org.nicbalance1.Error.Configuration"
/* Pause, Resume, Restore, WatchDelays: the daemon says in the message what went wrong. */
#define NB_BUS_ERROR_FAILED "org.nicbalance1.Error.Failed"

/* Ban, Unban, Claim, Release: nothing was changed; the message says why. */
#define NB_BUS_ERROR_REFUSED "org.nicbalance1.Error.Refused"

/* Cursor for the next call; text since the last one is lost; lines of a trace. */
#define NB_BUS_RECORDED "tbs"

/* So long delays are counted after WatchDelays was called last, and a trace is kept after Record
 * was. */
#define NB_BUS_WATCH_SEC 10
