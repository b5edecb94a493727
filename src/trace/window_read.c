/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/window_read.h"

#include "base/find.h"
#include "nicbalance/names.h"
#include "trace/deltas.h"

/* 30 years: sums of times stay within 64 bits. */
#define TAKEN_MSEC_MAX UINT64_C(1000000000000)

static const char too_long[] = "longer than a trace may be";

const char *nb_trace_settle(struct nb_trace_reading *reader)
{
	const struct nb_machine *machine = &reader->open->machine;
	const char *fault;

	fault = nb_trace_machine_seal(reader->open, reader->trace->machines->len + 1);
	if (fault)
		return fault;
	nb_trace_add_machine(reader->trace, g_steal_pointer(&reader->open));
	for (int i = 0; i < NB_TRACE_ROWS; i++) {
		unsigned n = nb_trace_row_length((enum nb_trace_row)i, machine->topology.n_cpus,
						 machine->n_queues);

		reader->window.rows[i] = nb_trace_hold(reader->trace, n * sizeof(int32_t));
		if (!reader->window.rows[i])
			return too_long;
	}
	g_array_set_size(reader->rps, 0);
	reader->window.rps = NULL;
	reader->window.n_rps = 0;
	reader->machine = reader->window.machine = machine;
	return NULL;
}

static bool is_possible(enum nb_trace_row row, int32_t number)
{
	switch (row) {
	case NB_TRACE_PLACE:
		return number >= -1 && number < (int32_t)NB_CPUS_MAX;
	case NB_TRACE_PINNED:
		return number == 0 || number == 1;
	case NB_TRACE_FIXED_LOAD:
	case NB_TRACE_BACKLOG:
	case NB_TRACE_DROPPED:
	case NB_TRACE_TIME:
	case NB_TRACE_THREADED:
	case NB_TRACE_ROWS:
		break;
	}
	return number >= 0;
}

static const char *take_row(struct nb_trace_reading *reader, enum nb_trace_row row,
			    const struct nb_trace_fields *fields)
{
	unsigned n = nb_trace_row_length(row, reader->machine->topology.n_cpus,
					 reader->machine->n_queues);
	int32_t *numbers;

	if (reader->rows_told & 1u << row)
		return "told twice in one window";
	numbers = nb_trace_hold(reader->trace, n * sizeof(*numbers));
	if (!numbers)
		return too_long;
	if (n > 0)
		memcpy(numbers, reader->window.rows[row], n * sizeof(*numbers));
	if (nb_trace_apply_deltas(fields->at, (size_t)(fields->end - fields->at), numbers, n) < 0)
		return "not a code for as many numbers";
	for (unsigned i = 0; i < n; i++)
		if (!is_possible(row, numbers[i]))
			return "a number that cannot be";
	reader->window.rows[row] = numbers;
	reader->rows_told |= 1u << row;
	return NULL;
}

static const char *take_grade(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	char word[NB_TRACE_WORD_MAX];

	if (!nb_trace_take_word(fields, word))
		return "no grade";
	reader->window.grade = nb_grade_from_string(word);
	return reader->window.grade == _NB_GRADE_INVALID ? "an unknown grade" : NULL;
}

/* Where the mask of key is, or belongs. */
static unsigned find_mask(const GArray *rps, struct nb_queue_key key, bool *ret_found)
{
	unsigned i = 0;
	int order = 1;

	while (i < rps->len && (order = nb_queue_key_compare(
					g_array_index(rps, struct nb_rps_state, i).key, key)) < 0)
		i++;
	*ret_found = i < rps->len && order == 0;
	return i;
}

static const char *take_steering(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	struct nb_rps_state mask = {};
	unsigned at;
	bool found;

	if (!nb_trace_take_queue(fields, &mask.key) ||
	    !nb_machine_find_nic(reader->machine, mask.key.ifindex))
		return "not a queue of a NIC above";
	if (!nb_trace_take_cpus(fields, &mask.cpus))
		return "not a list of CPUs";
	at = find_mask(reader->rps, mask.key, &found);
	if (found)
		g_array_remove_index(reader->rps, at);
	if (!nb_cpumask_empty(&mask.cpus))
		g_array_insert_val(reader->rps, at, mask);
	reader->rps_told = true;
	return NULL;
}

static bool take_loads(struct nb_trace_fields *fields, struct nb_move *move)
{
	return nb_trace_take_number(fields, NB_TRACE_NUMBER_MAX, &move->load) &&
	       nb_trace_take_number(fields, NB_TRACE_NUMBER_MAX, &move->source_before) &&
	       nb_trace_take_number(fields, NB_TRACE_NUMBER_MAX, &move->source_after) &&
	       nb_trace_take_number(fields, NB_TRACE_NUMBER_MAX, &move->target_before) &&
	       nb_trace_take_number(fields, NB_TRACE_NUMBER_MAX, &move->target_after);
}

