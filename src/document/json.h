/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Values of the document: what is unknown is null, whatever a number stands for. Pure. New values
 * belong to the caller. */

#include "nicbalance/cpumask.h"

#include <glib.h>
#include <jansson.h>

/* Take over value. Memory that runs out aborts, as with GLib. */
void nb_json_set(json_t *object, const char *name, json_t *value);
void nb_json_append(json_t *array, json_t *value);

/* The kernel takes any bytes for the name of a device, JSON does not: made valid UTF-8. NULL is
 * null. */
json_t *nb_json_text(const char *text);
/* Takes over text. */
json_t *nb_json_take_text(char *text);
json_t *nb_json_count(uint64_t count);
/* Negative is null. */
json_t *nb_json_id(int id);
/* Basis points as percent; UINT32_MAX is null. */
json_t *nb_json_percent(uint32_t share);
/* Microseconds of CLOCK_REALTIME in the form of RFC 3339. */
json_t *nb_json_time(uint64_t realtime_usec);
/* Microseconds as seconds, to the millisecond. */
json_t *nb_json_seconds(uint64_t usec);
/* "0-3,8" */
json_t *nb_json_cpus(const struct nb_cpumask *cpus);
json_t *nb_json_numbers(const uint32_t *numbers, size_t n);
/* The fields "irqs", of the interrupts of a queue, and "channel", of what stands in their place. */
void nb_json_set_irqs(json_t *object, const uint32_t *irqs, size_t n);
