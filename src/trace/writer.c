/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace.h"

#include "base/cpumask_text.h"
#include "base/find.h"
#include "nicbalance/names.h"
#include "nicbalance/units.h"
#include "trace/deltas.h"
#include "trace/machine_text.h"
#include "trace/rows.h"

#include <inttypes.h>
#include <string.h>

/* All as it was told last. */
struct nb_trace_writer {
	GArray *numbers; /* of NICs; see machine_text.h */
	uint64_t generation;
	GString *machine; /* its lines */
	enum nb_grade grade;
	uint64_t begin_nsec; /* of the first window */
	uint64_t told_msec;  /* since then */
	unsigned n_cpus, n_queues;
	int32_t *rows[NB_TRACE_ROWS];
	int32_t *row;         /* as long as the longest */
	GArray *rps;          /* struct nb_rps_state, keyed by the NIC's number */
	GArray *rps_next;     /* of this window */
	GString *device_irqs; /* lines for the next window */
};

struct nb_trace_writer *nb_trace_writer_new(void)
{
	struct nb_trace_writer *writer = g_new0(struct nb_trace_writer, 1);

	writer->numbers = g_array_new(FALSE, FALSE, sizeof(int));
	writer->machine = g_string_new(NULL);
	writer->grade = _NB_GRADE_INVALID;
	writer->rps = g_array_new(FALSE, FALSE, sizeof(struct nb_rps_state));
	writer->rps_next = g_array_new(FALSE, FALSE, sizeof(struct nb_rps_state));
	writer->device_irqs = g_string_new(NULL);
	return writer;
}

void nb_trace_writer_free(struct nb_trace_writer *writer)
{
	if (!writer)
		return;
	g_array_unref(writer->numbers);
	g_string_free(writer->machine, TRUE);
	for (int row = 0; row < NB_TRACE_ROWS; row++)
		g_free(writer->rows[row]);
	g_free(writer->row);
	g_array_unref(writer->rps);
	g_array_unref(writer->rps_next);
	g_string_free(writer->device_irqs, TRUE);
	g_free(writer);
}

static void begin(struct nb_trace_writer *writer, const struct nb_loads *loads, GString *text)
{
	g_string_append(text, NB_TRACE_MAGIC " " NB_TRACE_VERSION "\n");
	writer->begin_nsec = loads->taken_nsec - loads->window_nsec;
}

/* After a machine all rows begin at 0 and RPS is off. */
static void reset_rows(struct nb_trace_writer *writer, const struct nb_machine *machine)
{
	writer->n_cpus = machine->topology.n_cpus;
	writer->n_queues = machine->n_queues;
	for (int i = 0; i < NB_TRACE_ROWS; i++) {
		unsigned n =
			nb_trace_row_length((enum nb_trace_row)i, writer->n_cpus, writer->n_queues);

		g_free(writer->rows[i]);
		writer->rows[i] = g_new0(int32_t, n);
	}
	writer->row = g_renew(int32_t, writer->row, MAX(writer->n_cpus, writer->n_queues));
	g_array_set_size(writer->rps, 0);
}

/* Most rescans find what was there before. */
static void write_machine(struct nb_trace_writer *writer, const struct nb_machine *machine,
			  GString *text)
{
	size_t at = text->len;

	if (writer->machine->len > 0 && machine->generation == writer->generation)
		return;
	writer->generation = machine->generation;
	nb_trace_number_nics(writer->numbers, machine);
	nb_trace_append_machine(machine, writer->numbers, text);
	if (strcmp(text->str + at, writer->machine->str) == 0) {
		g_string_truncate(text, at);
		return;
	}
	g_string_assign(writer->machine, text->str + at);
	reset_rows(writer, machine);
}

static void write_grade(struct nb_trace_writer *writer, enum nb_grade grade, GString *text)
{
	if (grade == writer->grade)
		return;
	g_string_append_printf(text, "g %s\n", nb_grade_to_string(grade));
	writer->grade = grade;
}

static int32_t number(uint32_t value)
{
	return (int32_t)MIN(value, (uint32_t)NB_TRACE_NUMBER_MAX);
}

static int32_t of_cpu(enum nb_trace_row row, const struct nb_cpu_load *cpu)
{
	if (!cpu)
		return 0;
	if (row == NB_TRACE_DROPPED)
		return number(cpu->dropped);
	return number(row == NB_TRACE_BACKLOG ? cpu->window_backlog : cpu->window_fixed);
}

static int32_t of_queue(enum nb_trace_row row, const struct nb_queue_load *load,
			const struct nb_queue_state *state)
{
	if (row == NB_TRACE_PLACE)
		return load->cpu;
	if (row == NB_TRACE_PINNED)
		return !state->settable;
	return number(row == NB_TRACE_THREADED ? load->window_threaded : load->window_time);
}

static void write_row(struct nb_trace_writer *writer, enum nb_trace_row row,
		      const struct nb_snapshot *snapshot, const struct nb_loads *loads,
		      GString *text)
{
	unsigned n = nb_trace_row_length(row, writer->n_cpus, writer->n_queues);
	const struct nb_cpu *cpus = snapshot->machine->topology.cpus;
	int32_t *told = writer->rows[row];

	for (unsigned i = 0; i < n; i++)
		writer->row[i] = row < NB_TRACE_TIME
					 ? of_cpu(row, nb_loads_find_cpu(loads, cpus[i].id))
					 : of_queue(row, &loads->queues[i], &snapshot->queues[i]);
	nb_trace_append_deltas(nb_trace_row_letter(row), told, writer->row, n, text);
	if (n > 0)
		memcpy(told, writer->row, n * sizeof(*told));
}

