/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/sampler.h"
#include "base/find.h"
#include "nicbalance/units.h"
#include "sample/affinities.h"
#include "sample/arrivals.h"
#include "sample/buckets.h"
#include "sample/cpu_reader.h"
#include "sample/device_irqs.h"
#include "sample/discover/scan.h"
#include "sample/limits.h"
#include "sample/timing.h"
#include "sample/virtual_queues.h"
#include "sample/virtuals.h"

#include <errno.h>

/* Complete samples may follow each other within a fraction of a second, and for some drivers
 * statistics are registers of the NIC. */
#define DROPS_GAP_NSEC NB_NSEC_PER_SEC

/* At the start nothing is known that could do instead. */
#define FIRST_PATIENCE_USEC 10000000u
/* So many rescans in a row may come to nothing before what could be found counts. */
#define INCOMPLETE_MAX 3u

/* A snapshot and what it is made of. */
struct slot {
	struct nb_snapshot snapshot;
	struct nb_scan *scan; /* NULL: never used */
	GArray *rps;
	GArray *several;
};

struct nb_sampler {
	struct nb_sysroot *root;
	struct nb_netlink *netlink;
	const struct nb_device_rules *rules;
	struct nb_cpu_reader cpus;
	uint64_t (*clock_nsec)(void); /* NULL: no call takes time */
	uint64_t rescan_nsec;         /* taken by the last rescan */
	uint64_t generation;
	struct nb_scan *scan;  /* NULL before the first rescan */
	unsigned n_incomplete; /* rescans in a row */
	struct nb_affinities affinities;
	struct nb_device_irqs device_irqs;
	struct nb_limits limits;
	struct nb_arrivals_reader arrivals;
	struct nb_timing *timing;  /* of the probe; NULL in the estimated grade */
	struct nb_buckets buckets; /* likewise */
	struct nb_virtuals virtuals;
	bool found_virtual; /* in the last sample */
	struct slot slots[2];
	unsigned last;                   /* slot of the last good sample */
	struct nb_cpu_sample idle_check; /* last */
	struct nb_cpu_counters
		*check_cpus[2];       /* of the machine: for this idle check, the one before */
	unsigned n_idle_checks;       /* since the last good sample */
	struct nb_cpu_sample watched; /* last; of no machine: topology is NULL */
	struct nb_cpu_counters *watch_cpus[2];
	unsigned n_watches;
};

int nb_sampler_new(struct nb_sysroot *root, struct nb_netlink *netlink,
		   const struct nb_device_rules *rules, struct nb_sampler **ret)
{
	g_autoptr(nb_sampler) sampler = g_new0(nb_sampler, 1);
	int r;

	sampler->root = root;
	sampler->netlink = netlink;
	sampler->rules = rules;
	sampler->buckets.root = root;
	sampler->buckets.netlink = netlink;
	nb_affinities_init(&sampler->affinities, root);
	nb_device_irqs_init(&sampler->device_irqs, root);
	nb_limits_init(&sampler->limits, root);
	nb_arrivals_reader_init(&sampler->arrivals, root);
	for (unsigned i = 0; i < G_N_ELEMENTS(sampler->slots); i++) {
		sampler->slots[i].rps = g_array_new(FALSE, FALSE, sizeof(struct nb_rps_state));
		sampler->slots[i].several = g_array_new(FALSE, FALSE, sizeof(struct nb_several));
	}

	r = nb_cpu_reader_open(&sampler->cpus, root);
	if (r < 0)
		return r;
	*ret = g_steal_pointer(&sampler);
	return 0;
}

void nb_sampler_use_clock(struct nb_sampler *sampler, uint64_t (*clock_nsec)(void))
{
	sampler->clock_nsec = clock_nsec;
}

static uint64_t clock_nsec(const struct nb_sampler *sampler)
{
	return sampler->clock_nsec ? sampler->clock_nsec() : 0;
}

