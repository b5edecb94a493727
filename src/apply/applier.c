/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/applier.h"

#include "apply/baseline_text.h"
#include "apply/outcome.h"
#include "apply/table.h"
#include "apply/value.h"
#include "base/lines.h"
#include "base/rss_table.h"

#include <errno.h>
#include <string.h>

#define DAMAGED_PATH NB_BASELINE_PATH ".damaged"

void nb_applier_free(struct nb_applier *applier)
{
	if (!applier)
		return;
	nb_baseline_free(applier->baseline);
	g_free(applier->damage);
	g_free(applier);
}

int nb_applier_keep(struct nb_applier *applier)
{
	g_autofree char *text = nb_baseline_format(applier->baseline);

	return nb_sysroot_replace(applier->access.root, NB_BASELINE_PATH, text, strlen(text));
}

/* If the damaged text cannot be set aside, it stays where it is. */
static void set_aside(struct nb_applier *applier, const char *text, size_t len)
{
	if (nb_sysroot_replace(applier->access.root, DAMAGED_PATH, text, len) == 0)
		(void)nb_applier_keep(applier);
}

static int load(struct nb_applier *applier)
{
	g_autoptr(GArray) damaged = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autofree char *text = NULL;
	size_t len;
	int r;

	r = nb_sysroot_read(applier->access.root, NB_BASELINE_PATH, &text, &len);
	if (r == -ENOENT) {
		applier->baseline = nb_baseline_new();
		return 0;
	}
	if (r < 0)
		return r;

	applier->baseline = nb_baseline_parse(text, len, damaged);
	if (damaged->len == 0)
		return 0;
	applier->damage = nb_lines_describe(damaged);
	set_aside(applier, text, len);
	return -EBADMSG;
}

int nb_applier_new(struct nb_sysroot *root, struct nb_netlink *netlink, struct nb_applier **ret)
{
	g_autoptr(nb_applier) applier = g_new0(struct nb_applier, 1);
	int r;

	applier->access = (struct nb_access){root, netlink};
	r = load(applier);
	if (r < 0 && r != -EBADMSG)
		return r;

	*ret = g_steal_pointer(&applier);
	return r;
}

const char *nb_applier_damage(const struct nb_applier *applier)
{
	return applier->damage;
}

unsigned nb_applier_count(const struct nb_applier *applier)
{
	return nb_baseline_count(applier->baseline);
}

static int not_ours(int error)
{
	return nb_outcome_from_errno(error) == NB_OUTCOME_BUSY ? -EBUSY : 0;
}

/* 1, and what we wrote last, borrowed, if the knob still holds it; else 0, or -EBUSY. */
static int look_for_ours(struct nb_applier *applier, const struct nb_knob *knob, GBytes **ret)
{
	const struct nb_baseline_entry *entry = nb_baseline_lookup(applier->baseline, knob);
	g_autoptr(GBytes) now = NULL;
	int r;

	if (!entry || !nb_knob_same_owner(&entry->knob, knob))
		return 0;
	r = nb_knob_read(&applier->access, knob, &now);
	if (r < 0)
		return not_ours(r);
	if (!g_bytes_equal(now, entry->ours))
		return 0;
	*ret = entry->ours;
	return 1;
}

/* NULL: not ours, or busy. */
static GBytes *find_ours(struct nb_applier *applier, const struct nb_knob *knob)
{
	GBytes *ours = NULL;

	(void)look_for_ours(applier, knob, &ours);
	return ours;
}

static bool owns(struct nb_applier *applier, const struct nb_knob *knob, struct nb_cpumask *ret)
{
	GBytes *ours = find_ours(applier, knob);

	if (ours)
		nb_value_cpus(ours, ret);
	return ours != NULL;
}

static bool owns_cpu(struct nb_applier *applier, const struct nb_knob *knob, unsigned *ret)
{
	struct nb_cpumask cpus;

	if (!owns(applier, knob, &cpus))
		return false;
	*ret = nb_cpumask_next(&cpus, 0);
	return true;
}

bool nb_applier_owns_irq(struct nb_applier *applier, uint32_t irq, unsigned *ret_cpu)
{
	g_auto(nb_knob) knob = {0};

	return nb_knob_irq(applier->access.root, irq, &knob) == 0 &&
	       owns_cpu(applier, &knob, ret_cpu);
}

bool nb_applier_owns_queue(struct nb_applier *applier, const struct nb_machine *machine,
			   const struct nb_queue *queue, unsigned *ret_cpu)
{
	unsigned cpu = 0, other;

	for (unsigned i = 0; i < queue->n_irqs; i++) {
		g_auto(nb_knob) knob = {0};

		if (nb_knob_of_queue(&applier->access, machine, queue, i, &knob) < 0 ||
		    !owns_cpu(applier, &knob, i ? &other : &cpu) || (i && other != cpu))
			return false;
	}
	if (queue->n_irqs > 0)
		*ret_cpu = cpu;
	return queue->n_irqs > 0;
}

bool nb_applier_owns_rps(struct nb_applier *applier, int ifindex, const char *ifname,
			 unsigned queue, struct nb_cpumask *ret)
{
	g_auto(nb_knob) knob = {0};

	nb_knob_rps((struct nb_queue_key){ifindex, queue}, ifname, &knob);
	return owns(applier, &knob, ret);
}