static const char *take_reason(struct nb_trace_fields *fields, enum nb_reason *ret)
{
	char word[NB_TRACE_WORD_MAX];

	if (!nb_trace_take_word(fields, word))
		return "no reason";
	*ret = nb_reason_from_string(word);
	return *ret == _NB_REASON_INVALID ? "an unknown reason" : NULL;
}

static const char *take_move(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	struct nb_move move = {};
	const char *fault;

	if (!nb_trace_take_queue(fields, &move.key) ||
	    !nb_machine_find_queue(reader->machine, move.key))
		return "not a queue of this machine";
	if (!nb_trace_take_perhaps(fields, NB_CPUS_MAX - 1, &move.cpu_from) ||
	    !nb_trace_take_number(fields, NB_CPUS_MAX - 1, &move.cpu_to))
		return "not a CPU";
	fault = take_reason(fields, &move.reason);
	if (fault)
		return fault;
	if (!take_loads(fields, &move))
		return "not a cost and four loads";
	g_array_append_val(reader->trace->moves, move);
	return NULL;
}

static const char *take_other(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	struct nb_trace_device_irq other = {.reason = _NB_REASON_INVALID};
	char word[NB_TRACE_WORD_MAX];
	const char *fault;

	if (!nb_trace_take_number(fields, NB_TRACE_NUMBER_MAX, &other.irq))
		return "not the number of an interrupt";
	if (!nb_trace_take_word(fields, word))
		return "no event";
	other.event = nb_event_from_string(word);
	if (other.event == _NB_EVENT_INVALID || other.event == NB_EVENT_STEERED ||
	    other.event == NB_EVENT_REDIRECTED)
		return "not an event of an interrupt";
	if (!nb_trace_take_perhaps(fields, NB_CPUS_MAX - 1, &other.cpu_from) ||
	    !nb_trace_take_perhaps(fields, NB_CPUS_MAX - 1, &other.cpu_to))
		return "not a CPU";
	fault = other.event == NB_EVENT_MOVED ? take_reason(fields, &other.reason) : NULL;
	if (fault)
		return fault;
	g_array_append_val(reader->trace->device_irqs, other);
	return NULL;
}

static const char *keep_masks(struct nb_trace_reading *reader)
{
	size_t size = reader->rps->len * sizeof(struct nb_rps_state);
	struct nb_rps_state *kept = nb_trace_hold(reader->trace, size);

	if (!kept)
		return too_long;
	if (size > 0)
		memcpy(kept, reader->rps->data, size);
	reader->window.rps = kept;
	reader->window.n_rps = reader->rps->len;
	return NULL;
}

static const char *take_end(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	struct nb_trace *trace = reader->trace;
	struct nb_trace_window *window = &reader->window;
	uint32_t length, gap = 0;
	const char *fault;

	if (!nb_trace_take_number(fields, NB_TRACE_NUMBER_MAX, &length) || length == 0 ||
	    (!nb_trace_at_end(fields) && !nb_trace_take_number(fields, NB_TRACE_NUMBER_MAX, &gap)))
		return "not a number of milliseconds";
	if (window->grade == _NB_GRADE_INVALID)
		return "a window before any grade";
	if (window->taken_msec > TAKEN_MSEC_MAX)
		return too_long;
	fault = reader->rps_told ? keep_masks(reader) : NULL;
	if (fault)
		return fault;

	window->taken_msec += (uint64_t)gap + length;
	window->window_msec = length;
	window->n_moves = trace->moves->len - window->first_move;
	window->n_device_irqs = trace->device_irqs->len - window->first_device_irq;
	g_array_append_val(trace->windows, *window);
	window->first_move = trace->moves->len;
	window->first_device_irq = trace->device_irqs->len;
	reader->rows_told = 0;
	reader->rps_told = false;
	return NULL;
}

static const char *take_spaced(struct nb_trace_reading *reader, struct nb_trace_fields *fields,
			       const char *(*take)(struct nb_trace_reading *reader,
						   struct nb_trace_fields *fields))
{
	if (fields->at == fields->end || *fields->at != ' ')
		return "no space behind its letter";
	fields->at++;
	return take(reader, fields);
}

const char *nb_trace_take_of_window(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	char letter = *fields->at++;

	switch (letter) {
	case 'g':
		return take_spaced(reader, fields, take_grade);
	case 's':
		return take_spaced(reader, fields, take_steering);
	case 'm':
		return take_spaced(reader, fields, take_move);
	case 'o':
		return take_spaced(reader, fields, take_other);
	case 'w':
		return take_end(reader, fields);
	default:
		break;
	}
	for (int row = 0; row < NB_TRACE_ROWS; row++) {
		const char *fault;

		if (letter != nb_trace_row_letter((enum nb_trace_row)row))
			continue;
		fault = take_row(reader, (enum nb_trace_row)row, fields);
		fields->at = fields->end;
		return fault;
	}
	return "an unknown kind of line";
}