static void slot_release(struct slot *slot)
{
	g_clear_pointer(&slot->snapshot.cpus, g_free);
	g_clear_pointer(&slot->snapshot.queues, g_free);
	g_clear_pointer(&slot->snapshot.nics, g_free);
	g_clear_pointer(&slot->scan, nb_scan_unref);
}

void nb_sampler_free(struct nb_sampler *sampler)
{
	if (!sampler)
		return;
	for (unsigned i = 0; i < G_N_ELEMENTS(sampler->slots); i++) {
		slot_release(&sampler->slots[i]);
		g_array_unref(sampler->slots[i].rps);
		g_array_unref(sampler->slots[i].several);
	}
	nb_cpu_reader_close(&sampler->cpus);
	for (unsigned i = 0; i < G_N_ELEMENTS(sampler->check_cpus); i++)
		g_free(sampler->check_cpus[i]);
	for (unsigned i = 0; i < G_N_ELEMENTS(sampler->watch_cpus); i++)
		g_free(sampler->watch_cpus[i]);
	nb_affinities_clear(&sampler->affinities);
	nb_device_irqs_clear(&sampler->device_irqs);
	nb_limits_clear(&sampler->limits);
	nb_arrivals_reader_clear(&sampler->arrivals);
	nb_timing_free(sampler->timing);
	nb_scan_unref(sampler->scan);
	g_free(sampler);
}

static void drop_probe(struct nb_sampler *sampler)
{
	nb_buckets_use_probe(&sampler->buckets, NULL);
	g_clear_pointer(&sampler->timing, nb_timing_free);
	nb_cpu_reader_use_probe(&sampler->cpus, NULL);
}

