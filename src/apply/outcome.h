/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What an errno of the kernel means for a knob. Pure. */

#include "nicbalance/outcome.h"

/* error is 0 or a negative errno. One that no knob is known to give counts as refused: asking again
 * each cycle would not be answered otherwise. */
enum nb_outcome nb_outcome_from_errno(int error);

/* The same of ethtool and an RSS table: size and number of queues were looked at shortly before, so
 * what the driver cannot do now it will not do later. */
enum nb_outcome nb_outcome_from_ethtool(int error);

/* The one of two that asks more of the reader: what a queue with two interrupts came to. */
enum nb_outcome nb_outcome_worse(enum nb_outcome a, enum nb_outcome b);
