/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/device_irqs.h"
#include "nicbalance/units.h"
#include "sample/discover/handlers.h"
#include "sample/discover/irq_devices.h"
#include "sample/discover/pools.h"
#include "sample/drivers/vector.h"
#include "sample/parse/parse.h"
#include "sysroot/cpus.h"

#include <stdio.h>
#include <stdlib.h>

/* Events may ask for rescans one after the other; irqbalance counts over ten seconds, too. */
#define LEAST_WINDOW_NSEC (10 * NB_NSEC_PER_SEC)
/* The busiest. Each costs three files or so, more when it is new: on a machine made of files so
 * many took 3.0 ms, and 1.4 once they were known; procfs and sysfs take 1 us more for each file. */
#define ROWS_MAX 256u

#define PATH_LEN 64

/* One that occurred since they were read last. */
struct arrival {
	uint32_t irq;
	uint32_t count;
};

/* What rows are made from, in one look. */
struct look {
	struct nb_device_irqs *device_irqs;
	const struct nb_scan *scan;
	struct nb_handlers *handlers;
	nb_irq_devices devices;
	uint64_t window_nsec;
	GArray *rows;
};

void nb_device_irqs_init(struct nb_device_irqs *device_irqs, struct nb_sysroot *root)
{
	*device_irqs = (struct nb_device_irqs){
		.root = root,
		.wanted = true,
		.counts = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
		.next = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
		.rows = g_array_new(FALSE, FALSE, sizeof(struct nb_device_irq)),
	};
}

void nb_device_irqs_clear(struct nb_device_irqs *device_irqs)
{
	g_clear_pointer(&device_irqs->counts, g_array_unref);
	g_clear_pointer(&device_irqs->next, g_array_unref);
	g_clear_pointer(&device_irqs->rows, g_array_unref);
}

static int busier_first(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->irq < y->irq ? -1 : x->irq > y->irq;
}

static int compare_rows(const void *a, const void *b)
{
	const struct nb_device_irq *x = a, *y = b;

	return x->irq < y->irq ? -1 : x->irq > y->irq;
}

/* Counts wrap; one that went back belongs to another device now. */
static uint32_t growth(const struct nb_device_irqs *device_irqs, uint32_t irq)
{
	uint32_t grown = g_array_index(device_irqs->next, uint32_t, irq) -
			 g_array_index(device_irqs->counts, uint32_t, irq);

	return grown > INT32_MAX ? 0 : grown;
}

static GArray *find_arrivals(const struct nb_device_irqs *device_irqs, const struct nb_scan *scan)
{
	GArray *arrivals = g_array_new(FALSE, FALSE, sizeof(struct arrival));
	unsigned n = MIN(device_irqs->counts->len, device_irqs->next->len);

	for (uint32_t irq = 1; irq < n; irq++) {
		struct arrival arrival = {irq, growth(device_irqs, irq)};

		if (arrival.count > 0 &&
		    !g_hash_table_contains(scan->network_irqs, GUINT_TO_POINTER(irq)))
			g_array_append_val(arrivals, arrival);
	}
	g_array_sort(arrivals, busier_first);
	if (arrivals->len > ROWS_MAX)
		g_array_set_size(arrivals, ROWS_MAX);
	return arrivals;
}

/* An interrupt that a NIC off PCI has besides its queues: "eth0", "eth0-mac". */
static bool is_named_after_nic(const struct nb_machine *machine, const char *handler)
{
	for (unsigned i = 0; i < machine->n_nics; i++) {
		const char *name = machine->nics[i].name;

		if (g_str_has_prefix(handler, name) && !g_ascii_isalnum(handler[strlen(name)]))
			return true;
	}
	return false;
}

/* False: it has no handler, or is a NIC's. */
static bool read_handlers(struct look *look, struct nb_device_irq *row)
{
	g_auto(GStrv) names = nb_handlers_of(look->handlers, row->irq);

	for (char **name = names; name && *name; name++) {
		if (is_named_after_nic(&look->scan->machine, *name))
			return false;
		row->portal |= nb_vector_handler_is_fixed(*name);
	}
	if (!names)
		return false;
	nb_handlers_join(names, row->handlers);
	return true;
}

