/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/sampler.h"
#include "base/find.h"
#include "sample/audit.h"
#include "sample/cpu_files.h"
#include "sample/scan.h"
#include "sample/timing.h"

#include <errno.h>

/* A snapshot and what it is made of. */
struct slot {
	struct nb_snapshot snapshot;
	struct nb_scan *scan; /* NULL: never used */
	GArray *rps;
};

struct nb_sampler {
	struct nb_sysroot *root;
	struct nb_netlink *netlink;
	const struct nb_device_rules *rules;
	struct nb_cpu_files files;
	uint64_t generation;
	struct nb_scan *scan; /* NULL before the first rescan */
	struct nb_audit audit;
	struct nb_probe *probe;   /* NULL in the counted grade */
	struct nb_timing *timing; /* of the probe */
	struct nb_probe_cpustat *cpustat;
	struct slot slots[2];
	unsigned last; /* slot of the last good reading */
};

int nb_sampler_new(struct nb_sysroot *root, struct nb_netlink *netlink,
		   const struct nb_device_rules *rules, struct nb_sampler **ret)
{
	g_autoptr(nb_sampler) sampler = g_new0(nb_sampler, 1);
	int r;

	sampler->root = root;
	sampler->netlink = netlink;
	sampler->rules = rules;
	nb_audit_init(&sampler->audit, root);
	for (unsigned i = 0; i < G_N_ELEMENTS(sampler->slots); i++)
		sampler->slots[i].rps = g_array_new(FALSE, FALSE, sizeof(struct nb_rps_state));

	r = nb_cpu_files_open(&sampler->files, root);
	if (r < 0)
		return r;
	*ret = g_steal_pointer(&sampler);
	return 0;
}

static void slot_release(struct slot *slot)
{
	g_clear_pointer(&slot->snapshot.cpus, g_free);
	g_clear_pointer(&slot->snapshot.queues, g_free);
	g_clear_pointer(&slot->scan, nb_scan_unref);
}

void nb_sampler_free(struct nb_sampler *sampler)
{
	if (!sampler)
		return;
	for (unsigned i = 0; i < G_N_ELEMENTS(sampler->slots); i++) {
		slot_release(&sampler->slots[i]);
		g_array_unref(sampler->slots[i].rps);
	}
	nb_cpu_files_close(&sampler->files);
	nb_audit_clear(&sampler->audit);
	nb_timing_free(sampler->timing);
	g_free(sampler->cpustat);
	nb_scan_unref(sampler->scan);
	g_free(sampler);
}

static void drop_probe(struct nb_sampler *sampler)
{
	g_clear_pointer(&sampler->timing, nb_timing_free);
	g_clear_pointer(&sampler->cpustat, g_free);
	sampler->probe = NULL;
}

static void take_probe(struct nb_sampler *sampler, struct nb_probe *probe)
{
	struct nb_probe_view view;

	drop_probe(sampler);
	nb_probe_view(probe, &view);
	sampler->probe = probe;
	sampler->timing = nb_timing_new(probe);
	sampler->cpustat = g_new0(struct nb_probe_cpustat, view.n_cpus);
}

static int adopt_machine(struct nb_sampler *sampler)
{
	int r = nb_timing_adopt(sampler->timing, sampler->scan);

	if (r < 0)
		drop_probe(sampler);
	return r;
}

int nb_sampler_use_probe(struct nb_sampler *sampler, struct nb_probe *probe)
{
	if (!probe) {
		drop_probe(sampler);
		return 0;
	}
	if (!sampler->scan)
		return -ESTALE;
	take_probe(sampler, probe);
	return adopt_machine(sampler);
}

int nb_sampler_rescan(struct nb_sampler *sampler)
{
	struct nb_scan *scan;
	int r;

	r = nb_scan_new(sampler->root, sampler->netlink, sampler->rules, sampler->generation + 1,
			&scan);
	if (r < 0)
		return r;

	sampler->generation++;
	nb_scan_unref(sampler->scan);
	sampler->scan = scan;
	nb_audit_adopt(&sampler->audit, &scan->machine);
	if (sampler->timing)
		(void)adopt_machine(sampler);
	return 0;
}

