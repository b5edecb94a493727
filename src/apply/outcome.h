/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What an errno of the kernel means for a knob. Pure. */

#include "nicbalance/outcome.h"

/* error is 0 or a negative errno. An unknown one counts as refused, so that it is not tried again
 * in each cycle. */
enum nb_outcome nb_outcome_from_errno(int error);

/* The same of ethtool and an RSS table: size and number of queues were checked shortly before, so
 * what the driver cannot do now it cannot do later. */
enum nb_outcome nb_outcome_from_ethtool(int error);

/* The worse of two: the outcome of a queue with two interrupts. */
enum nb_outcome nb_outcome_worse(enum nb_outcome a, enum nb_outcome b);