static void take_probe(struct nb_sampler *sampler, struct nb_probe *probe)
{
	drop_probe(sampler);
	sampler->timing = nb_timing_new(probe);
	nb_virtual_queues_watch(sampler->timing, sampler->virtuals.wanted);
	nb_buckets_use_probe(&sampler->buckets, probe);
	nb_cpu_reader_use_probe(&sampler->cpus, probe);
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

bool nb_sampler_count_buckets(struct nb_sampler *sampler, int ifindex, uint64_t now_nsec)
{
	const struct nb_nic *nic = NULL;

	if (ifindex && sampler->scan)
		nic = nb_machine_find_nic(&sampler->scan->machine, ifindex);
	if (nic)
		return nb_buckets_start(&sampler->buckets, ifindex, nic->name, now_nsec);
	nb_buckets_stop(&sampler->buckets);
	return false;
}

void nb_sampler_expect_probe(struct nb_sampler *sampler, bool expected)
{
	sampler->buckets.expected = expected;
}

static void leave_lost_nic(struct nb_sampler *sampler)
{
	if (!nb_machine_find_nic(&sampler->scan->machine, sampler->buckets.ifindex))
		nb_buckets_stop(&sampler->buckets);
}

static unsigned given_up(const struct nb_sampler *sampler)
{
	return sampler->netlink ? nb_netlink_given_up(sampler->netlink) : 0;
}

/* Half of what it would say of a NIC is not known then: which interrupts its queues have, and what
 * counts their packets. */
static bool is_incomplete(struct nb_sampler *sampler, unsigned given_up_before)
{
	if (!sampler->scan || given_up(sampler) == given_up_before) {
		sampler->n_incomplete = 0;
		return false;
	}
	return ++sampler->n_incomplete < INCOMPLETE_MAX;
}

static int scan_machine(struct nb_sampler *sampler, struct nb_scan **ret)
{
	g_autoptr(nb_scan) scan = NULL;
	unsigned before = given_up(sampler);
	int r;

	if (sampler->netlink)
		nb_netlink_set_patience(sampler->netlink, sampler->scan ? NB_NETLINK_PATIENCE_USEC
									: FIRST_PATIENCE_USEC);
	nb_virtuals_expire(&sampler->virtuals, &sampler->slots[sampler->last].snapshot);
	r = nb_scan_new(sampler->root, sampler->netlink, sampler->rules, &sampler->virtuals.slots,
			sampler->generation + 1, &scan);
	if (sampler->netlink)
		nb_netlink_set_patience(sampler->netlink, NB_NETLINK_PATIENCE_USEC);
	if (r < 0)
		return r;
	if (is_incomplete(sampler, before))
		return -EBUSY;
	*ret = g_steal_pointer(&scan);
	return 0;
}

static void adopt_scan(struct nb_sampler *sampler, struct nb_scan *scan)
{
	sampler->generation++;
	nb_scan_unref(sampler->scan);
	sampler->scan = scan;
	nb_affinities_adopt(&sampler->affinities, &scan->machine);
	for (unsigned i = 0; i < G_N_ELEMENTS(sampler->check_cpus); i++)
		sampler->check_cpus[i] = g_renew(struct nb_cpu_counters, sampler->check_cpus[i],
						 scan->machine.topology.n_cpus);
	for (unsigned i = 0; i < G_N_ELEMENTS(sampler->watch_cpus); i++)
		sampler->watch_cpus[i] = g_renew(struct nb_cpu_counters, sampler->watch_cpus[i],
						 scan->machine.topology.n_cpus);
	sampler->watched = (struct nb_cpu_sample){};
	leave_lost_nic(sampler);
	if (sampler->timing)
		(void)adopt_machine(sampler);
}

int nb_sampler_rescan(struct nb_sampler *sampler)
{
	uint64_t begun_nsec = clock_nsec(sampler);
	struct nb_scan *scan;
	int r;

	r = scan_machine(sampler, &scan);
	if (r == 0)
		adopt_scan(sampler, scan);
	sampler->rescan_nsec = clock_nsec(sampler) - begun_nsec;
	return r;
}

uint64_t nb_sampler_rescan_nsec(const struct nb_sampler *sampler)
{
	return sampler->rescan_nsec;
}

const GPtrArray *nb_sampler_faults(const struct nb_sampler *sampler)
{
	return sampler->scan ? sampler->scan->faults : NULL;
}

void nb_sampler_set_rules(struct nb_sampler *sampler, const struct nb_device_rules *rules)
{
	sampler->rules = rules;
}

unsigned nb_sampler_read_limits(struct nb_sampler *sampler)
{
	return nb_limits_read(&sampler->limits);
}

int nb_sampler_read_arrivals(struct nb_sampler *sampler, const struct nb_cpumask *cpus,
			     uint64_t now_nsec, struct nb_arrivals *ret)
{
	if (!sampler->scan)
		return -ESTALE;
	return nb_arrivals_read(&sampler->arrivals, &sampler->affinities.files, sampler->scan, cpus,
				now_nsec, ret);
}

void nb_sampler_want_device_irqs(struct nb_sampler *sampler, bool wanted)
{
	sampler->device_irqs.wanted = wanted;
}

void nb_sampler_want_virtuals(struct nb_sampler *sampler, bool wanted)
{
	sampler->virtuals.wanted = wanted;
	if (sampler->timing)
		nb_virtual_queues_watch(sampler->timing, wanted);
}

void nb_sampler_add_virtual(struct nb_sampler *sampler, int ifindex, uint64_t now_nsec)
{
	(void)nb_virtuals_add(&sampler->virtuals, ifindex, now_nsec);
}

bool nb_sampler_found_virtual(const struct nb_sampler *sampler)
{
	return sampler->found_virtual;
}

/* Room for the machine, once: later samples of the same machine find it there. */
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
		.n_nics = scan->n_packets,
		.nics = g_new0(struct nb_nic_state, scan->n_packets),
	};
	for (unsigned i = 0; i < snapshot->n_cpus; i++)
		snapshot->cpus[i].id = machine->topology.cpus[i].id;
	for (unsigned i = 0; i < snapshot->n_queues; i++)
		snapshot->queues[i] = (struct nb_queue_state){
			.key = machine->queues[i].key,
			.landed_cpu = NB_LANDED_UNKNOWN,
			.polled_cpu = -1,
			.thread_cpu = -1,
		};
	for (unsigned i = 0; i < snapshot->n_nics; i++)
		snapshot->nics[i].ifindex = scan->packets[i].ifindex;
}

