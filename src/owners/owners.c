/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "owners/owners.h"

#include "apply/table.h"
#include "apply/thread.h"
#include "base/cpumask_text.h"
#include "base/find.h"
#include "owners/writer.h"
#include "sysroot/cpus.h"

#include <inttypes.h>

#define DEFAULT_AFFINITY "proc/irq/default_smp_affinity"
#define FLOW_ENTRIES "proc/sys/net/core/rps_sock_flow_entries"

struct reader {
	const struct nb_owners_source *from;
	struct nb_cpumask default_affinity; /* empty: unknown */
	GArray *rows;
};

static void clear_row(void *row)
{
	g_free(((struct nb_owned *)row)->value);
}

static const struct nb_machine *machine_of(const struct reader *reader)
{
	const struct nb_snapshot *snapshot = reader->from->status->snapshot;

	return snapshot ? snapshot->machine : NULL;
}

static struct nb_owned row_of(enum nb_tunable tunable, const char *nic)
{
	struct nb_owned row = {.tunable = tunable, .queue = -1, .irq = -1};

	g_strlcpy(row.nic, nic, sizeof(row.nic));
	return row;
}

/* Takes over value. */
static void add(struct reader *reader, struct nb_owned *row, const struct nb_owned_facts *facts,
		char *value)
{
	row->value = value;
	nb_owned_judge(reader->from->status, reader->from->realtime_usec, facts, row);
	g_array_append_vals(reader->rows, row, 1);
}

static char *text_of_cpus(const struct nb_cpumask *cpus)
{
	return nb_cpumask_empty(cpus) ? g_strdup("off") : nb_cpumask_format_list(cpus);
}

static void add_default_affinity(struct reader *reader)
{
	const struct nb_machine *machine = machine_of(reader);
	struct nb_owned row = row_of(NB_TUNABLE_DEFAULT, "");
	struct nb_owned_facts facts = {.kind = _NB_KIND_INVALID};
	struct nb_cpumask missing;

	if (nb_sysroot_read_cpumask(reader->from->root, DEFAULT_AFFINITY,
				    &reader->default_affinity) < 0)
		return;
	/* The kernel begins with all that are possible (kernel/irq/irqdesc.c
	 * init_irq_default_affinity()). */
	missing = machine ? machine->topology.online : (struct nb_cpumask){};
	nb_cpumask_andnot(&missing, &reader->default_affinity);
	facts.initial = machine && nb_cpumask_empty(&missing);
	add(reader, &row, &facts, nb_cpumask_format_list(&reader->default_affinity));
}

/* Zero entries are none. */
static void add_flow_entries(struct reader *reader, const char *path, int ifindex,
			     struct nb_owned *row)
{
	struct nb_owned_facts facts = {.kind = NB_KIND_RFS, .key.ifindex = ifindex};
	uint64_t n;

	if (nb_sysroot_read_number(reader->from->root, path, UINT32_MAX, &n) < 0)
		return;
	facts.ours =
		nb_applier_owns_rfs(reader->from->applier, ifindex, row->nic, (unsigned)row->queue);
	facts.initial = n == 0;
	add(reader, row, &facts,
	    n == 0 ? g_strdup("off") : g_strdup_printf("%" PRIu64 " entries", n));
}

/* --- interrupts */

/* Where the driver asks for nothing the hint is empty, which no affinity is. */
static bool is_hinted(struct nb_sysroot *root, uint32_t irq, const struct nb_cpumask *cpus)
{
	g_autofree char *path = g_strdup_printf("proc/irq/%" PRIu32 "/affinity_hint", irq);
	struct nb_cpumask hint;

	return nb_sysroot_read_cpumask(root, path, &hint) == 0 && nb_cpumask_equal(&hint, cpus);
}

static void add_irq(struct reader *reader, uint32_t irq, struct nb_owned_facts facts,
		    struct nb_owned row)
{
	g_autofree char *list_path = g_strdup_printf("proc/irq/%" PRIu32 "/smp_affinity_list", irq);
	g_autofree char *path = g_strdup_printf("proc/irq/%" PRIu32 "/smp_affinity", irq);
	struct nb_sysroot *root = reader->from->root;
	struct nb_cpumask cpus;
	unsigned cpu;

