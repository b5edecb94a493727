/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace.h"

#include "base/cpumask_text.h"
#include "base/find.h"
#include "nicbalance/names.h"
#include "nicbalance/units.h"
#include "trace/machine_text.h"
#include "trace/rows.h"

#include <inttypes.h>
#include <string.h>

struct nb_trace_writer {
	GArray *numbers; /* of NICs; see machine_text.h */
	uint64_t generation;
	GString *machine;     /* its lines, as they were written last … */
	GString *pools;       /* … and of these, the ones of pools */
	uint64_t begin_nsec;  /* of the first window */
	uint64_t told_msec;   /* since then */
	GString *device_irqs; /* lines for the next window */
};

struct nb_trace_writer *nb_trace_writer_new(void)
{
	struct nb_trace_writer *writer = g_new0(struct nb_trace_writer, 1);

	writer->numbers = g_array_new(FALSE, FALSE, sizeof(int));
	writer->machine = g_string_new(NULL);
	writer->pools = g_string_new(NULL);
	writer->device_irqs = g_string_new(NULL);
	return writer;
}

void nb_trace_writer_free(struct nb_trace_writer *writer)
{
	if (!writer)
		return;
	g_array_unref(writer->numbers);
	g_string_free(writer->machine, TRUE);
	g_string_free(writer->pools, TRUE);
	g_string_free(writer->device_irqs, TRUE);
	g_free(writer);
}

static void begin(struct nb_trace_writer *writer, const struct nb_loads *loads, GString *text)
{
	g_string_append(text, NB_TRACE_MAGIC " " NB_TRACE_VERSION "\n");
	writer->begin_nsec = loads->taken_nsec - loads->window_nsec;
}

/* Most rescans find what was there before. */
static void write_machine(struct nb_trace_writer *writer, const struct nb_machine *machine,
			  const struct nb_rules *rules, GString *text)
{
	bool known = writer->machine->len > 0 && machine->generation == writer->generation;
	g_autoptr(GString) pools = g_string_new(NULL);
	size_t at = text->len;

	if (!known)
		nb_trace_number_nics(writer->numbers, machine);
	nb_trace_append_pools(rules, machine, writer->numbers, pools);
	if (known && g_string_equal(pools, writer->pools))
		return;
	writer->generation = machine->generation;
	g_string_assign(writer->pools, pools->str);
	nb_trace_append_machine(machine, writer->numbers, text);
	g_string_append(text, pools->str);
	if (strcmp(text->str + at, writer->machine->str) == 0) {
		g_string_truncate(text, at);
		return;
	}
	g_string_assign(writer->machine, text->str + at);
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
		return number((uint32_t)MIN(nb_cpu_load_lost(cpu), UINT32_MAX));
	return number(row == NB_TRACE_BACKLOG ? cpu->window_backlog : cpu->window_fixed);
}

static int32_t of_queue(enum nb_trace_row row, const struct nb_queue_load *load,
			const struct nb_queue_state *state)
{
	if (row == NB_TRACE_PLACE)
		return load->cpu;
	if (row == NB_TRACE_PINNED)
		return !state->settable;
	if (row == NB_TRACE_DEFERRED)
		return load->deferred;
	return number(row == NB_TRACE_THREADED ? load->window_threaded : load->window_time);
}

static void append_number(int32_t number, GString *text)
{
	if (number < 0)
		g_string_append(text, " -");
	else
		g_string_append_printf(text, " %d", number);
}

static void write_row(enum nb_trace_row row, const struct nb_snapshot *snapshot,
		      const struct nb_loads *loads, GString *text)
{
	unsigned n = nb_trace_row_length(row, snapshot->machine);
	const struct nb_cpu *cpus = snapshot->machine->topology.cpus;
	size_t at = text->len;
	bool any = false;

	g_string_append(text, nb_trace_row_word(row));
	for (unsigned i = 0; i < n; i++) {
		int32_t value = row < NB_TRACE_TIME
					? of_cpu(row, nb_loads_find_cpu(loads, cpus[i].id))
					: of_queue(row, &loads->queues[i], &snapshot->queues[i]);

		any |= value != 0;
		append_number(value, text);
	}
	g_string_append_c(text, '\n');
	if (!any)
		g_string_truncate(text, at);
}

