/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Makes loads of snapshots: the load of each CPU and the time of each queue, smoothed. Pure. */

#include "nicbalance/load.h"
#include "nicbalance/snapshot.h"

#include <glib.h>

typedef struct nb_model nb_model;

struct nb_model *nb_model_new(void);
void nb_model_free(struct nb_model *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_model, nb_model_free)

/* Adds the window between prev and cur; what is in only one of them starts again. Without prev, or
 * if cur is not later or of another grade, there is no window: window_nsec of the loads is 0. The
 * result belongs to the model and is valid until the next call. Allocates only if the machine
 * changed. */
const struct nb_loads *nb_model_update(struct nb_model *model, const struct nb_snapshot *prev,
				       const struct nb_snapshot *cur);