void nb_sampler_set_rules(struct nb_sampler *sampler, const struct nb_device_rules *rules)
{
	sampler->rules = rules;
}

/* Room for the machine, once: later readings of the same machine find it there. */
static void slot_prepare(struct slot *slot, struct nb_scan *scan)
{
	const struct nb_machine *machine = &scan->machine;
	struct nb_snapshot *snapshot = &slot->snapshot;

	if (slot->scan == scan)
		return;
	slot_release(slot);
	slot->scan = nb_scan_ref(scan);
	*snapshot = (struct nb_snapshot){
		.machine = machine,
		.n_cpus = machine->topology.n_cpus,
		.cpus = g_new0(struct nb_cpu_counters, machine->topology.n_cpus),
		.n_queues = machine->n_queues,
		.queues = g_new0(struct nb_queue_state, machine->n_queues),
	};
	for (unsigned i = 0; i < snapshot->n_cpus; i++)
		snapshot->cpus[i].id = machine->topology.cpus[i].id;
	for (unsigned i = 0; i < snapshot->n_queues; i++)
		snapshot->queues[i] = (struct nb_queue_state){
			.key = machine->queues[i].key, .landed_cpu = -1, .polled_cpu = -1};
}

static bool is_full(const struct nb_sampler *sampler)
{
	return sampler->timing != NULL;
}

/* What /proc/stat would tell, for the price of one system call. CPUs without a tick keep their
 * times to themselves until /proc/stat asks (kernel/sched/cputime.c kcpustat_cpu_fetch()). */
static int read_cpustat(struct nb_sampler *sampler, struct nb_snapshot *snapshot)
{
	const struct nb_topology *topology = &snapshot->machine->topology;
	int r;

	if (!is_full(sampler) || !nb_cpumask_empty(&topology->isolated_by[NB_ISOLATION_NOHZ_FULL]))
		return -EOPNOTSUPP;
	r = nb_probe_read_cpustat(sampler->probe, sampler->cpustat, topology->n_possible);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < snapshot->n_cpus; i++) {
		const struct nb_probe_cpustat *stat = &sampler->cpustat[snapshot->cpus[i].id];

		snapshot->cpus[i].user_nsec = stat->user_nsec;
		snapshot->cpus[i].steal_nsec = stat->steal_nsec;
	}
	return 0;
}

/* How often network softirqs ran the probe knows, too. */
static int read_cpus(struct nb_sampler *sampler, struct nb_snapshot *snapshot)
{
	struct nb_cpu_files *files = &sampler->files;
	int r;

	r = read_cpustat(sampler, snapshot);
	if (r == -EOPNOTSUPP)
		r = nb_cpu_files_read_times(files, snapshot->cpus, snapshot->n_cpus);
	if (r == 0 && !is_full(sampler))
		r = nb_cpu_files_read_softirqs(files, snapshot->cpus, snapshot->n_cpus);
	if (r == 0)
		r = nb_cpu_files_read_softnet(files, snapshot->cpus, snapshot->n_cpus);
	return r;
}

/* A device that does not answer keeps the counts of the last reading. */
static int read_packets(struct nb_sampler *sampler, struct nb_snapshot *snapshot)
{
	struct nb_scan *scan = sampler->scan;

	for (unsigned i = 0; i < scan->n_packets; i++)
		if (nb_packets_read(&scan->packets[i], sampler->netlink, snapshot->queues) ==
		    -ESTALE)
			return -ESTALE;
	return 0;
}