static int read_effective(struct nb_sysroot *root, uint32_t irq)
{
	char path[PATH_LEN];
	struct nb_cpumask mask;

	snprintf(path, sizeof(path), "proc/irq/%u/effective_affinity_list", irq);
	return nb_sysroot_read_cpulist(root, path, &mask) < 0 ? -1 : nb_cpumask_only(&mask);
}

/* One that is let go to a single CPU goes there with its next arrival, wherever it came last. */
static bool read_place(struct nb_sysroot *root, struct nb_device_irq *row)
{
	char path[PATH_LEN];
	struct nb_cpumask mask;

	snprintf(path, sizeof(path), "proc/irq/%u/smp_affinity", row->irq);
	if (nb_sysroot_read_cpumask(root, path, &mask) < 0)
		return false;
	row->allowed = mask;
	row->n_allowed = nb_cpumask_count(&mask);
	row->cpu = nb_cpumask_only(&mask);
	if (row->cpu < 0)
		row->cpu = read_effective(root, row->irq);
	row->settable = nb_sysroot_is_writable(root, path);
	return true;
}

static bool is_hinted(struct nb_sysroot *root, const struct nb_device_irq *row)
{
	char path[PATH_LEN];
	struct nb_cpumask hint;

	snprintf(path, sizeof(path), "proc/irq/%u/affinity_hint", row->irq);
	return nb_sysroot_read_cpumask(root, path, &hint) == 0 &&
	       nb_cpumask_equal(&hint, &row->allowed);
}

/* What the last look found out need not be found out again. */
static void find_device(struct look *look, struct nb_device_irq *row)
{
	const GArray *last = look->device_irqs->rows;
	const struct nb_device_irq *known =
		last->len == 0 ? NULL
			       : bsearch(row, last->data, last->len, sizeof(*row), compare_rows);

	if (!known || !g_str_equal(known->handlers, row->handlers)) {
		row->hinted = is_hinted(look->device_irqs->root, row);
		nb_irq_devices_find(&look->devices, row);
		return;
	}
	row->hinted = nb_cpumask_equal(&known->allowed, &row->allowed)
			      ? known->hinted
			      : is_hinted(look->device_irqs->root, row);
	g_strlcpy(row->device, known->device, sizeof(row->device));
	row->node = known->node;
	row->foreign = known->foreign;
}

static void add_row(struct look *look, const struct arrival *arrival)
{
	struct nb_device_irq row = {
		.irq = arrival->irq,
		.per_sec = (uint32_t)(arrival->count * NB_NSEC_PER_SEC / look->window_nsec),
	};

	if (!read_handlers(look, &row) || !read_place(look->device_irqs->root, &row))
		return;
	find_device(look, &row);
	g_array_append_val(look->rows, row);
}

static void make_rows(struct nb_device_irqs *device_irqs, const struct nb_scan *scan,
		      uint64_t now_nsec)
{
	g_autoptr(GArray) arrivals = find_arrivals(device_irqs, scan);
	g_autoptr(nb_handlers) handlers = NULL;
	struct look look = {
		.device_irqs = device_irqs,
		.scan = scan,
		.window_nsec = now_nsec - device_irqs->counted_nsec,
		.rows = g_array_new(FALSE, FALSE, sizeof(struct nb_device_irq)),
	};

	if (nb_handlers_open(device_irqs->root, &handlers) == 0) {
		look.handlers = handlers;
		nb_irq_devices_init(&look.devices, device_irqs->root, &scan->machine.topology);
		for (unsigned i = 0; i < arrivals->len; i++)
			add_row(&look, &g_array_index(arrivals, struct arrival, i));
		nb_irq_devices_clear(&look.devices);
	}
	g_array_sort(look.rows, compare_rows);
	g_array_unref(device_irqs->rows);
	device_irqs->rows = look.rows;
	device_irqs->look++;
}

