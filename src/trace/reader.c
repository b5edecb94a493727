/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace.h"

#include "trace/rows.h"
#include "trace/window_read.h"

#include <errno.h>

/* Functions return what is wrong with a line; NULL: nothing. */
static const char no_trace[] = "not a trace of nicbalance";
/* Its version follows. */
static const char other_version[] =
	"this nicbalance reads version " NB_TRACE_VERSION " of the format; record again, or replay "
	"it with the nicbalance that writes version ";

/* Nothing carries over from what stands above the first line of a trace, but the time. A window
 * that was not ended is none. */
static const char *take_magic(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	struct nb_trace_field *version = &reader->version;

	if (!nb_trace_take(fields, version))
		return no_trace;
	if (!nb_trace_field_is(version, NB_TRACE_VERSION))
		return other_version;
	g_clear_pointer(&reader->open, nb_trace_machine_free);
	reader->in_window = false;
	reader->machine = NULL;
	reader->begin_msec = reader->end_msec;
	g_array_set_size(reader->trace->moves, reader->window.first_move);
	g_array_set_size(reader->trace->device_irqs, reader->window.first_device_irq);
	return NULL;
}

static const char *take_machine(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	if (reader->in_window)
		return "a machine within a window";
	if (reader->open)
		return "a machine within a machine";
	reader->machine = NULL;
	return nb_trace_machine_begin(fields, &reader->open);
}

static const char *take_window(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	const char *fault = reader->open ? nb_trace_settle(reader) : NULL;

	if (fault)
		return fault;
	if (reader->in_window)
		return "a window within a window";
	if (!reader->machine)
		return "a window before any machine";
	return nb_trace_begin_window(reader, fields);
}

static const char *take_line(struct nb_trace_reading *reader, struct nb_trace_fields *fields)
{
	struct nb_trace_field word;
	nb_trace_machine_line of_machine;

	if (!nb_trace_take(fields, &word))
		return "an empty line, or a space too many";
	if (nb_trace_field_is(&word, NB_TRACE_MAGIC))
		return take_magic(reader, fields);
	if (nb_trace_field_is(&word, "machine"))
		return take_machine(reader, fields);
	if (nb_trace_field_is(&word, "window"))
		return take_window(reader, fields);
	of_machine = nb_trace_machine_line_of(&word);
	if (of_machine)
		return reader->open ? of_machine(reader->open, fields)
				    : "not within the lines of a machine";
	return reader->in_window ? nb_trace_take_of_window(reader, &word, fields)
				 : "not within a window";
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
			return no_trace;
		fields.at = text;
		fault = read_line(reader, fields);
		if (fault)
			return fault;
		text = newline + 1;
	}
	return *number ? NULL : no_trace;
}

int nb_trace_parse(const char *text, size_t len, struct nb_trace **ret, char **ret_error)
{
	g_autoptr(nb_trace) trace = nb_trace_new();
	struct nb_trace_reading reader = {
		.trace = trace,
		.row = g_array_new(FALSE, FALSE, sizeof(int32_t)),
		.rps = g_array_new(FALSE, FALSE, sizeof(struct nb_rps_state)),
	};
	unsigned number = 0;
	const char *fault = read_lines(&reader, text, len, &number);
	GString *error;

	nb_trace_machine_free(reader.open);
	g_array_unref(reader.row);
	g_array_unref(reader.rps);
	if (fault) {
		error = g_string_new(NULL);
		g_string_append_printf(error, "%u: %s", MAX(number, 1), fault);
		if (fault == other_version)
			g_string_append_len(error, reader.version.text, (gssize)reader.version.len);
		*ret_error = g_string_free(error, FALSE);
		return -EBADMSG;
	}
	*ret = g_steal_pointer(&trace);
	return 0;
}
