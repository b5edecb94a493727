/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must hold of every trace, on generated recordings. NB_SEED and NB_RECORDINGS choose them;
 * the seed of a failing recording is printed. */
#include "model/model.h"
#include "trace/trace.h"

#include "support/rewrite_trace.h"
#include "support/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOWS 12u

static uint64_t env_number(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : fallback;
}

/* A machine, and what was measured of it in one window. */
struct machine {
	struct nb_machine machine;
	struct nb_cpu *cpus;
	struct nb_nic *nics;
	GArray *queues;
};

struct window {
	struct nb_snapshot snapshot;
	struct nb_loads loads;
	struct nb_plan plan;
	struct nb_change changes[3];
	struct nb_move moves[3];
	struct nb_trace_device_irq device_irqs[3];
	unsigned n_device_irqs;
};

static unsigned below(GRand *random, unsigned bound)
{
	return (unsigned)g_rand_int_range(random, 0, (gint32)bound);
}

static void make_cpus(struct machine *made, GRand *random)
{
	struct nb_topology *topology = &made->machine.topology;
	unsigned n = 1 + below(random, 40), id = 0;

	made->cpus = g_new0(struct nb_cpu, n);
	for (unsigned i = 0; i < n; i++, id += 1 + (below(random, 10) == 0)) {
		made->cpus[i] = (struct nb_cpu){
			.id = id,
			.core = id & ~1u,
			.llc = id & ~7u,
			.node = (int)below(random, 3) - 1,
			.capacity = below(random, 3) ? NB_WHOLE : 5000 + 100 * below(random, 40)};
		nb_cpumask_add(&topology->online, id);
		if (below(random, 8) == 0)
			nb_cpumask_add(&topology->isolated_by[below(random, _NB_ISOLATION_MAX)],
				       id);
	}
	for (unsigned i = 0; i < _NB_ISOLATION_MAX; i++)
		nb_cpumask_or(&topology->isolated, &topology->isolated_by[i]);
	topology->n_possible = id + 1 + below(random, 100);
	topology->cpus = made->cpus;
	topology->n_cpus = n;
	made->machine.accounting = (enum nb_accounting)below(random, _NB_ACCOUNTING_MAX);
}

static void add_queues(struct machine *made, int ifindex, GRand *random)
{
	bool alike = below(random, 2);
	unsigned n = below(random, 24);

	for (unsigned i = 0; i < n; i++) {
		struct nb_queue queue = {
			.key = {.ifindex = ifindex, .index = i},
			.has_rx = alike || below(random, 3),
			.has_tx = alike || below(random, 3),
			.n_irqs = alike ? 1 : below(random, NB_QUEUE_IRQS_MAX + 1),
		};

		if (alike || below(random, 6))
			g_array_append_val(made->queues, queue);
	}
}

static void make_nics(struct machine *made, GRand *random)
{
	unsigned n = below(random, 6);
	int ifindex = 1;

	made->nics = g_new0(struct nb_nic, n);
	made->queues = g_array_new(FALSE, FALSE, sizeof(struct nb_queue));
	for (unsigned i = 0; i < n; i++) {
		struct nb_nic *nic = &made->nics[i];

		ifindex += 1 + (int)below(random, 3);
		*nic = (struct nb_nic){
			.ifindex = ifindex,
			.driver = "mlx5_core",
			.node = (int)below(random, 3) - 1,
			.scope = below(random, 4) ? NB_SCOPE_IN : NB_SCOPE_VIRTUAL,
			.n_rx = below(random, 64),
			.n_tx = below(random, 64),
			.n_slow_path = below(random, 3),
		};
		if (nic->scope == NB_SCOPE_IN)
			add_queues(made, ifindex, random);
	}
	made->machine.nics = made->nics;
	made->machine.n_nics = n;
	made->machine.queues = (struct nb_queue *)(void *)made->queues->data;
	made->machine.n_queues = made->queues->len;
}

static struct machine *machine_new(GRand *random)
{
	struct machine *made = g_new0(struct machine, 1);

	make_cpus(made, random);
	make_nics(made, random);
	return made;
}

static void machine_free(void *data)
{
	struct machine *made = data;

	g_free(made->cpus);
	g_free(made->nics);
	g_array_unref(made->queues);
	g_free(made);
}

/* Calm, noisy, or anything. */
static uint32_t random_share(GRand *random, unsigned kind)
{
	if (kind == 0)
		return 0;
	return kind == 1 ? 3000 + below(random, 200) : below(random, 1u << below(random, 31));
}

