/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/device_irqs.h"

#include "base/device_irq_memory.h"
#include "base/find.h"
#include "base/memory.h"
#include "base/written.h"

/* At 10 µs each (a disk's interrupt with what it completes) that is 0.1 % of a CPU: rarer ones
 * matter only on CPUs that are not eligible. */
#define FREQUENT_PER_SEC 100u
/* They are read once a minute, and each move costs a vector and cold caches. */
#define MOVES_MAX 32u
/* Bounds how often hot CPUs move one. */
#define DWELL_NSEC (10 * 60 * NB_NSEC_PER_SEC)
/* A write that failed for a passing reason is tried again after so long, then after twice that … */
#define REJECTED_NSEC (60 * NB_NSEC_PER_SEC)
/* Loads within one such step count as equal, as in a placement. */
#define LOAD_STEP 500u

/* A CPU of the board, with its device interrupts. */
struct candidate {
	unsigned n_found; /* frequent ones, before anything moves */
	unsigned n;       /* as they move */
	uint64_t per_sec; /* of all that were on it */
	int64_t shift;    /* of its load, by those that move */
};

struct row {
	const struct nb_device_irq *device_irq;
	const struct nb_device_irq_memory *memory; /* NULL: none */
	unsigned cpu;                              /* index, or NB_NOWHERE */
	unsigned domain;
	uint32_t time;
	bool moved;
};

struct view {
	const struct nb_board *board;
	struct candidate *candidates; /* parallel to the board's CPUs */
	struct row *rows;             /* the most frequent first */
	unsigned n_rows;
	uint64_t version; /* of the reading */
	bool obeys;       /* only what may not stay is moved, and at once */
};

static bool is_frequent(const struct row *row)
{
	return row->device_irq->per_sec >= FREQUENT_PER_SEC;
}

static uint32_t load_of(const struct view *view, unsigned cpu)
{
	int64_t load = (int64_t)nb_board_load(view->board, cpu) + view->candidates[cpu].shift;

	return (uint32_t)MAX(load, 0);
}

static bool is_hot(const struct view *view, unsigned cpu)
{
	return load_of(view, cpu) > view->board->policy->hot;
}

static bool is_same_device(const struct row *a, const struct row *b)
{
	return a == b || (*a->device_irq->device &&
			  g_str_equal(a->device_irq->device, b->device_irq->device));
}

/* Each of several on a CPU of its own, at least one of them in its domain: a queue for each CPU, as
 * NVMe disks have. */
static bool is_spread(const struct view *view, const struct row *row)
{
	bool home = nb_board_in_domain(view->board, row->cpu, row->domain);
	unsigned n = 1;

	for (unsigned i = 0; i < view->n_rows; i++) {
		const struct row *other = &view->rows[i];

		if (other == row || other->cpu == NB_NOWHERE || !is_frequent(other) ||
		    !is_same_device(row, other))
			continue;
		if (other->cpu == row->cpu)
			return false;
		home |= nb_board_in_domain(view->board, other->cpu, row->domain);
		n++;
	}
	return home && n > 1;
}

static unsigned fair_share(const struct view *view, unsigned domain, unsigned *ret_n)
{
	unsigned n_cpus = 0;

	*ret_n = 0;
	for (unsigned i = 0; i < view->board->n_cpus; i++) {
		if (!nb_board_in_domain(view->board, i, domain))
			continue;
		*ret_n += view->candidates[i].n_found;
		n_cpus++;
	}
	return n_cpus ? (*ret_n + n_cpus - 1) / n_cpus : *ret_n;
}

/* Its CPU was crowded, and still has more than its share. */
static bool is_crowded(const struct view *view, const struct row *row)
{
	const struct candidate *candidate = &view->candidates[row->cpu];
	unsigned n, fair = fair_share(view, row->domain, &n);

	return candidate->n > fair && (candidate->n_found > 2 * fair || candidate->n_found == n);
}

/* Beside queues by chance, on a hot CPU; or it is what makes the CPU hot. */
static bool is_misfit(const struct view *view, const struct row *row)
{
	if (!is_hot(view, row->cpu))
		return false;
	return (row->device_irq->n_allowed > 1 && view->board->cpus[row->cpu].n_queues > 0) ||
	       row->time >= view->board->policy->minimum_gain;
}

/* What is wrong with its place; _NB_REASON_INVALID: nothing. */
static enum nb_reason fault_of(const struct view *view, const struct row *row)
{
	if (!nb_board_may_stay(view->board, row->cpu, row->domain))
		return NB_REASON_INELIGIBLE;
	if (!is_frequent(row) || is_spread(view, row))
		return _NB_REASON_INVALID;
	if (is_misfit(view, row))
		return NB_REASON_DEVICE_HOT;
	if (row->memory && row->memory->expected_cpu >= 0)
		return _NB_REASON_INVALID;
	if (!nb_board_in_domain(view->board, row->cpu, row->domain))
		return NB_REASON_DEVICE_REMOTE;
	return is_crowded(view, row) ? NB_REASON_DEVICE_CROWDED : _NB_REASON_INVALID;
}