	if (nb_sysroot_read_cpulist(root, list_path, &cpus) < 0 &&
	    nb_sysroot_read_cpumask(root, path, &cpus) < 0)
		return;
	row.irq = irq;
	facts.ours = nb_applier_owns_irq(reader->from->applier, irq, &cpu);
	facts.locked = !nb_sysroot_is_writable(root, path);
	facts.hinted = is_hinted(root, irq, &cpus);
	facts.initial = nb_cpumask_equal(&cpus, &reader->default_affinity);
	add(reader, &row, &facts, text_of_cpus(&cpus));
}

/* Drivers of the VMBus ask for nothing. */
static void add_channel(struct reader *reader, const struct nb_queue *queue, struct nb_owned row)
{
	g_autofree char *path = g_strdup_printf("sys/class/net/%s/device/channels/%" PRIu32 "/cpu",
						row.nic, nb_irq_channel(queue->irqs[0]));
	struct nb_owned_facts facts = {.kind = NB_KIND_QUEUE, .key = queue->key};
	uint64_t cpu;
	unsigned ours;

	if (nb_sysroot_read_number(reader->from->root, path, NB_CPUS_MAX - 1, &cpu) < 0)
		return;
	facts.ours = nb_applier_owns_queue(reader->from->applier, machine_of(reader), queue, &ours);
	facts.locked = !nb_sysroot_is_writable(reader->from->root, path);
	add(reader, &row, &facts, g_strdup_printf("%" PRIu64, cpu));
}

static void add_queue_irqs(struct reader *reader, const struct nb_nic *nic)
{
	const struct nb_machine *machine = machine_of(reader);

	for (unsigned i = 0; i < machine->n_queues; i++) {
		const struct nb_queue *queue = &machine->queues[i];
		struct nb_owned row = row_of(NB_TUNABLE_AFFINITY, nic->name);

		if (queue->key.ifindex != nic->ifindex)
			continue;
		row.queue = (int)queue->key.index;
		if (nb_queue_has_channel(queue)) {
			add_channel(reader, queue, row);
			continue;
		}
		for (unsigned j = 0; j < queue->n_irqs; j++)
			add_irq(reader, queue->irqs[j],
				(struct nb_owned_facts){.kind = NB_KIND_QUEUE, .key = queue->key},
				row);
	}
}

static void add_device_irqs(struct reader *reader)
{
	const struct nb_machine *machine = machine_of(reader);

	for (unsigned i = 0; i < machine->n_device_irqs; i++) {
		uint32_t irq = machine->device_irqs[i].irq;

		add_irq(reader, irq,
			(struct nb_owned_facts){.kind = NB_KIND_DEVICE_IRQ,
						.key = nb_device_irq_key(irq)},
			row_of(NB_TUNABLE_AFFINITY, ""));
	}
}

/* --- NAPI threads */

static void add_thread(struct reader *reader, const struct nb_nic *nic, unsigned queue,
		       uint32_t pid)
{
	struct nb_owned row = row_of(NB_TUNABLE_THREAD, nic->name);
	struct nb_owned_facts facts = {.kind = NB_KIND_THREAD, .key.ifindex = nic->ifindex};
	struct nb_cpumask cpus, missing = machine_of(reader)->topology.online;

	if (nb_thread_read_cpus(reader->from->root, pid, &cpus) < 0)
		return;
	row.queue = (int)queue;
	nb_cpumask_andnot(&missing, &cpus);
	facts.ours = nb_applier_owns_thread(reader->from->applier, nic->ifindex, pid);
	facts.initial = nb_cpumask_empty(&missing);
	add(reader, &row, &facts, nb_cpumask_format_list(&cpus));
}

static void add_threads(struct reader *reader, const struct nb_nic *nic)
{
	const struct nb_snapshot *snapshot = reader->from->status->snapshot;
	const struct nb_machine *machine = snapshot->machine;

	for (unsigned i = 0; i < machine->n_queues; i++) {
		uint32_t pid = nb_snapshot_thread(snapshot, i);

		if (machine->queues[i].key.ifindex == nic->ifindex && pid != 0)
			add_thread(reader, nic, machine->queues[i].key.index, pid);
	}
}

/* --- queues */

/* queue is the name of a folder, "rx-3". */
static char *queue_path(const struct nb_nic *nic, const char *queue, const char *file)
{
	return g_strdup_printf("sys/class/net/%s/queues/%s/%s", nic->name, queue, file);
}