static void fill_queues(struct window *window, const struct nb_machine *machine, GRand *random)
{
	unsigned kind = below(random, 3);

	for (unsigned i = 0; i < machine->n_queues; i++) {
		struct nb_queue_load *load = &window->loads.queues[i];

		load->key = window->snapshot.queues[i].key = machine->queues[i].key;
		load->window_time = random_share(random, kind);
		load->window_threaded = random_share(random, kind);
		load->cpu = (int)below(random, machine->topology.n_possible + 1) - 1;
		window->snapshot.queues[i].settable = below(random, 10);
		if (below(random, 10) == 0) {
			struct nb_rps_state *rps = &window->snapshot.rps[window->snapshot.n_rps++];

			*rps = (struct nb_rps_state){.key = load->key};
			for (unsigned j = 0; j <= below(random, 4); j++)
				nb_cpumask_add(&rps->cpus,
					       below(random, machine->topology.n_possible));
		}
	}
}

static void fill_cpus(struct window *window, const struct nb_machine *machine, GRand *random)
{
	unsigned kind = below(random, 3);

	for (unsigned i = 0; i < machine->topology.n_cpus; i++) {
		struct nb_cpu_load *load = &window->loads.cpus[i];

		load->id = machine->topology.cpus[i].id;
		load->window_fixed = random_share(random, kind);
		load->window_backlog = below(random, 4) ? 0 : random_share(random, kind);
		load->dropped = below(random, 20) ? 0 : random_share(random, 2);
	}
}

static void fill_moves(struct window *window, const struct nb_machine *machine, GRand *random)
{
	unsigned n = machine->n_queues ? below(random, G_N_ELEMENTS(window->moves) + 1) : 0;

	for (unsigned i = 0; i < n; i++) {
		struct nb_move *move = &window->moves[i];

		*move = (struct nb_move){
			.key = machine->queues[below(random, machine->n_queues)].key,
			.reason = (enum nb_reason)below(random, _NB_REASON_MAX),
			.cpu_from = (int)below(random, machine->topology.n_possible + 1) - 1,
			.cpu_to = below(random, machine->topology.n_possible),
			.load = random_share(random, 2),
			.source_before = random_share(random, 2),
			.target_after = random_share(random, 2),
		};
		window->changes[i] = nb_change_of_move(NB_KIND_QUEUE, move);
		window->changes[i].outcome =
			below(random, 3) ? NB_OUTCOME_APPLIED : NB_OUTCOME_BUSY;
	}
	window->plan.changes = window->changes;
	window->plan.n_changes = n;
}

static void fill_device_irqs(struct window *window, const struct nb_machine *machine, GRand *random)
{
	static const enum nb_event events[] = {NB_EVENT_MOVED, NB_EVENT_YIELDED, NB_EVENT_RESTORED};

	window->n_device_irqs =
		below(random, 3) ? 0 : below(random, G_N_ELEMENTS(window->device_irqs) + 1);
	for (unsigned i = 0; i < window->n_device_irqs; i++) {
		struct nb_trace_device_irq *other = &window->device_irqs[i];

		other->irq = random_share(random, 2);
		other->event = events[below(random, G_N_ELEMENTS(events))];
		other->reason = other->event == NB_EVENT_MOVED
					? (enum nb_reason)below(random, _NB_REASON_MAX)
					: _NB_REASON_INVALID;
		other->cpu_from = (int)below(random, machine->topology.n_possible + 1) - 1;
		other->cpu_to = (int)below(random, machine->topology.n_possible + 1) - 1;
	}
}

static struct window *window_new(const struct nb_machine *machine, uint64_t *now_nsec,
				 GRand *random)
{
	struct window *window = g_new0(struct window, 1);

	*now_nsec += below(random, 5) ? 0 : below(random, INT32_MAX);
	window->loads.window_nsec = 1 + below(random, below(random, 2) ? INT32_MAX : 10000000);
	*now_nsec += window->loads.window_nsec;
	window->loads.taken_nsec = window->snapshot.taken_nsec = *now_nsec;
	window->loads.cpus = g_new0(struct nb_cpu_load, machine->topology.n_cpus);
	window->loads.n_cpus = machine->topology.n_cpus;
	window->loads.queues = g_new0(struct nb_queue_load, machine->n_queues);
	window->loads.n_queues = machine->n_queues;
	window->snapshot.machine = machine;
	window->snapshot.grade = below(random, 10) ? NB_GRADE_MEASURED : NB_GRADE_ESTIMATED;
	window->snapshot.queues = g_new0(struct nb_queue_state, machine->n_queues);
	window->snapshot.n_queues = machine->n_queues;
	window->snapshot.rps = g_new0(struct nb_rps_state, machine->n_queues);
	fill_cpus(window, machine, random);
	fill_queues(window, machine, random);
	fill_moves(window, machine, random);
	fill_device_irqs(window, machine, random);
	return window;
}