static void write_mask(struct nb_queue_key key, const struct nb_cpumask *cpus, GString *text)
{
	g_autofree char *list = nb_cpumask_format_list(cpus);

	g_string_append_printf(text, "s %d.%u %s\n", key.ifindex, key.index, *list ? list : "-");
}

/* Negative: old comes first, or alone; positive: new does. */
static int compare_masks(const GArray *old, unsigned i, const GArray *new, unsigned j)
{
	if (i == old->len)
		return 1;
	if (j == new->len)
		return -1;
	return nb_queue_key_compare(g_array_index(old, struct nb_rps_state, i).key,
				    g_array_index(new, struct nb_rps_state, j).key);
}

/* Both ascend by key: one that is missing now is off. */
static void write_masks(const GArray *before, const GArray *now, GString *text)
{
	static const struct nb_cpumask off;
	unsigned i = 0, j = 0;

	while (i < before->len || j < now->len) {
		int order = compare_masks(before, i, now, j);
		const struct nb_cpumask *was = &off;
		const struct nb_rps_state *state;

		if (order < 0) {
			write_mask(g_array_index(before, struct nb_rps_state, i++).key, &off, text);
			continue;
		}
		if (order == 0)
			was = &g_array_index(before, struct nb_rps_state, i++).cpus;
		state = &g_array_index(now, struct nb_rps_state, j++);
		if (!nb_cpumask_equal(was, &state->cpus))
			write_mask(state->key, &state->cpus, text);
	}
}

static void write_rps(struct nb_trace_writer *writer, const struct nb_snapshot *snapshot,
		      GString *text)
{
	GArray *next = writer->rps_next;

	g_array_set_size(next, 0);
	for (unsigned i = 0; i < snapshot->n_rps; i++) {
		struct nb_rps_state rps = snapshot->rps[i];

		rps.key.ifindex = (int)nb_trace_nic_number(writer->numbers, rps.key.ifindex);
		if (rps.key.ifindex > 0 && !nb_cpumask_empty(&rps.cpus))
			g_array_append_val(next, rps);
	}
	write_masks(writer->rps, next, text);
	writer->rps_next = writer->rps;
	writer->rps = next;
}

static void write_cpu(int cpu, GString *text)
{
	if (cpu < 0)
		g_string_append(text, " -");
	else
		g_string_append_printf(text, " %d", cpu);
}

static void write_move(const struct nb_trace_writer *writer, const struct nb_move *move,
		       GString *text)
{
	g_string_append_printf(text, "m %u.%u",
			       nb_trace_nic_number(writer->numbers, move->key.ifindex),
			       move->key.index);
	write_cpu(move->cpu_from, text);
	g_string_append_printf(text, " %u %s %d %d %d %d %d\n", move->cpu_to,
			       nb_reason_to_string(move->reason), number(move->load),
			       number(move->source_before), number(move->source_after),
			       number(move->target_before), number(move->target_after));
}

void nb_trace_note_device_irq(struct nb_trace_writer *writer, const struct nb_record *record)
{
	g_string_append_printf(writer->device_irqs, "o %u %s", record->key.index,
			       nb_event_to_string(record->event));
	write_cpu(record->cpu_from, writer->device_irqs);
	write_cpu(record->cpu_to, writer->device_irqs);
	if (record->event == NB_EVENT_MOVED)
		g_string_append_printf(writer->device_irqs, " %s",
				       nb_reason_to_string(record->reason));
	g_string_append_c(writer->device_irqs, '\n');
}

static uint64_t msec_since_begin(const struct nb_trace_writer *writer, uint64_t nsec)
{
	return nb_growth(writer->begin_nsec, nsec) / NB_TRACE_NSEC_PER_MSEC;
}

/* Rounding does not add up: each time is told by what is still missing of the sum. */
static void write_end(struct nb_trace_writer *writer, const struct nb_loads *loads, GString *text)
{
	uint64_t begun_nsec = loads->taken_nsec - loads->window_nsec;
	uint64_t gap_msec = nb_growth(writer->told_msec, msec_since_begin(writer, begun_nsec));
	uint64_t window_msec = nb_growth(writer->told_msec + gap_msec,
					 msec_since_begin(writer, loads->taken_nsec));

	window_msec = CLAMP(window_msec, 1, NB_TRACE_NUMBER_MAX);
	gap_msec = MIN(gap_msec, NB_TRACE_NUMBER_MAX);
	g_string_append_printf(text, "w%" PRIu64, window_msec);
	if (gap_msec > 0)
		g_string_append_printf(text, " %" PRIu64, gap_msec);
	g_string_append_c(text, '\n');
	writer->told_msec += gap_msec + window_msec;
}

void nb_trace_write(struct nb_trace_writer *writer, const struct nb_snapshot *snapshot,
		    const struct nb_loads *loads, const struct nb_plan *plan, GString *text)
{
	if (loads->window_nsec == 0)
		return;
	if (writer->machine->len == 0)
		begin(writer, loads, text);
	write_machine(writer, snapshot->machine, text);
	write_grade(writer, snapshot->grade, text);
	for (int row = 0; row < NB_TRACE_ROWS; row++)
		write_row(writer, (enum nb_trace_row)row, snapshot, loads, text);
	write_rps(writer, snapshot, text);
	for (unsigned i = 0; i < plan->n_changes; i++)
		if (plan->changes[i].kind == NB_KIND_QUEUE &&
		    plan->changes[i].outcome == NB_OUTCOME_APPLIED)
			write_move(writer, plan->changes[i].move, text);
	g_string_append(text, writer->device_irqs->str);
	g_string_truncate(writer->device_irqs, 0);
	write_end(writer, loads, text);
}