static void add_rps(struct reader *reader, const struct nb_nic *nic, const char *queue,
		    unsigned index)
{
	g_autofree char *path = queue_path(nic, queue, "rps_cpus");
	struct nb_owned row = row_of(NB_TUNABLE_RPS, nic->name);
	struct nb_owned_facts facts = {.kind = NB_KIND_RPS, .key = {nic->ifindex, index}};
	struct nb_cpumask cpus, ours;

	if (nb_sysroot_read_cpumask(reader->from->root, path, &cpus) < 0)
		return;
	row.queue = (int)index;
	facts.ours =
		nb_applier_owns_rps(reader->from->applier, nic->ifindex, nic->name, index, &ours) &&
		!nb_cpumask_empty(&cpus);
	facts.initial = nb_cpumask_empty(&cpus);
	add(reader, &row, &facts, text_of_cpus(&cpus));
}

static void add_xps(struct reader *reader, const struct nb_nic *nic, const char *queue,
		    unsigned index)
{
	g_autofree char *path = queue_path(nic, queue, "xps_cpus");
	struct nb_owned row = row_of(NB_TUNABLE_XPS, nic->name);
	struct nb_owned_facts facts = {.kind = NB_KIND_XPS, .key.ifindex = nic->ifindex};
	struct nb_cpumask cpus;

	/* Of a device with a single queue the file cannot be read (net/core/net-sysfs.c
	 * xps_cpus_show()). */
	if (nb_sysroot_read_cpumask(reader->from->root, path, &cpus) < 0)
		return;
	row.queue = (int)index;
	facts.ours = nb_applier_owns_xps(reader->from->applier, nic->ifindex, nic->name, index);
	facts.initial = nb_cpumask_empty(&cpus);
	add(reader, &row, &facts, text_of_cpus(&cpus));
}

static void add_rfs(struct reader *reader, const struct nb_nic *nic, const char *queue,
		    unsigned index)
{
	g_autofree char *path = queue_path(nic, queue, "rps_flow_cnt");
	struct nb_owned row = row_of(NB_TUNABLE_RFS, nic->name);

	row.queue = (int)index;
	add_flow_entries(reader, path, nic->ifindex, &row);
}

/* Calls add for the queues whose folder begins with prefix, in their order. */
static void add_queues(struct reader *reader, const struct nb_nic *nic, char *const *names,
		       const char *prefix,
		       void (*add_one)(struct reader *reader, const struct nb_nic *nic,
				       const char *queue, unsigned index))
{
	for (char *const *name = names; *name; name++) {
		uint64_t index;

		if (g_str_has_prefix(*name, prefix) &&
		    g_ascii_string_to_unsigned(*name + strlen(prefix), 10, 0, INT32_MAX, &index,
					       NULL))
			add_one(reader, nic, *name, (unsigned)index);
	}
}

static void add_steering(struct reader *reader, const struct nb_nic *nic)
{
	g_autofree char *path = g_strdup_printf("sys/class/net/%s/queues", nic->name);
	g_auto(GStrv) names = NULL;

	if (nb_sysroot_list(reader->from->root, path, &names) < 0)
		return;
	add_queues(reader, nic, names, "rx-", add_rps);
	add_queues(reader, nic, names, "rx-", add_rfs);
	add_queues(reader, nic, names, "tx-", add_xps);
}

/* --- devices */

static void add_rss(struct reader *reader, const struct nb_nic *nic)
{
	g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_autoptr(GBytes) value = NULL;
	g_autofree char *queues = NULL;
	struct nb_owned row = row_of(NB_TUNABLE_RSS, nic->name);
	struct nb_owned_facts facts = {.kind = NB_KIND_RSS, .key = {.ifindex = nic->ifindex}};
	struct nb_own_table ours = {0};
	struct nb_cpumask used;
	GString *text;
	unsigned n_rings;

	if (nb_netlink_get_rss(reader->from->netlink, nic->name, entries, &n_rings) < 0)
		return;
	value = nb_table_value(entries, n_rings);
	nb_table_queues(entries, &used);
	queues = nb_cpumask_format_list(&used);
	facts.initial = g_bytes_get_size(value) == 0;
	facts.ours = nb_applier_owns_table(reader->from->applier, nic->ifindex, nic->name, entries,
					   n_rings, &ours);
	text = g_string_new(facts.initial ? "default: " : NULL);
	g_string_append_printf(text, "queues %s in %u entries", queues, entries->len);
	if (ours.spread)
		g_string_append_printf(text, ", %u of them moved", ours.n_moved);
	add(reader, &row, &facts, g_string_free(text, FALSE));
}