static void window_free(void *data)
{
	struct window *window = data;

	g_free(window->loads.cpus);
	g_free(window->loads.queues);
	g_free(window->snapshot.queues);
	g_free(window->snapshot.rps);
	g_free(window);
}

struct recording {
	GPtrArray *machines, *windows;
	GString *text;
	struct nb_trace *trace;
};

/* Windows of machines that change now and then, as a daemon would write them. */
static void make_text(struct recording *recording, GRand *random)
{
	g_autoptr(nb_trace_writer) writer = nb_trace_writer_new();
	uint64_t now_nsec = below(random, INT32_MAX);
	struct machine *machine = NULL;

	for (unsigned i = 0; i < WINDOWS; i++) {
		struct window *window;
		struct nb_rules rules;

		if (!machine || below(random, 6) == 0) {
			machine = machine_new(random);
			machine->machine.generation = recording->machines->len + 1;
			g_ptr_array_add(recording->machines, machine);
		}
		window = window_new(&machine->machine, &now_nsec, random);
		g_ptr_array_add(recording->windows, window);
		nb_note_device_irqs(window->device_irqs, window->n_device_irqs, writer);
		nb_rules_init(&rules, &window->snapshot, NULL, NULL);
		nb_trace_write(writer, &window->snapshot, &rules, &window->loads, &window->plan,
			       recording->text);
	}
}

static struct recording *recording_new(uint64_t seed)
{
	g_autoptr(GRand) random = g_rand_new_with_seed((guint32)seed);
	struct recording *recording = g_new0(struct recording, 1);
	g_autofree char *error = NULL;

	recording->machines = g_ptr_array_new_with_free_func(machine_free);
	recording->windows = g_ptr_array_new_with_free_func(window_free);
	recording->text = g_string_new(NULL);
	make_text(recording, random);
	if (nb_trace_parse(recording->text->str, recording->text->len, &recording->trace, &error) <
	    0)
		fail_msg("%s", error);
	return recording;
}

static void recording_free(struct recording *recording)
{
	g_ptr_array_unref(recording->machines);
	g_ptr_array_unref(recording->windows);
	g_string_free(recording->text, TRUE);
	nb_trace_free(recording->trace);
	g_free(recording);
}

static void for_each_recording(void (*claim)(const struct recording *recording))
{
	uint64_t first = env_number("NB_SEED", 1), n = env_number("NB_RECORDINGS", 300);

	for (uint64_t seed = first; seed < first + n; seed++) {
		struct recording *recording;

		printf("NB_SEED=%" PRIu64 "\r", seed);
		recording = recording_new(seed);
		claim(recording);
		recording_free(recording);
	}
}

static void assert_cpus_came_back(const struct window *window, const struct nb_trace_frame *frame)
{
	const struct nb_topology *topology = &window->snapshot.machine->topology;

	assert_int_equal(frame->machine->topology.n_cpus, topology->n_cpus);
	assert_memory_equal(frame->machine->topology.cpus, topology->cpus,
			    topology->n_cpus * sizeof(*topology->cpus));
	assert_true(nb_cpumask_equal(&frame->machine->topology.isolated, &topology->isolated));
	for (unsigned i = 0; i < topology->n_cpus; i++) {
		assert_int_equal(frame->fixed[i], window->loads.cpus[i].window_fixed);
		assert_int_equal(frame->backlog[i], window->loads.cpus[i].window_backlog);
		assert_int_equal(frame->dropped[i], window->loads.cpus[i].dropped);
	}
}

