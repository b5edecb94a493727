/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/window_read.h"

#include "base/find.h"
#include "nicbalance/names.h"

/* 30 years: sums of times stay within 64 bits. */
#define TAKEN_MSEC_MAX UINT64_C(1000000000000)

static const char too_long[] = "longer than a trace may be";

const char *nb_trace_settle(struct nb_trace_reading *reader)
{
	const struct nb_machine *machine = &reader->open->machine;
	unsigned longest;
	const char *fault;

	fault = nb_trace_machine_seal(reader->open, reader->trace->machines->len + 1);
	if (fault)
		return fault;
	nb_trace_add_machine(reader->trace, g_steal_pointer(&reader->open));
	longest = MAX(machine->topology.n_cpus, machine->n_queues);
	reader->zeros = nb_trace_hold(reader->trace, longest * sizeof(int32_t));
	if (!reader->zeros)
		return too_long;
	for (int row = 0; row < NB_TRACE_ROWS; row++)
		reader->last[row] = reader->zeros;
	g_array_set_size(reader->row, longest);
	reader->window.rps = NULL;
	reader->window.n_rps = 0;
	reader->machine = reader->window.machine = machine;
	return NULL;
}

const char *nb_trace_begin_window(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	struct nb_trace_window *window = &reader->window;
	uint64_t taken_msec;
	uint32_t length;
	char grade[NB_TRACE_WORD_MAX];

	if (!nb_trace_take_time(fields, TAKEN_MSEC_MAX, &taken_msec) ||
	    !nb_trace_take_number(fields, NB_TRACE_NUMBER_MAX, &length) || length == 0)
		return "not two numbers of milliseconds";
	taken_msec += reader->begin_msec;
	if (taken_msec < reader->end_msec + length)
		return "it begins before the window above ends";
	if (taken_msec > TAKEN_MSEC_MAX)
		return too_long;
	if (!nb_trace_take_word(fields, grade))
		return "no grade";
	window->grade = nb_grade_from_string(grade);
	if (window->grade == _NB_GRADE_INVALID)
		return "an unknown grade";

	window->taken_msec = taken_msec;
	window->window_msec = length;
	for (int row = 0; row < NB_TRACE_ROWS; row++)
		window->rows[row] = reader->zeros;
	g_array_set_size(reader->rps, 0);
	reader->rows_told = 0;
	reader->in_window = true;
	return NULL;
}

static uint32_t most_of(enum nb_trace_row row)
{
	return row == NB_TRACE_PINNED || row == NB_TRACE_DEFERRED ? 1 : NB_TRACE_NUMBER_MAX;
}

static bool take_number(enum nb_trace_row row, struct nb_trace_fields *fields, int32_t *ret)
{
	uint32_t number;

	if (row == NB_TRACE_PLACE)
		return nb_trace_take_perhaps(fields, NB_CPUS_MAX - 1, ret);
	if (!nb_trace_take_number(fields, most_of(row), &number))
		return false;
	*ret = (int32_t)number;
	return true;
}

static const char *take_row(struct nb_trace_reading *reader, enum nb_trace_row row,
			    struct nb_trace_fields *fields)
{
	unsigned n = nb_trace_row_length(row, reader->machine);
	int32_t *numbers = (int32_t *)(void *)reader->row->data;
	const int32_t **last = &reader->last[row];

	if (reader->rows_told & 1u << row)
		return "twice in one window";
	for (unsigned i = 0; i < n; i++)
		if (!take_number(row, fields, &numbers[i]))
			return "not a possible number for each";
	if (n > 0 && memcmp(numbers, *last, n * sizeof(*numbers)) != 0) {
		int32_t *kept = nb_trace_hold(reader->trace, n * sizeof(*numbers));

		if (!kept)
			return too_long;
		*last = memcpy(kept, numbers, n * sizeof(*numbers));
	}
	reader->window.rows[row] = *last;
	reader->rows_told |= 1u << row;
	return NULL;
}

static const char *take_rps(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	GArray *rps = reader->rps;
	struct nb_rps_state mask = {};

	if (!nb_trace_take_queue(fields, &mask.key) ||
	    !nb_machine_find_nic(reader->machine, mask.key.ifindex))
		return "not a queue of a NIC above";
	if (rps->len > 0 &&
	    nb_queue_key_compare(g_array_index(rps, struct nb_rps_state, rps->len - 1).key,
				 mask.key) >= 0)
		return "queues must ascend";
	if (!nb_trace_take_cpus(fields, &mask.cpus))
		return "not a list of CPUs";
	g_array_append_val(rps, mask);
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
		return "not a load and four busy shares";
	g_array_append_val(reader->trace->moves, move);
	return NULL;
}

static const char *take_device_irq(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
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

/* Shared with the window before where they are the same. */
static const char *keep_masks(struct nb_trace_reading *reader)
{
	struct nb_trace_window *window = &reader->window;
	size_t size = reader->rps->len * sizeof(struct nb_rps_state);
	struct nb_rps_state *kept;

	if (window->n_rps == reader->rps->len &&
	    (size == 0 || memcmp(window->rps, reader->rps->data, size) == 0))
		return NULL;
	kept = nb_trace_hold(reader->trace, size);
	if (!kept)
		return too_long;
	if (size > 0)
		memcpy(kept, reader->rps->data, size);
	window->rps = kept;
	window->n_rps = reader->rps->len;
	return NULL;
}

static const char *take_end(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	struct nb_trace *trace = reader->trace;
	struct nb_trace_window *window = &reader->window;
	const char *fault = keep_masks(reader);

	(void)fields;
	if (fault)
		return fault;
	window->n_moves = trace->moves->len - window->first_move;
	window->n_device_irqs = trace->device_irqs->len - window->first_device_irq;
	g_array_append_val(trace->windows, *window);
	window->first_move = trace->moves->len;
	window->first_device_irq = trace->device_irqs->len;
	reader->end_msec = window->taken_msec;
	reader->in_window = false;
	return NULL;
}

const char *nb_trace_take_of_window(struct nb_trace_reading *reader,
				    const struct nb_trace_field *word,
				    struct nb_trace_fields *fields)
{
	static const struct {
		const char *word;
		const char *(*take)(struct nb_trace_reading *reader,
				    struct nb_trace_fields *fields);
	} lines[] = {
		{"rps", take_rps},
		{"move", take_move},
		{"device-irq", take_device_irq},
		{"end", take_end},
	};

	for (int row = 0; row < NB_TRACE_ROWS; row++)
		if (nb_trace_field_is(word, nb_trace_row_word((enum nb_trace_row)row)))
			return take_row(reader, (enum nb_trace_row)row, fields);
	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
		if (nb_trace_field_is(word, lines[i].word))
			return lines[i].take(reader, fields);
	return "an unknown kind of line";
}