bool nb_applier_owns_xps(struct nb_applier *applier, int ifindex, const char *ifname,
			 unsigned queue)
{
	g_auto(nb_knob) knob = {0};

	nb_knob_xps((struct nb_queue_key){ifindex, queue}, ifname, &knob);
	return find_ours(applier, &knob) != NULL;
}

bool nb_applier_owns_thread(struct nb_applier *applier, int ifindex, uint32_t pid)
{
	g_auto(nb_knob) knob = {0};

	return nb_knob_thread(applier->access.root, ifindex, pid, &knob) == 0 &&
	       find_ours(applier, &knob) != NULL;
}

int nb_applier_owns_threaded(struct nb_applier *applier, struct nb_queue_key key,
			     const char *ifname)
{
	g_auto(nb_knob) knob = {0};
	GBytes *ours;

	nb_knob_threaded(key, ifname, &knob);
	return look_for_ours(applier, &knob, &ours);
}

bool nb_applier_owns_rfs(struct nb_applier *applier, int ifindex, const char *ifname,
			 unsigned queue)
{
	g_auto(nb_knob) knob = {0};

	if (ifindex)
		nb_knob_rfs((struct nb_queue_key){ifindex, queue}, ifname, &knob);
	else
		nb_knob_rfs_host(&knob);
	return find_ours(applier, &knob) != NULL;
}

bool nb_applier_wrote(const struct nb_applier *applier, enum nb_knob_type type, int ifindex)
{
	for (unsigned i = 0; i < nb_baseline_count(applier->baseline); i++) {
		const struct nb_knob *knob = &nb_baseline_get(applier->baseline, i)->knob;

		if (knob->type == type && knob->queue.ifindex == ifindex)
			return true;
	}
	return false;
}

bool nb_applier_wrote_rfs(const struct nb_applier *applier, int ifindex)
{
	return nb_applier_wrote(applier, NB_KNOB_RFS, ifindex) ||
	       nb_applier_wrote(applier, NB_KNOB_RFS_HOST, 0);
}

static void describe_table(const GArray *entries, GBytes *found, unsigned n_rings,
			   struct nb_own_table *ret)
{
	*ret = (struct nb_own_table){.n_moved = nb_table_count_moved(entries, found, n_rings)};
	nb_table_queues(entries, &ret->queues);
	if (!nb_table_is_limited(entries, found, n_rings))
		ret->spread = nb_table_digest((const uint32_t *)(const void *)entries->data,
					      entries->len);
}

/* The table before the last write is ours, too: a crash may have come between the file and the
 * write. A table with the value found has been restored. */
static bool is_our_table(const struct nb_baseline_entry *entry, const GArray *entries,
			 unsigned n_rings, struct nb_own_table *ret)
{
	g_autoptr(GBytes) now = nb_table_value(entries, n_rings);

	if (g_bytes_equal(now, entry->found) || !nb_baseline_entry_is_ours(entry, now))
		return false;
	describe_table(entries, entry->found, n_rings, ret);
	return true;
}

static const struct nb_baseline_entry *find_table(const struct nb_applier *applier, int ifindex,
						  const char *ifname)
{
	g_auto(nb_knob) knob = {0};

	nb_knob_rss(ifindex, ifname, &knob);
	return nb_baseline_lookup(applier->baseline, &knob);
}

bool nb_applier_owns_table(struct nb_applier *applier, int ifindex, const char *ifname,
			   const GArray *entries, unsigned n_rings, struct nb_own_table *ret)
{
	const struct nb_baseline_entry *entry = find_table(applier, ifindex, ifname);

	return entry && is_our_table(entry, entries, n_rings, ret);
}

int nb_applier_owns_rss(struct nb_applier *applier, int ifindex, const char *ifname,
			struct nb_own_table *ret)
{
	g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	const struct nb_baseline_entry *entry = find_table(applier, ifindex, ifname);
	unsigned n_rings;
	int r;

	if (!entry || !applier->access.netlink)
		return 0;
	r = nb_netlink_get_rss(applier->access.netlink, ifname, entries, &n_rings);
	if (r < 0)
		return not_ours(r);
	return is_our_table(entry, entries, n_rings, ret);
}

static int owns_channels(struct nb_applier *applier, int ifindex, const char *ifname, unsigned *ret)
{
	g_auto(nb_knob) knob = {0};
	GBytes *ours;
	int r;

	nb_knob_channels(ifindex, ifname, &knob);
	r = look_for_ours(applier, &knob, &ours);
	if (r > 0)
		*ret = (unsigned)nb_value_number(ours);
	return r;
}

static int owns_udp_hash(struct nb_applier *applier, int ifindex, const char *ifname,
			 unsigned ip_version)
{
	g_auto(nb_knob) knob = {0};
	GBytes *ours;

	nb_knob_udp_hash(ifindex, ifname, ip_version, &knob);
	return look_for_ours(applier, &knob, &ours);
}

int nb_applier_owns_setting(struct nb_applier *applier, enum nb_kind kind, int ifindex,
			    const char *ifname, unsigned *ret)
{
	int r;

	if (kind == NB_KIND_CHANNELS)
		return owns_channels(applier, ifindex, ifname, ret);
	r = owns_udp_hash(applier, ifindex, ifname, 4);
	if (r == 0)
		r = owns_udp_hash(applier, ifindex, ifname, 6);
	if (r > 0)
		*ret = NB_UDP_HASH_PORTS;
	return r;
}
