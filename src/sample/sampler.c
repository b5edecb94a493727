/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/sampler.h"
#include "sample/audit.h"
#include "sample/parse.h"
#include "sample/scan.h"

#include <errno.h>
#include <unistd.h>

enum { STAT, SOFTIRQS, SOFTNET, N_FILES };

static const char *const paths[N_FILES] = {
	[STAT] = "proc/stat",
	[SOFTIRQS] = "proc/softirqs",
	[SOFTNET] = "proc/net/softnet_stat",
};

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
	int fds[N_FILES]; /* on the host; a captured machine's files may be replaced */
	GString *text;
	unsigned ticks_per_sec;
	uint64_t generation;
	struct nb_scan *scan; /* NULL before the first rescan */
	struct nb_audit audit;
	struct slot slots[2];
	unsigned last; /* slot of the last good reading */
};

static int open_files(struct nb_sampler *sampler)
{
	for (int i = 0; i < N_FILES; i++) {
		int r = nb_sysroot_open_file(sampler->root, paths[i], &sampler->fds[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

int nb_sampler_new(struct nb_sysroot *root, struct nb_netlink *netlink,
		   const struct nb_device_rules *rules, struct nb_sampler **ret)
{
	g_autoptr(nb_sampler) sampler = g_new0(nb_sampler, 1);
	int r;

	sampler->root = root;
	sampler->netlink = netlink;
	sampler->rules = rules;
	sampler->text = g_string_new(NULL);
	sampler->ticks_per_sec = (unsigned)sysconf(_SC_CLK_TCK);
	for (int i = 0; i < N_FILES; i++)
		sampler->fds[i] = -1;
	for (unsigned i = 0; i < G_N_ELEMENTS(sampler->slots); i++)
		sampler->slots[i].rps = g_array_new(FALSE, FALSE, sizeof(struct nb_rps_state));

	if (nb_sysroot_is_host(root)) {
		r = open_files(sampler);
		if (r < 0)
			return r;
	}
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
	for (int i = 0; i < N_FILES; i++)
		if (sampler->fds[i] >= 0)
			close(sampler->fds[i]);
	nb_audit_clear(&sampler->audit);
	nb_scan_unref(sampler->scan);
	g_string_free(sampler->text, TRUE);
	g_free(sampler);
}

void nb_sampler_set_rules(struct nb_sampler *sampler, const struct nb_device_rules *rules)
{
	sampler->rules = rules;
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
	nb_audit_clear(&sampler->audit);
	return 0;
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
		.grade = NB_GRADE_COUNTED,
		.machine = machine,
		.n_cpus = machine->topology.n_cpus,
		.cpus = g_new0(struct nb_cpu_counters, machine->topology.n_cpus),
		.n_queues = machine->n_queues,
		.queues = g_new0(struct nb_queue_state, machine->n_queues),
	};
	for (unsigned i = 0; i < snapshot->n_cpus; i++)
		snapshot->cpus[i].id = machine->topology.cpus[i].id;
	for (unsigned i = 0; i < snapshot->n_queues; i++)
		snapshot->queues[i].key = machine->queues[i].key;
}

static int read_file(struct nb_sampler *sampler, int file)
{
	if (sampler->fds[file] >= 0)
		return nb_sysroot_pread(sampler->fds[file], sampler->text);
	return nb_sysroot_read_into(sampler->root, paths[file], sampler->text);
}

static int read_cpus(struct nb_sampler *sampler, struct nb_snapshot *snapshot)
{
	GString *text = sampler->text;
	int r;

	r = read_file(sampler, STAT);
	if (r < 0)
		return r;
	r = nb_parse_stat(text->str, text->len, sampler->ticks_per_sec, snapshot->cpus,
			  snapshot->n_cpus);
	if (r < 0)
		return r;

	r = read_file(sampler, SOFTIRQS);
	if (r < 0)
		return r;
	r = nb_parse_softirqs(text->str, text->len, snapshot->cpus, snapshot->n_cpus);
	if (r < 0)
		return r;

	r = read_file(sampler, SOFTNET);
	if (r < 0)
		return r;
	return nb_parse_softnet(text->str, text->len, snapshot->cpus, snapshot->n_cpus);
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

	if (from->n_queues > 0)
		memcpy(slot->snapshot.queues, from->queues, from->n_queues * sizeof(*from->queues));
	g_array_set_size(slot->rps, 0);
	if (last->rps->len > 0)
		g_array_append_vals(slot->rps, last->rps->data, last->rps->len);
}

int nb_sampler_read(struct nb_sampler *sampler, uint64_t now_nsec, bool audit,
		    const struct nb_snapshot **ret)
{
	struct slot *slot = &sampler->slots[!sampler->last];
	const struct slot *last = &sampler->slots[sampler->last];
	struct nb_snapshot *snapshot = &slot->snapshot;
	int r;

	if (!sampler->scan)
		return -ESTALE;
	slot_prepare(slot, sampler->scan);
	if (last->scan == sampler->scan)
		carry_over(slot, last);
	else
		audit = true;

	r = read_cpus(sampler, snapshot);
	if (r < 0)
		return r;
	r = read_packets(sampler, snapshot);
	if (r < 0)
		return r;
	if (audit) {
		r = nb_audit_read(&sampler->audit, sampler->root, sampler->scan, snapshot,
				  slot->rps);
		if (r < 0)
			return r;
		nb_audit_commit(&sampler->audit);
	}

	snapshot->taken_nsec = now_nsec;
	snapshot->audited = audit;
	snapshot->rps = (struct nb_rps_state *)(void *)slot->rps->data;
	snapshot->n_rps = slot->rps->len;
	sampler->last = !sampler->last;
	*ret = snapshot;
	return 0;
}