static void write_rps(const struct nb_trace_writer *writer, const struct nb_rps_state *rps,
		      GString *text)
{
	unsigned nic = nb_trace_nic_number(writer->numbers, rps->key.ifindex);
	g_autofree char *list = NULL;

	if (nic == 0 || nb_cpumask_empty(&rps->cpus))
		return;
	list = nb_cpumask_format_list(&rps->cpus);
	g_string_append_printf(text, "rps %u.%u %s\n", nic, rps->key.index, list);
}

static void write_move(const struct nb_trace_writer *writer, const struct nb_move *move,
		       GString *text)
{
	g_string_append_printf(text, "move %u.%u",
			       nb_trace_nic_number(writer->numbers, move->key.ifindex),
			       move->key.index);
	append_number(move->cpu_from, text);
	g_string_append_printf(text, " %u %s %d %d %d %d %d\n", move->cpu_to,
			       nb_reason_to_string(move->reason), number(move->load),
			       number(move->source_before), number(move->source_after),
			       number(move->target_before), number(move->target_after));
}

void nb_trace_note_device_irq(struct nb_trace_writer *writer, const struct nb_record *record)
{
	g_string_append_printf(writer->device_irqs, "device-irq %u %s", record->key.index,
			       nb_event_to_string(record->event));
	append_number(record->cpu_from, writer->device_irqs);
	append_number(record->cpu_to, writer->device_irqs);
	if (record->event == NB_EVENT_MOVED)
		g_string_append_printf(writer->device_irqs, " %s",
				       nb_reason_to_string(record->reason));
	g_string_append_c(writer->device_irqs, '\n');
}

static uint64_t msec_since_begin(const struct nb_trace_writer *writer, uint64_t nsec)
{
	return nb_growth(writer->begin_nsec, nsec) / NB_TRACE_NSEC_PER_MSEC;
}

/* Times count from the beginning, so that rounding does not add up. */
static void write_window(struct nb_trace_writer *writer, const struct nb_snapshot *snapshot,
			 const struct nb_loads *loads, GString *text)
{
	uint64_t begun_msec = MAX(writer->told_msec,
				  msec_since_begin(writer, loads->taken_nsec - loads->window_nsec));
	uint64_t taken_msec = MAX(begun_msec + 1, msec_since_begin(writer, loads->taken_nsec));

	g_string_append_printf(text, "window %" PRIu64 " %" PRIu64 " %s\n", taken_msec,
			       taken_msec - begun_msec, nb_grade_to_string(snapshot->grade));
	writer->told_msec = taken_msec;
}

void nb_trace_write(struct nb_trace_writer *writer, const struct nb_snapshot *snapshot,
		    const struct nb_rules *rules, const struct nb_loads *loads,
		    const struct nb_plan *plan, GString *text)
{
	if (loads->window_nsec == 0)
		return;
	if (writer->machine->len == 0)
		begin(writer, loads, text);
	write_machine(writer, snapshot->machine, rules, text);
	write_window(writer, snapshot, loads, text);
	for (int row = 0; row < NB_TRACE_ROWS; row++)
		write_row((enum nb_trace_row)row, snapshot, loads, text);
	for (unsigned i = 0; i < snapshot->n_rps; i++)
		write_rps(writer, &snapshot->rps[i], text);
	for (unsigned i = 0; i < plan->n_changes; i++)
		if (plan->changes[i].kind == NB_KIND_QUEUE &&
		    plan->changes[i].outcome == NB_OUTCOME_APPLIED)
			write_move(writer, plan->changes[i].move, text);
	g_string_append(text, writer->device_irqs->str);
	g_string_truncate(writer->device_irqs, 0);
	g_string_append(text, "end\n");
}