/* It need not wait if its CPU is no longer eligible. */
static bool is_idle(const struct view *view, const struct row *row)
{
	const struct nb_device_irq_memory *memory = row->memory;

	if (memory->expected_cpu >= 0 && !nb_board_may_stay(view->board, row->cpu, row->domain))
		return false;
	return memory->moved_nsec && view->board->now_nsec < memory->moved_nsec + DWELL_NSEC;
}

/* The kernel manages all interrupts of a device, or none: one refusal is enough. */
static bool may_ask_device(const struct view *view, const struct row *row)
{
	bool asked = false, went = false;

	for (unsigned i = 0; i < view->n_rows; i++) {
		const struct row *other = &view->rows[i];

		if (!is_same_device(row, other))
			continue;
		if (other->memory && other->memory->refused)
			return false;
		went |= other->memory && other->memory->expected_cpu >= 0;
		asked |= other->moved;
	}
	return went || !asked || view->obeys;
}

/* The reading is older than our last move of it. */
static bool was_moved_since(const struct view *view, const struct nb_device_irq_memory *memory)
{
	return memory && memory->expected_cpu >= 0 && memory->moved_nsec > 0 &&
	       memory->moved_version == view->version;
}

static bool may_move(const struct view *view, const struct row *row)
{
	const struct nb_device_irq *device_irq = row->device_irq;
	const struct nb_device_irq_memory *memory = row->memory;

	if (!device_irq->settable || device_irq->foreign || device_irq->portal ||
	    row->cpu == NB_NOWHERE)
		return false;
	if (!memory)
		return may_ask_device(view, row);
	if (memory->affinity.unjudged ||
	    nb_written_holds(view->board->rules.written, nb_device_irq_key(device_irq->irq),
			     &view->board->domains[row->domain].allowed))
		return false;
	return view->board->now_nsec >= memory->yielded_until_nsec && !is_idle(view, row) &&
	       !nb_memory_is_rejected(&memory->rejections, REJECTED_NSEC, view->board->now_nsec) &&
	       may_ask_device(view, row);
}

static bool may_take(const struct view *view, const struct row *row, unsigned cpu)
{
	return cpu != row->cpu && nb_board_is_open(view->board, cpu, row->domain);
}

/* It takes so much of another CPU. */
static uint32_t time_on(const struct view *view, const struct row *row, unsigned cpu)
{
	return nb_capacity_convert(row->time, view->board->cpus[row->cpu].capacity,
				   view->board->cpus[cpu].capacity);
}

static bool gets_hot(const struct view *view, const struct row *row, unsigned cpu)
{
	return load_of(view, cpu) + time_on(view, row, cpu) > view->board->policy->hot;
}

/* Where it stays cool; with fewer of its kind; less loaded, in steps; with fewer queues; the lower
 * id. */
static bool better_candidate(const struct view *view, const struct row *row, unsigned cpu,
			     unsigned best)
{
	bool hot = gets_hot(view, row, cpu), best_hot = gets_hot(view, row, best);
	const struct candidate *candidate = &view->candidates[cpu],
			       *best_candidate = &view->candidates[best];
	uint32_t step = load_of(view, cpu) / LOAD_STEP, best_step = load_of(view, best) / LOAD_STEP;

	if (hot != best_hot)
		return best_hot;
	if (candidate->n != best_candidate->n)
		return candidate->n < best_candidate->n;
	if (step != best_step)
		return step < best_step;
	return view->board->cpus[cpu].n_queues < view->board->cpus[best].n_queues;
}

/* NB_NOWHERE: it is better off where it is. */
static unsigned best_candidate(const struct view *view, const struct row *row,
			       enum nb_reason reason)
{
	unsigned best = NB_NOWHERE;

	for (unsigned i = 0; i < view->board->n_cpus; i++)
		if (may_take(view, row, i) &&
		    (best == NB_NOWHERE || better_candidate(view, row, i, best)))
			best = i;
	if (best == NB_NOWHERE || reason == NB_REASON_INELIGIBLE)
		return best;
	if (gets_hot(view, row, best) ||
	    (reason == NB_REASON_DEVICE_CROWDED &&
	     view->candidates[best].n + 1 >= view->candidates[row->cpu].n))
		return NB_NOWHERE;
	return best;
}

static void move(struct view *view, struct row *row, unsigned candidate, enum nb_reason reason,
		 GArray *moves)
{
	struct nb_move move = {
		.key = nb_device_irq_key(row->device_irq->irq),
		.reason = reason,
		.cpu_from = (int)view->board->cpus[row->cpu].id,
		.cpu_to = view->board->cpus[candidate].id,
	};

	if (is_frequent(row)) {
		view->candidates[row->cpu].n--;
		view->candidates[candidate].n++;
	}
	view->candidates[row->cpu].shift -= row->time;
	row->time = time_on(view, row, candidate);
	view->candidates[candidate].shift += row->time;
	row->cpu = candidate;
	row->moved = true;
	g_array_append_val(moves, move);
}