static void assert_queues_came_back(const struct window *window, const struct nb_trace_frame *frame)
{
	const struct nb_machine *machine = window->snapshot.machine;

	assert_int_equal(frame->machine->n_queues, machine->n_queues);
	for (unsigned i = 0; i < machine->n_queues; i++) {
		assert_int_equal(frame->machine->queues[i].key.index, machine->queues[i].key.index);
		assert_int_equal(frame->machine->queues[i].n_irqs, machine->queues[i].n_irqs);
		assert_int_equal(frame->time[i], window->loads.queues[i].window_time);
		assert_int_equal(frame->threaded[i], window->loads.queues[i].window_threaded);
		assert_int_equal(frame->cpus[i], window->loads.queues[i].cpu);
		assert_int_equal(frame->pinned[i], !window->snapshot.queues[i].settable);
	}
}

static void assert_masks_came_back(const struct window *window, const struct nb_trace_frame *frame)
{
	assert_int_equal(frame->n_rps, window->snapshot.n_rps);
	for (unsigned i = 0; i < frame->n_rps; i++) {
		assert_int_equal(frame->rps[i].key.index, window->snapshot.rps[i].key.index);
		assert_true(nb_cpumask_equal(&frame->rps[i].cpus, &window->snapshot.rps[i].cpus));
	}
}

static void assert_moves_came_back(const struct window *window, const struct nb_trace_frame *frame)
{
	unsigned made = 0;

	for (unsigned i = 0; i < window->plan.n_changes; i++) {
		if (window->changes[i].outcome != NB_OUTCOME_APPLIED)
			continue;
		assert_true(made < frame->n_moves);
		assert_int_equal(frame->moves[made].load, window->moves[i].load);
		assert_int_equal(frame->moves[made].cpu_from, window->moves[i].cpu_from);
		assert_int_equal(frame->moves[made].reason, window->moves[i].reason);
		made++;
	}
	assert_int_equal(made, frame->n_moves);
}

static void assert_device_irqs_came_back(const struct window *window,
					 const struct nb_trace_frame *frame)
{
	assert_int_equal(frame->n_device_irqs, window->n_device_irqs);
	for (unsigned i = 0; i < frame->n_device_irqs; i++) {
		assert_int_equal(frame->device_irqs[i].irq, window->device_irqs[i].irq);
		assert_int_equal(frame->device_irqs[i].event, window->device_irqs[i].event);
		assert_int_equal(frame->device_irqs[i].reason, window->device_irqs[i].reason);
		assert_int_equal(frame->device_irqs[i].cpu_from, window->device_irqs[i].cpu_from);
		assert_int_equal(frame->device_irqs[i].cpu_to, window->device_irqs[i].cpu_to);
	}
}

static void came_back(const struct recording *recording)
{
	assert_int_equal(nb_trace_n_frames(recording->trace), WINDOWS);
	for (unsigned i = 0; i < WINDOWS; i++) {
		const struct window *window = g_ptr_array_index(recording->windows, i);
		struct nb_trace_frame frame;

		nb_trace_frame(recording->trace, i, &frame);
		assert_int_equal(frame.grade, window->snapshot.grade);
		assert_cpus_came_back(window, &frame);
		assert_queues_came_back(window, &frame);
		assert_masks_came_back(window, &frame);
		assert_moves_came_back(window, &frame);
		assert_device_irqs_came_back(window, &frame);
	}
}

static void whatever_was_written_is_read(void **state)
{
	(void)state;
	for_each_recording(came_back);
}

static void is_written_the_same(const struct recording *recording)
{
	g_autoptr(GString) again = nb_rewrite_trace(recording->trace);

	assert_string_equal(again->str, recording->text->str);
}

static void writing_what_was_read_gives_the_same_text(void **state)
{
	(void)state;
	for_each_recording(is_written_the_same);
}

/* Cut anywhere, as when the disk was full. */
static void is_read_up_to_the_cut(const struct recording *recording)
{
	size_t begin = strlen("nicbalance-trace 2\n");

	for (size_t len = begin; len <= recording->text->len; len += 1 + len / 8) {
		g_autoptr(nb_trace) trace = NULL;
		g_autofree char *error = NULL;

		if (nb_trace_parse(recording->text->str, len, &trace, &error) < 0)
			fail_msg("%s", error);
		assert_true(nb_trace_n_frames(trace) <= WINDOWS);
	}
}

static void a_cut_trace_is_a_shorter_one(void **state)
{
	(void)state;
	for_each_recording(is_read_up_to_the_cut);
}

/* Counters that grow by what a frame says, in whole nanoseconds. */
static void grow(const struct nb_trace_frame *frame, uint64_t *time_nsec)
{
	for (unsigned i = 0; i < frame->machine->n_queues; i++)
		time_nsec[i] += frame->window_nsec / NB_WHOLE * frame->time[i];
}