static bool is_measured(const struct nb_sampler *sampler)
{
	return sampler->timing != NULL;
}

static enum nb_grade grade_of(const struct nb_sampler *sampler)
{
	return is_measured(sampler) ? NB_GRADE_MEASURED : NB_GRADE_ESTIMATED;
}

/* A device that does not answer keeps the counts of the last sample. */
static int read_packets(struct nb_sampler *sampler, struct nb_snapshot *snapshot)
{
	struct nb_scan *scan = sampler->scan;

	for (unsigned i = 0; i < scan->n_packets; i++)
		if (nb_packets_read(&scan->packets[i], sampler->netlink, snapshot->queues) ==
		    -ESTALE)
			return -ESTALE;
	return 0;
}

/* What is not read again for every sample. */
static void carry_over(struct slot *slot, const struct slot *last)
{
	const struct nb_snapshot *from = &last->snapshot;

	memcpy(slot->snapshot.cpus, from->cpus, from->n_cpus * sizeof(*from->cpus));
	if (from->n_queues > 0)
		memcpy(slot->snapshot.queues, from->queues, from->n_queues * sizeof(*from->queues));
	if (from->n_nics > 0)
		memcpy(slot->snapshot.nics, from->nics, from->n_nics * sizeof(*from->nics));
	g_array_set_size(slot->rps, 0);
	if (last->rps->len > 0)
		g_array_append_vals(slot->rps, last->rps->data, last->rps->len);
	slot->snapshot.times_nsec = from->times_nsec;
}

/* On a new machine the counts of queues and NICs that were known before go on. */
static void carry_counts(struct slot *slot, const struct slot *last)
{
	for (unsigned i = 0; last->scan && i < slot->snapshot.n_queues; i++) {
		struct nb_queue_state *state = &slot->snapshot.queues[i];
		const struct nb_queue_state *from =
			nb_snapshot_find_queue(&last->snapshot, state->key);

		if (from)
			*state = *from;
	}
	for (unsigned i = 0; last->scan && i < slot->snapshot.n_nics; i++) {
		struct nb_nic_state *state = &slot->snapshot.nics[i];
		const struct nb_nic_state *from =
			nb_snapshot_find_nic(&last->snapshot, state->ifindex);

		if (from)
			*state = *from;
	}
}

static void read_drops(struct nb_sampler *sampler, uint64_t now_nsec, struct nb_snapshot *snapshot)
{
	struct nb_scan *scan = sampler->scan;

	for (unsigned i = 0; i < scan->n_packets; i++)
		if (snapshot->nics[i].read_nsec == 0 ||
		    now_nsec >= snapshot->nics[i].read_nsec + DROPS_GAP_NSEC)
			nb_drops_read(&scan->drops[i], &scan->packets[i], sampler->root,
				      sampler->netlink, now_nsec, &snapshot->nics[i],
				      snapshot->queues);
}

static void note_deferral(struct slot *slot)
{
	for (unsigned i = 0; i < slot->snapshot.n_queues; i++)
		slot->snapshot.queues[i].defers = slot->snapshot.machine->queues[i].defers;
}

/* Takes no lock either (net/core/net-sysfs.c carrier_changes_show()). */
static void read_carriers(struct nb_sampler *sampler, struct nb_snapshot *snapshot)
{
	for (unsigned i = 0; i < sampler->scan->n_packets; i++) {
		g_autofree char *path = g_strdup_printf("sys/class/net/%s/carrier_changes",
							sampler->scan->packets[i].ifname);

		(void)nb_sysroot_read_number(sampler->root, path, UINT64_MAX,
					     &snapshot->nics[i].carrier_changes);
	}
}