/* What is not read anew in every reading. */
static void carry_over(struct slot *slot, const struct slot *last)
{
	const struct nb_snapshot *from = &last->snapshot;

	memcpy(slot->snapshot.cpus, from->cpus, from->n_cpus * sizeof(*from->cpus));
	if (from->n_queues > 0)
		memcpy(slot->snapshot.queues, from->queues, from->n_queues * sizeof(*from->queues));
	g_array_set_size(slot->rps, 0);
	if (last->rps->len > 0)
		g_array_append_vals(slot->rps, last->rps->data, last->rps->len);
	slot->snapshot.times_nsec = from->times_nsec;
}

/* On a new machine the probe's counts of queues that were known before go on. */
static void carry_timings(struct slot *slot, const struct slot *last)
{
	for (unsigned i = 0; last->scan && i < slot->snapshot.n_queues; i++) {
		struct nb_queue_state *state = &slot->snapshot.queues[i];
		const struct nb_queue_state *from =
			nb_snapshot_find_queue(&last->snapshot, state->key);

		if (from)
			*state = *from;
	}
}

static int audit(struct nb_sampler *sampler, enum nb_depth depth, struct slot *slot)
{
	unsigned flags = (is_full(sampler) ? 0 : NB_AUDIT_COUNTS) |
			 (depth >= NB_DEPTH_SURVEY ? NB_AUDIT_SURVEY : 0);
	int r;

	if (is_full(sampler)) {
		r = read_packets(sampler, &slot->snapshot);
		if (r < 0)
			return r;
	}
	r = nb_audit_read(&sampler->audit, sampler->scan, flags, &slot->snapshot, slot->rps);
	if (r < 0)
		return r;
	nb_audit_commit(&sampler->audit);
	return 0;
}

static int read_counters(struct nb_sampler *sampler, struct nb_snapshot *snapshot)
{
	int r = read_cpus(sampler, snapshot);

	if (r < 0)
		return r;
	return is_full(sampler) ? 0 : read_packets(sampler, snapshot);
}

static struct slot *begin(struct nb_sampler *sampler, enum nb_depth *depth)
{
	struct slot *slot = &sampler->slots[!sampler->last];
	const struct slot *last = &sampler->slots[sampler->last];
	enum nb_grade grade = is_full(sampler) ? NB_GRADE_FULL : NB_GRADE_COUNTED;

	slot_prepare(slot, sampler->scan);
	if (last->scan == sampler->scan) {
		carry_over(slot, last);
	} else {
		carry_timings(slot, last);
		*depth = NB_DEPTH_SURVEY;
	}
	/* The grades count interrupts and packets from other beginnings. */
	if (last->scan && last->snapshot.grade != grade)
		*depth = MAX(*depth, NB_DEPTH_AUDIT);
	if (grade == NB_GRADE_COUNTED)
		*depth = MAX(*depth, NB_DEPTH_COUNTERS);
	slot->snapshot.grade = grade;
	return slot;
}

int nb_sampler_read(struct nb_sampler *sampler, uint64_t now_nsec, enum nb_depth depth,
		    const struct nb_snapshot **ret)
{
	struct slot *slot;
	struct nb_snapshot *snapshot;
	int r;

	if (!sampler->scan)
		return -ESTALE;
	slot = begin(sampler, &depth);
	snapshot = &slot->snapshot;
	if (depth >= NB_DEPTH_COUNTERS) {
		r = read_counters(sampler, snapshot);
		if (r < 0)
			return r;
		snapshot->times_nsec = now_nsec;
	}
	if (depth >= NB_DEPTH_AUDIT) {
		r = audit(sampler, depth, slot);
		if (r < 0)
			return r;
	}
	/* Last, since what it takes is counted once. */
	if (is_full(sampler))
		nb_timing_read(sampler->timing, snapshot, depth >= NB_DEPTH_AUDIT);

	snapshot->taken_nsec = now_nsec;
	snapshot->audited = depth >= NB_DEPTH_AUDIT;
	snapshot->rps = (struct nb_rps_state *)(void *)slot->rps->data;
	snapshot->n_rps = slot->rps->len;
	sampler->last = !sampler->last;
	*ret = snapshot;
	return 0;
}