static void costs_as_it_did(const struct recording *recording)
{
	struct nb_trace_frame frame;
	g_autoptr(nb_model) model = nb_model_new();
	g_autofree struct nb_queue_state *states = NULL;
	g_autofree struct nb_cpu_counters *cpus = NULL;
	g_autofree uint64_t *time_nsec = NULL;
	struct nb_snapshot prev = {.grade = NB_GRADE_REPLAYED}, cur;
	const struct nb_loads *loads;
	unsigned n;

	nb_trace_frame(recording->trace, 0, &frame);
	n = frame.machine->n_queues;
	states = g_new0(struct nb_queue_state, 2 * n);
	cpus = g_new0(struct nb_cpu_counters, 2 * frame.machine->topology.n_cpus);
	time_nsec = g_new0(uint64_t, n);
	grow(&frame, time_nsec);
	for (unsigned i = 0; i < n; i++) {
		states[i].key = states[n + i].key = frame.machine->queues[i].key;
		states[n + i].time_nsec = time_nsec[i];
	}
	prev.machine = frame.machine;
	prev.queues = states;
	prev.n_queues = n;
	prev.cpus = cpus;
	prev.n_cpus = frame.machine->topology.n_cpus;
	cur = prev;
	cur.taken_nsec = frame.window_nsec;
	cur.queues = states + n;
	loads = nb_model_update(model, &prev, &cur);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(loads->queues[i].window_time, frame.time[i]);
}

static void a_replayed_window_costs_what_was_recorded(void **state)
{
	(void)state;
	for_each_recording(costs_as_it_did);
}

/* Bytes of a minute on 64 CPUs with a queue each, beyond its first second: a share is n_noise times
 * 0.01 % up or down, on one CPU of `of`. */
static size_t minute(unsigned noise, unsigned of)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(1);
	g_autoptr(nb_trace_writer) writer = nb_trace_writer_new();
	g_autoptr(GString) text = g_string_new(NULL);
	struct nb_cpu cpus[64];
	struct nb_queue queues[64];
	struct nb_nic nic = {.ifindex = 1};
	struct nb_cpu_load cpu_loads[64] = {0};
	struct nb_queue_load queue_loads[64] = {0};
	struct nb_queue_state states[64] = {0};
	struct nb_machine machine = {
		.topology = {.cpus = cpus, .n_cpus = 64, .n_possible = 64},
		.nics = &nic,
		.n_nics = 1,
		.queues = queues,
		.n_queues = 64,
	};
	struct nb_snapshot snapshot = {.machine = &machine, .queues = states, .n_queues = 64};
	struct nb_loads loads = {
		.cpus = cpu_loads, .n_cpus = 64, .queues = queue_loads, .n_queues = 64};
	struct nb_rules rules;
	size_t first = 0;

	for (unsigned i = 0; i < 64; i++) {
		cpus[i] = (struct nb_cpu){.id = i};
		queues[i] = (struct nb_queue){.key = {1, i}};
		cpu_loads[i].id = i;
	}
	for (unsigned second = 0; second <= 60; second++) {
		loads.window_nsec = NB_NSEC_PER_SEC;
		loads.taken_nsec += NB_NSEC_PER_SEC;
		for (unsigned i = 0; i < 64; i++) {
			if (below(random, of))
				continue;
			cpu_loads[i].window_fixed = 1000 + below(random, 2 * noise + 1);
			queue_loads[i].window_time = 3000 + below(random, 2 * noise + 1);
		}
		nb_rules_init(&rules, &snapshot, NULL, NULL);
		nb_trace_write(writer, &snapshot, &rules, &loads, &(struct nb_plan){0}, text);
		first = second == 0 ? text->len : first;
	}
	return text->len - first;
}

/* nicbalance-trace(5) says so. */
static void a_minute_is_of_a_size_that_is_known(void **state)
{
	const size_t still = minute(0, 1), wild = minute(200, 1);

	(void)state;
	print_message("still %zu, wild %zu bytes\n", still, wild);
	assert_true(still < 60000);
	assert_true(wild < 60000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_was_written_is_read),
		cmocka_unit_test(writing_what_was_read_gives_the_same_text),
		cmocka_unit_test(a_cut_trace_is_a_shorter_one),
		cmocka_unit_test(a_replayed_window_costs_what_was_recorded),
		cmocka_unit_test(a_minute_is_of_a_size_that_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