static int count(struct nb_device_irqs *device_irqs)
{
	g_autofree char *text = NULL;
	size_t len;
	int r;

	r = nb_sysroot_read(device_irqs->root, "proc/stat", &text, &len);
	if (r < 0)
		return r;
	return nb_parse_intr(text, len, device_irqs->next);
}

static void take_look(struct nb_device_irqs *device_irqs, const struct nb_scan *scan,
		      uint64_t now_nsec)
{
	GArray *counted;

	if (count(device_irqs) < 0)
		return;
	if (device_irqs->counted_nsec)
		make_rows(device_irqs, scan, now_nsec);
	counted = device_irqs->next;
	device_irqs->next = device_irqs->counts;
	device_irqs->counts = counted;
	device_irqs->counted_nsec = now_nsec;
}

static void forget(struct nb_device_irqs *device_irqs)
{
	g_array_set_size(device_irqs->rows, 0);
	device_irqs->counted_nsec = 0;
}

static bool is_due(const struct nb_device_irqs *device_irqs, uint64_t now_nsec)
{
	return !device_irqs->counted_nsec ||
	       now_nsec >= device_irqs->counted_nsec + LEAST_WINDOW_NSEC;
}

static char *driver_of(struct nb_sysroot *root, const char *device)
{
	g_autofree char *path = g_strdup_printf("sys/bus/pci/devices/%s/driver", device);
	char *driver;

	return *device && nb_sysroot_link_name(root, path, &driver) == 0 ? driver : g_strdup("");
}

static void apply_rule(struct nb_sysroot *root, const struct nb_device_rules *rules,
		       struct nb_handlers *handlers, struct nb_pools *pools,
		       struct nb_device_irq *row)
{
	g_auto(GStrv) names = nb_handlers_of(handlers, row->irq);
	g_autofree char *driver = driver_of(root, row->device);
	const struct nb_interrupt_facts facts = {row->irq, names, driver};

	if (!nb_pools_add_device_irq(pools, rules, &facts))
		row->settable = false;
}

/* Not kept with the rows that are taken over: the rules may have changed since. */
static void apply_rules(struct nb_sysroot *root, const struct nb_device_rules *rules,
			struct nb_machine *machine)
{
	g_autoptr(nb_handlers) handlers = NULL;

	nb_pools_forget_device_irqs(&machine->pools);
	if (!nb_interrupt_rules_exist(rules) || machine->n_device_irqs == 0 ||
	    nb_handlers_open(root, &handlers) < 0)
		return;
	for (unsigned i = 0; i < machine->n_device_irqs; i++)
		apply_rule(root, rules, handlers, &machine->pools, &machine->device_irqs[i]);
	nb_pools_sort(&machine->pools);
}

static void take_rows(const struct nb_device_irqs *device_irqs, struct nb_scan *scan)
{
	struct nb_machine *machine = &scan->machine;

	machine->device_irqs = g_new(struct nb_device_irq, device_irqs->rows->len);
	for (unsigned i = 0; i < device_irqs->rows->len; i++) {
		const struct nb_device_irq *row =
			&g_array_index(device_irqs->rows, struct nb_device_irq, i);

		/* A device that came up since. */
		if (!g_hash_table_contains(scan->network_irqs, GUINT_TO_POINTER(row->irq)))
			machine->device_irqs[machine->n_device_irqs++] = *row;
	}
}

void nb_device_irqs_fill(struct nb_device_irqs *device_irqs, struct nb_scan *scan,
			 const struct nb_device_rules *rules, uint64_t now_nsec)
{
	struct nb_machine *machine = &scan->machine;

	if (!device_irqs->wanted)
		forget(device_irqs);
	else if (is_due(device_irqs, now_nsec))
		take_look(device_irqs, scan, now_nsec);

	g_clear_pointer(&machine->device_irqs, g_free);
	machine->n_device_irqs = 0;
	machine->device_irqs_version = device_irqs->look;
	if (device_irqs->rows->len > 0)
		take_rows(device_irqs, scan);
	apply_rules(device_irqs->root, rules, machine);
}