static void append_channels(GString *text, const char *kind, unsigned n, unsigned most)
{
	if (most > 0)
		g_string_append_printf(text, "%s%s %u of %u", text->len > 0 ? ", " : "", kind, n,
				       most);
}

static bool is_setting_ours(const struct reader *reader, const struct nb_nic *nic,
			    enum nb_kind kind)
{
	unsigned ours;

	return nb_applier_owns_setting(reader->from->applier, kind, nic->ifindex, nic->name,
				       &ours) > 0;
}

static void add_channels(struct reader *reader, const struct nb_nic *nic)
{
	struct nb_owned row = row_of(NB_TUNABLE_CHANNELS, nic->name);
	struct nb_owned_facts facts = {.kind = NB_KIND_CHANNELS, .key = {.ifindex = nic->ifindex}};
	struct nb_channels channels;
	GString *text;

	if (nb_netlink_get_channels(reader->from->netlink, nic->name, &channels) < 0)
		return;
	text = g_string_new(NULL);
	append_channels(text, "combined", channels.combined, channels.most_combined);
	append_channels(text, "rx", channels.rx, channels.most_rx);
	append_channels(text, "tx", channels.tx, channels.most_tx);
	append_channels(text, "other", channels.other, channels.most_other);
	facts.ours = is_setting_ours(reader, nic, NB_KIND_CHANNELS);
	add(reader, &row, &facts, g_string_free(text, FALSE));
}

static void add_udp_hash(struct reader *reader, const struct nb_nic *nic)
{
	struct nb_owned row = row_of(NB_TUNABLE_UDP_HASH, nic->name);
	struct nb_owned_facts facts = {.kind = NB_KIND_UDP_HASH, .key = {.ifindex = nic->ifindex}};
	bool ports;

	if (nb_netlink_get_udp_hash(reader->from->netlink, nic->name, &ports) < 0)
		return;
	facts.ours = is_setting_ours(reader, nic, NB_KIND_UDP_HASH);
	add(reader, &row, &facts, g_strdup(ports ? "addresses and ports" : "addresses"));
}

static char *text_of_direction(const char *word, bool adaptive, unsigned usec, unsigned frames)
{
	return g_strdup_printf("%s %s%u us, %u frames", word, adaptive ? "adaptive, " : "", usec,
			       frames);
}

static void add_coalescing(struct reader *reader, const struct nb_nic *nic)
{
	struct nb_owned row = row_of(NB_TUNABLE_COALESCING, nic->name);
	struct nb_owned_facts facts = {.kind = _NB_KIND_INVALID};
	struct nb_coalescing coalescing;
	g_autofree char *rx = NULL;
	g_autofree char *tx = NULL;

	if (nb_netlink_get_coalescing(reader->from->netlink, nic->name, &coalescing) < 0)
		return;
	rx = text_of_direction("rx", coalescing.adaptive_rx, coalescing.rx_usec,
			       coalescing.rx_frames);
	tx = text_of_direction("tx", coalescing.adaptive_tx, coalescing.tx_usec,
			       coalescing.tx_frames);
	add(reader, &row, &facts, g_strdup_printf("%s; %s", rx, tx));
}

static void add_nic(struct reader *reader, const struct nb_nic *nic)
{
	if (reader->from->netlink) {
		add_channels(reader, nic);
		add_udp_hash(reader, nic);
		add_coalescing(reader, nic);
		add_rss(reader, nic);
	}
	add_queue_irqs(reader, nic);
	add_threads(reader, nic);
	add_steering(reader, nic);
}

GArray *nb_owners_read(const struct nb_owners_source *source)
{
	struct reader reader = {.from = source,
				.rows = g_array_new(FALSE, FALSE, sizeof(struct nb_owned))};
	const struct nb_machine *machine = machine_of(&reader);
	struct nb_owned flows = row_of(NB_TUNABLE_RFS, "");

	g_array_set_clear_func(reader.rows, clear_row);
	add_default_affinity(&reader);
	add_flow_entries(&reader, FLOW_ENTRIES, 0, &flows);
	for (unsigned i = 0; machine && i < machine->n_nics; i++)
		if (machine->nics[i].scope == NB_SCOPE_IN)
			add_nic(&reader, &machine->nics[i]);
	if (machine)
		add_device_irqs(&reader);
	return reader.rows;
}