static gint more_frequent_first(gconstpointer a, gconstpointer b)
{
	const struct row *x = a, *y = b;

	if (x->device_irq->per_sec != y->device_irq->per_sec)
		return x->device_irq->per_sec > y->device_irq->per_sec ? -1 : 1;
	return x->device_irq->irq < y->device_irq->irq ? -1
						       : x->device_irq->irq > y->device_irq->irq;
}

static void add_rows(struct view *view, struct nb_board *board, const struct nb_machine *machine,
		     const struct nb_memory *memory, GArray *rows)
{
	for (unsigned i = 0; i < machine->n_device_irqs; i++) {
		const struct nb_device_irq *device_irq = &machine->device_irqs[i];
		struct row row = {
			.device_irq = device_irq,
			.memory = nb_device_irq_memory_find(memory, device_irq->irq),
			.domain = nb_board_find_domain(board, nb_device_irq_key(device_irq->irq),
						       device_irq->node),
		};

		row.cpu = nb_board_find_cpu(view->board, was_moved_since(view, row.memory)
								 ? row.memory->expected_cpu
								 : device_irq->cpu);
		if (row.cpu != NB_NOWHERE) {
			view->candidates[row.cpu].n += is_frequent(&row);
			view->candidates[row.cpu].n_found += is_frequent(&row);
			view->candidates[row.cpu].per_sec += device_irq->per_sec;
		}
		g_array_append_val(rows, row);
	}
	g_array_sort(rows, more_frequent_first);
	view->rows = (struct row *)(void *)rows->data;
	view->n_rows = rows->len;
}

/* Device interrupts are not timed: the interrupt time of the CPU that no queue accounts for is
 * divided among them by rate. */
static uint32_t time_of(const struct view *view, const struct nb_loads *loads,
			const struct row *row)
{
	const struct nb_cpu_load *load = nb_loads_find_cpu(loads, view->board->cpus[row->cpu].id);
	uint64_t per_sec = view->candidates[row->cpu].per_sec;
	uint64_t share;

	if (!load || per_sec == 0)
		return 0;
	share = nb_growth((uint64_t)load->queues + load->backlog,
			  (uint64_t)load->irq + load->softirq);
	return (uint32_t)(share * row->device_irq->per_sec / per_sec);
}

static void choose_moves(struct view *view, const struct nb_loads *loads, GArray *moves)
{
	for (unsigned i = 0; i < view->n_rows; i++)
		if (view->rows[i].cpu != NB_NOWHERE)
			view->rows[i].time = time_of(view, loads, &view->rows[i]);
	for (unsigned i = 0; i < view->n_rows && (view->obeys || moves->len < MOVES_MAX); i++) {
		struct row *row = &view->rows[i];
		enum nb_reason reason =
			may_move(view, row) ? fault_of(view, row) : _NB_REASON_INVALID;
		bool waits = view->obeys && reason != NB_REASON_INELIGIBLE;
		unsigned candidate = reason == _NB_REASON_INVALID || waits
					     ? NB_NOWHERE
					     : best_candidate(view, row, reason);

		if (candidate != NB_NOWHERE)
			move(view, row, candidate, reason, moves);
	}
}

static void plan_look(struct nb_board *board, const struct nb_machine *machine,
		      const struct nb_loads *loads, struct nb_memory *memory, bool obeys,
		      GArray *moves)
{
	g_autofree struct candidate *candidates = g_new0(struct candidate, board->n_cpus);
	g_autoptr(GArray) rows =
		g_array_sized_new(FALSE, FALSE, sizeof(struct row), machine->n_device_irqs);
	struct view view = {.board = board,
			    .candidates = candidates,
			    .version = machine->device_irqs_version,
			    .obeys = obeys};

	add_rows(&view, board, machine, memory, rows);
	choose_moves(&view, loads, moves);
	for (unsigned i = 0; i < view.n_rows; i++)
		if (view.rows[i].moved)
			nb_device_irq_memory_get(memory, view.rows[i].device_irq)->moved_version =
				view.version;
}

void nb_plan_device_irqs(struct nb_board *board, const struct nb_machine *machine,
			 const struct nb_loads *loads, struct nb_memory *memory, GArray *moves)
{
	/* The effect of these on a CPU would be taken for that of a queue's move. */
	if (memory->device_irqs_planned == machine->device_irqs_version ||
	    nb_memory_is_measuring(memory))
		return;
	memory->device_irqs_planned = machine->device_irqs_version;
	if (machine->n_device_irqs > 0)
		plan_look(board, machine, loads, memory, false, moves);
}

void nb_plan_device_irqs_obey(struct nb_board *board, const struct nb_machine *machine,
			      const struct nb_loads *loads, struct nb_memory *memory, GArray *moves)
{
	if (machine->n_device_irqs > 0)
		plan_look(board, machine, loads, memory, true, moves);
}