static int read_affinities(struct nb_sampler *sampler, enum nb_depth depth, struct slot *slot)
{
	const struct nb_affinity_rows rows = {slot->rps, slot->several};
	unsigned flags = (is_measured(sampler) ? 0 : NB_AFFINITIES_COUNTS) |
			 (depth >= NB_DEPTH_UNCACHED ? NB_AFFINITIES_UNCACHED : 0);
	int r;

	if (is_measured(sampler)) {
		r = read_packets(sampler, &slot->snapshot);
		if (r < 0)
			return r;
	}
	r = nb_affinities_read(&sampler->affinities, sampler->scan, flags, &slot->snapshot, &rows);
	if (r < 0)
		return r;
	nb_affinities_commit(&sampler->affinities);
	read_carriers(sampler, &slot->snapshot);
	return 0;
}

static int read_counters(struct nb_sampler *sampler, struct nb_snapshot *snapshot)
{
	int r = nb_cpu_reader_counters(&sampler->cpus, &snapshot->machine->topology,
				       snapshot->cpus);

	if (r < 0)
		return r;
	return is_measured(sampler) ? 0 : read_packets(sampler, snapshot);
}

static struct slot *begin(struct nb_sampler *sampler, enum nb_depth *depth)
{
	struct slot *slot = &sampler->slots[!sampler->last];
	const struct slot *last = &sampler->slots[sampler->last];
	enum nb_grade grade = grade_of(sampler);

	slot_prepare(slot, sampler->scan);
	if (last->scan == sampler->scan) {
		carry_over(slot, last);
	} else {
		carry_counts(slot, last);
		note_deferral(slot);
		*depth = NB_DEPTH_UNCACHED;
	}
	/* The grades count interrupts and packets from other beginnings. */
	if (last->scan && last->snapshot.grade != grade)
		*depth = MAX(*depth, NB_DEPTH_COMPLETE);
	if (grade == NB_GRADE_ESTIMATED)
		*depth = MAX(*depth, NB_DEPTH_COUNTERS);
	slot->snapshot.grade = grade;
	g_array_set_size(slot->several, 0);
	return slot;
}

int nb_sampler_read(struct nb_sampler *sampler, uint64_t now_nsec, enum nb_depth depth,
		    const struct nb_snapshot **ret)
{
	/* Later readings of the clock less this: when, by the caller's. */
	uint64_t ahead_nsec = clock_nsec(sampler) - now_nsec;
	struct slot *slot;
	struct nb_snapshot *snapshot;
	int r;

	if (!sampler->scan)
		return -ESTALE;
	if (sampler->slots[sampler->last].scan != sampler->scan)
		nb_device_irqs_fill(&sampler->device_irqs, sampler->scan, sampler->rules, now_nsec);
	if (!sampler->limits.read)
		(void)nb_limits_read(&sampler->limits);
	slot = begin(sampler, &depth);
	snapshot = &slot->snapshot;
	snapshot->default_affinity = sampler->limits.default_affinity;
	if (depth >= NB_DEPTH_COUNTERS) {
		snapshot->times_nsec = clock_nsec(sampler) - ahead_nsec;
		r = read_counters(sampler, snapshot);
		if (r < 0)
			return r;
	}
	if (depth >= NB_DEPTH_COMPLETE) {
		r = read_affinities(sampler, depth, slot);
		if (r < 0)
			return r;
		read_drops(sampler, now_nsec, snapshot);
	}
	snapshot->rps = (struct nb_rps_state *)(void *)slot->rps->data;
	snapshot->n_rps = slot->rps->len;
	snapshot->several = (struct nb_several *)(void *)slot->several->data;
	snapshot->n_several = slot->several->len;
	snapshot->taken_nsec = snapshot->times_nsec;
	/* Last, since what it takes is counted once. */
	if (is_measured(sampler)) {
		snapshot->taken_nsec = clock_nsec(sampler) - ahead_nsec;
		nb_timing_read(sampler->timing, snapshot, depth >= NB_DEPTH_COMPLETE);
	}
	nb_buckets_read(&sampler->buckets, &snapshot->buckets);
	snapshot->complete = depth >= NB_DEPTH_COMPLETE;
	sampler->found_virtual =
		is_measured(sampler) &&
		nb_virtuals_look(&sampler->virtuals, sampler->timing,
				 &sampler->slots[sampler->last].snapshot, snapshot);
	sampler->last = !sampler->last;
	sampler->n_idle_checks = 0;
	*ret = snapshot;
	return 0;
}

