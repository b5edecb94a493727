/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace.h"

#include "trace/rows.h"
#include "trace/window_read.h"

#include <errno.h>

/* Functions return what is wrong with a line; NULL: nothing. */

/* Nothing carries over from what stands above the first line of a trace, but the time. */
static void begin(struct nb_trace_reading *reader)
{
	g_clear_pointer(&reader->open, nb_trace_machine_free);
	reader->machine = NULL;
	reader->window = (struct nb_trace_window){
		.taken_msec = reader->window.taken_msec,
		.first_move = reader->window.first_move,
		.first_device_irq = reader->window.first_device_irq,
		.grade = _NB_GRADE_INVALID,
	};
	reader->rows_told = 0;
	reader->rps_told = false;
	g_array_set_size(reader->trace->moves, reader->window.first_move);
	g_array_set_size(reader->trace->device_irqs, reader->window.first_device_irq);
}

static const char *take_magic(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	struct nb_trace_field version;

	if (!nb_trace_take(fields, &version) || !nb_trace_field_is(&version, NB_TRACE_VERSION))
		return "a trace of another version";
	begin(reader);
	return NULL;
}

static bool is_amid_window(const struct nb_trace_reading *reader)
{
	return reader->rows_told || reader->rps_told ||
	       reader->trace->moves->len > reader->window.first_move ||
	       reader->trace->device_irqs->len > reader->window.first_device_irq;
}

static const char *take_machine(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	if (is_amid_window(reader))
		return "a machine within a window";
	if (reader->open)
		return "a machine within a machine";
	reader->machine = NULL;
	return nb_trace_machine_begin(fields, &reader->open);
}

static const char *take_of_window(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	const char *fault = reader->open ? nb_trace_settle(reader) : NULL;

	if (fault)
		return fault;
	if (!reader->machine)
		return "a window before any machine";
	return nb_trace_take_of_window(reader, fields);
}

static const char *take_line(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	struct nb_trace_fields line = *fields;
	struct nb_trace_field word;
	nb_trace_machine_line of_machine;

	if (!nb_trace_take(fields, &word))
		return "an empty line, or a space too many";
	if (nb_trace_field_is(&word, NB_TRACE_MAGIC))
		return take_magic(reader, fields);
	if (nb_trace_field_is(&word, "machine"))
		return take_machine(reader, fields);
	of_machine = nb_trace_machine_line_of(&word);
	if (of_machine)
		return reader->open ? of_machine(reader->open, fields)
				    : "not within the lines of a machine";
	*fields = line;
	return take_of_window(reader, fields);
}

static const char *read_line(struct nb_trace_reading *reader, struct nb_trace_fields fields)
{
	const char *fault = take_line(reader, &fields);

	if (fault)
		return fault;
	return nb_trace_at_end(&fields) ? NULL : "too many fields";
}

static const char *read_lines(struct nb_trace_reading *reader, const char *text, size_t len,
			      unsigned *number)
{
	const char *end = text + len, *newline;
	struct nb_trace_field word;
	const char *fault;

	while ((newline = memchr(text, '\n', (size_t)(end - text)))) {
		struct nb_trace_fields fields = {.at = text, .end = newline};

		if (++*number == 1 &&
		    (!nb_trace_take(&fields, &word) || !nb_trace_field_is(&word, NB_TRACE_MAGIC)))
			return "not a trace of nicbalance";
		fields.at = text;
		fault = read_line(reader, fields);
		if (fault)
			return fault;
		text = newline + 1;
	}
	return *number ? NULL : "not a trace of nicbalance";
}

int nb_trace_parse(const char *text, size_t len, struct nb_trace **ret, char **ret_error)
{
	g_autoptr(nb_trace) trace = nb_trace_new();
	struct nb_trace_reading reader = {
		.trace = trace,
		.rps = g_array_new(FALSE, FALSE, sizeof(struct nb_rps_state)),
	};
	unsigned number = 0;
	const char *fault = read_lines(&reader, text, len, &number);
	GString *error;

	nb_trace_machine_free(reader.open);
	g_array_unref(reader.rps);
	if (fault) {
		error = g_string_new(NULL);
		g_string_append_printf(error, "%u: %s", MAX(number, 1), fault);
		*ret_error = g_string_free(error, FALSE);
		return -EBADMSG;
	}
	*ret = g_steal_pointer(&trace);
	return 0;
}