static struct nb_cpu_sample idle_check_of(const struct nb_snapshot *snapshot)
{
	return (struct nb_cpu_sample){
		.taken_nsec = snapshot->taken_nsec,
		.times_nsec = snapshot->times_nsec,
		.grade = snapshot->grade,
		.topology = &snapshot->machine->topology,
		.cpus = snapshot->cpus,
	};
}

static int check_idle(struct nb_sampler *sampler, const struct nb_topology *topology, bool times,
		      struct nb_cpu_counters *cpus)
{
	int r = 0;

	if (times)
		r = nb_cpu_reader_times(&sampler->cpus, topology, cpus);
	if (r == 0 && is_measured(sampler))
		nb_timing_read_cpus(sampler->timing, cpus, topology->n_cpus);
	return r;
}

int nb_sampler_read_cpus(struct nb_sampler *sampler, uint64_t now_nsec, bool times,
			 struct nb_cpu_sample *ret_before, struct nb_cpu_sample *ret_now)
{
	const struct slot *last = &sampler->slots[sampler->last];
	struct nb_cpu_counters *cpus = sampler->check_cpus[sampler->n_idle_checks % 2];
	struct nb_cpu_sample before;
	int r;

	if (!last->scan || last->scan != sampler->scan || last->snapshot.grade != grade_of(sampler))
		return -ESTALE;
	before = sampler->n_idle_checks ? sampler->idle_check : idle_check_of(&last->snapshot);
	times = times || !is_measured(sampler);
	memcpy(cpus, before.cpus, before.topology->n_cpus * sizeof(*cpus));
	r = check_idle(sampler, before.topology, times, cpus);
	if (r < 0)
		return r;

	*ret_before = before;
	*ret_now = before;
	ret_now->taken_nsec = now_nsec;
	ret_now->times_nsec = times ? now_nsec : before.times_nsec;
	ret_now->cpus = cpus;
	sampler->idle_check = *ret_now;
	sampler->n_idle_checks++;
	return 0;
}

int nb_sampler_watch_cpus(struct nb_sampler *sampler, uint64_t now_nsec,
			  struct nb_cpu_sample *ret_before, struct nb_cpu_sample *ret_now)
{
	struct nb_cpu_counters *cpus = sampler->watch_cpus[sampler->n_watches % 2];
	struct nb_cpu_sample before = sampler->watched;
	const struct nb_topology *topology;
	int r;

	if (!sampler->scan)
		return -ESTALE;
	topology = &sampler->scan->machine.topology;
	for (unsigned i = 0; i < topology->n_cpus; i++)
		cpus[i] = (struct nb_cpu_counters){.id = topology->cpus[i].id};
	r = nb_cpu_reader_stat(&sampler->cpus, topology, cpus);
	if (r < 0)
		return r;
	sampler->n_watches++;
	sampler->watched = (struct nb_cpu_sample){
		.taken_nsec = now_nsec,
		.times_nsec = now_nsec,
		.grade = NB_GRADE_ESTIMATED,
		.topology = topology,
		.cpus = cpus,
	};
	if (!before.topology)
		return -EAGAIN;
	*ret_before = before;
	*ret_now = sampler->watched;
	return 0;
}
