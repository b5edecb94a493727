/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/knob.h"

#include "apply/outcome.h"
#include "apply/table.h"
#include "apply/thread.h"
#include "apply/value.h"
#include "base/find.h"
#include "sysroot/cpus.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <net/if.h>
#include <string.h>

static int read_attribute(struct nb_sysroot *root, uint32_t irq, const char *file, char **ret)
{
	g_autofree char *path = g_strdup_printf("sys/kernel/irq/%u/%s", irq, file);
	size_t len;
	int r;

	r = nb_sysroot_read(root, path, ret, &len);
	/* A name is any text of its driver; kept in one line of the baseline. */
	if (r == 0)
		g_strdelimit(g_strchomp(*ret), "\n\t", ' ');
	return r;
}

/* Message-signalled ones have a number in their function, and its address in the number or in the
 * name of the chip (drivers/pci/msi/irqdomain.c), others the number of their line. */
static char *read_vector(struct nb_sysroot *root, uint32_t irq)
{
	g_autofree char *hwirq = NULL, *chip = NULL;

	if (read_attribute(root, irq, "hwirq", &hwirq) < 0 ||
	    read_attribute(root, irq, "chip_name", &chip) < 0 || !*hwirq || !*chip)
		return NULL;
	return g_strdup_printf("%s@%s", hwirq, chip);
}

int nb_knob_irq(struct nb_sysroot *root, uint32_t irq, struct nb_knob *ret)
{
	g_autofree char *names = NULL;
	int r;

	r = read_attribute(root, irq, "actions", &names);
	if (r < 0 && r != -ENOENT)
		return r;

	*ret = (struct nb_knob){
		.type = NB_KNOB_IRQ,
		.irq = irq,
		.name = names ? g_steal_pointer(&names) : g_strdup(""),
		.vector = read_vector(root, irq),
	};
	return 0;
}

static void make_device_knob(enum nb_knob_type type, struct nb_queue_key queue, const char *ifname,
			     struct nb_knob *ret)
{
	*ret = (struct nb_knob){.type = type, .queue = queue, .name = g_strdup(ifname)};
}

void nb_knob_rps(struct nb_queue_key queue, const char *ifname, struct nb_knob *ret)
{
	make_device_knob(NB_KNOB_RPS, queue, ifname, ret);
}

void nb_knob_xps(struct nb_queue_key queue, const char *ifname, struct nb_knob *ret)
{
	make_device_knob(NB_KNOB_XPS, queue, ifname, ret);
}

int nb_knob_thread(struct nb_sysroot *root, int ifindex, uint32_t pid, struct nb_knob *ret)
{
	struct nb_thread thread;
	int r;

	r = nb_thread_find(root, pid, &thread);
	if (r < 0)
		return r;

	make_device_knob(NB_KNOB_THREAD, (struct nb_queue_key){ifindex, pid}, thread.name, ret);
	ret->vector = g_strdup_printf("%" PRIu64, thread.began);
	return 0;
}

void nb_knob_rss(int ifindex, const char *ifname, struct nb_knob *ret)
{
	make_device_knob(NB_KNOB_RSS, (struct nb_queue_key){ifindex, 0}, ifname, ret);
}

void nb_knob_threaded(struct nb_queue_key key, const char *ifname, struct nb_knob *ret)
{
	if (key.index == NB_EVERY_QUEUE)
		make_device_knob(NB_KNOB_THREADED, (struct nb_queue_key){key.ifindex, 0}, ifname,
				 ret);
	else
		make_device_knob(NB_KNOB_NAPI, key, ifname, ret);
}

void nb_knob_rfs(struct nb_queue_key queue, const char *ifname, struct nb_knob *ret)
{
	make_device_knob(NB_KNOB_RFS, queue, ifname, ret);
}

void nb_knob_rfs_host(struct nb_knob *ret)
{
	make_device_knob(NB_KNOB_RFS_HOST, (struct nb_queue_key){0}, "net.core", ret);
}

void nb_knob_channels(int ifindex, const char *ifname, struct nb_knob *ret)
{
	make_device_knob(NB_KNOB_CHANNELS, (struct nb_queue_key){ifindex, 0}, ifname, ret);
}

void nb_knob_udp_hash(int ifindex, const char *ifname, unsigned ip_version, struct nb_knob *ret)
{
	make_device_knob(NB_KNOB_UDP_HASH, (struct nb_queue_key){ifindex, ip_version}, ifname, ret);
}

void nb_knob_copy(const struct nb_knob *knob, struct nb_knob *ret)
{
	*ret = *knob;
	ret->name = g_strdup(knob->name);
	ret->vector = g_strdup(knob->vector);
}

void nb_knob_clear(struct nb_knob *knob)
{
	g_clear_pointer(&knob->name, g_free);
	g_clear_pointer(&knob->vector, g_free);
}

bool nb_knob_equal(const struct nb_knob *a, const struct nb_knob *b)
{
	return a->type == b->type && a->irq == b->irq &&
	       nb_queue_key_compare(a->queue, b->queue) == 0;
}

unsigned nb_knob_hash(const struct nb_knob *knob)
{
	return ((unsigned)knob->type + knob->irq) * 31 * 31 + (unsigned)knob->queue.ifindex * 31 +
	       knob->queue.index;
}

static bool are_among(const char *some, const char *all)
{
	g_auto(GStrv) names = g_strsplit(some, ",", -1);
	g_auto(GStrv) others = g_strsplit(all, ",", -1);

	for (char **name = names; *name; name++)
		if (!g_strv_contains((const char *const *)others, *name))
			return false;
	return *names != NULL;
}

bool nb_knob_same_owner(const struct nb_knob *kept, const struct nb_knob *now)
{
	if (kept->vector && now->vector)
		return g_str_equal(kept->vector, now->vector);
	if (kept->type != NB_KNOB_IRQ)
		return true;
	return *now->name == '\0' || are_among(kept->name, now->name) ||
	       are_among(now->name, kept->name);
}

static int find_irq(const struct nb_access *access, const struct nb_knob *knob)
{
	g_auto(nb_knob) now = {0};
	int r;

	r = nb_knob_irq(access->root, knob->irq, &now);
	if (r < 0)
		return r;
	return nb_knob_same_owner(knob, &now) ? 0 : -ENOENT;
}

static int find_interface(const struct nb_access *access, const struct nb_knob *knob)
{
	g_autofree char *path = g_strdup_printf("sys/class/net/%s/ifindex", knob->name);
	g_autofree char *text = NULL;
	size_t len;
	int r;

	r = nb_sysroot_read(access->root, path, &text, &len);
	if (r < 0)
		return r;
	return g_ascii_strtoll(text, NULL, 10) == knob->queue.ifindex ? 0 : -ENOENT;
}

static char *channel_path(const struct nb_knob *knob, const char *file)
{
	return g_strdup_printf("sys/class/net/%s/device/channels/%u/%s", knob->name,
			       nb_irq_channel(knob->irq), file);
}

/* A NIC that is opened anew has other channels, and an id may come again for another queue. */
static int find_channel(const struct nb_access *access, const struct nb_knob *knob)
{
	g_autofree char *path = channel_path(knob, "subchannel_id");
	uint64_t index;
	int r;

	r = find_interface(access, knob);
	if (r < 0)
		return r;
	r = nb_sysroot_read_number(access->root, path, UINT32_MAX, &index);
	if (r < 0)
		return r;
	return index == knob->queue.index ? 0 : -ENOENT;
}

int nb_knob_of_queue(const struct nb_access *access, const struct nb_machine *machine,
		     const struct nb_queue *queue, unsigned i, struct nb_knob *ret)
{
	g_auto(nb_knob) knob = {
		.type = NB_KNOB_VMBUS,
		.irq = queue->irqs[i],
		.queue = queue->key,
		.name = g_strdup(nb_machine_netdev(machine, queue->key.ifindex)),
	};
	int r;

	if (!nb_irq_is_channel(knob.irq))
		return nb_knob_irq(access->root, knob.irq, ret);
	r = find_channel(access, &knob);
	if (r < 0)
		return r;

	*ret = knob;
	knob = (struct nb_knob){0};
	return 0;
}

static int find_host(const struct nb_access *access, const struct nb_knob *knob)
{
	(void)access;
	(void)knob;
	return 0;
}

static int find_thread(const struct nb_access *access, const struct nb_knob *knob)
{
	g_auto(nb_knob) now = {0};
	int r;

	r = nb_knob_thread(access->root, knob->queue.ifindex, knob->queue.index, &now);
	if (r < 0)
		return r;
	return nb_knob_same_owner(knob, &now) ? 0 : -ENOENT;
}

static char *path_of(const struct nb_knob *knob)
{
	switch (knob->type) {
	case NB_KNOB_IRQ:
		return g_strdup_printf("proc/irq/%u/smp_affinity", knob->irq);
	case NB_KNOB_RPS:
		return g_strdup_printf("sys/class/net/%s/queues/rx-%u/rps_cpus", knob->name,
				       knob->queue.index);
	case NB_KNOB_XPS:
		return g_strdup_printf("sys/class/net/%s/queues/tx-%u/xps_cpus", knob->name,
				       knob->queue.index);
	case NB_KNOB_RFS:
		return g_strdup_printf("sys/class/net/%s/queues/rx-%u/rps_flow_cnt", knob->name,
				       knob->queue.index);
	case NB_KNOB_RFS_HOST:
		return g_strdup("proc/sys/net/core/rps_sock_flow_entries");
	case NB_KNOB_VMBUS:
		return channel_path(knob, "cpu");
	case NB_KNOB_THREADED:
		return g_strdup_printf("sys/class/net/%s/threaded", knob->name);
	case NB_KNOB_THREAD: /* these have no file */
	case NB_KNOB_NAPI:
	case NB_KNOB_RSS:
	case NB_KNOB_CHANNELS:
	case NB_KNOB_UDP_HASH:
	case _NB_KNOB_TYPE_MAX:
	case _NB_KNOB_TYPE_INVALID:
		break;
	}
	g_assert_not_reached();
}

static int read_mask(const struct nb_access *access, const struct nb_knob *knob, GBytes **ret)
{
	g_autofree char *path = path_of(knob);
	struct nb_cpumask cpus;
	int r;

	r = nb_sysroot_read_cpumask(access->root, path, &cpus);
	if (r < 0)
		return r;

	*ret = nb_value_of_cpus(&cpus);
	return 0;
}

static int read_cpu(const struct nb_access *access, const struct nb_knob *knob, GBytes **ret)
{
	g_autofree char *path = path_of(knob);
	struct nb_cpumask cpus = {0};
	uint64_t cpu;
	int r;

	r = nb_sysroot_read_number(access->root, path, NB_CPUS_MAX - 1, &cpu);
	if (r < 0)
		return r;

	nb_cpumask_add(&cpus, (unsigned)cpu);
	*ret = nb_value_of_cpus(&cpus);
	return 0;
}

static int read_number(const struct nb_access *access, const struct nb_knob *knob, GBytes **ret)
{
	g_autofree char *path = path_of(knob);
	uint64_t number;
	int r;

	r = nb_sysroot_read_number(access->root, path, UINT32_MAX, &number);
	if (r < 0)
		return r;

	*ret = nb_value_of_number(number);
	return 0;
}

static int read_thread(const struct nb_access *access, const struct nb_knob *knob, GBytes **ret)
{
	struct nb_cpumask cpus;
	int r;

	r = nb_thread_read_cpus(access->root, knob->queue.index, &cpus);
	if (r < 0)
		return r;

	*ret = nb_value_of_cpus(&cpus);
	return 0;
}

static int read_table(const struct nb_access *access, const struct nb_knob *knob, GBytes **ret)
{
	g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	unsigned n_rings;
	int r;

	if (!access->netlink)
		return -EOPNOTSUPP;
	r = nb_netlink_get_rss(access->netlink, knob->name, entries, &n_rings);
	if (r < 0)
		return r;

	*ret = nb_table_value(entries, n_rings);
	return 0;
}

static int read_channels(const struct nb_access *access, const struct nb_knob *knob, GBytes **ret)
{
	struct nb_channels channels;
	int r;

	if (!access->netlink)
		return -EOPNOTSUPP;
	r = nb_netlink_get_channels(access->netlink, knob->name, &channels);
	if (r < 0)
		return r;

	*ret = nb_value_of_number(nb_channels_in_use(&channels));
	return 0;
}

static int read_udp_hash(const struct nb_access *access, const struct nb_knob *knob, GBytes **ret)
{
	uint64_t fields;
	int r;

	if (!access->netlink)
		return -EOPNOTSUPP;
	r = nb_netlink_get_udp_fields(access->netlink, knob->name, knob->queue.index, &fields);
	if (r < 0)
		return r;

	*ret = nb_value_of_number(fields);
	return 0;
}

/* No value of a NAPI by itself. */
#define OF_THE_WHOLE_NIC 3u

/* The switch of the whole NIC sets that of each NAPI (net/core/dev.c netif_set_threaded()): whoever
 * switched it on has chosen that for this NAPI, too. */
static int read_napi(const struct nb_access *access, const struct nb_knob *knob, GBytes **ret)
{
	g_autofree char *path = g_strdup_printf("sys/class/net/%s/threaded", knob->name);
	enum nb_threading threading;
	uint64_t whole;
	int r;

	if (!access->netlink)
		return -EOPNOTSUPP;
	r = nb_netlink_get_threading(access->netlink, knob->queue.ifindex, knob->queue.index,
				     &threading);
	if (r < 0)
		return r;
	r = nb_sysroot_read_number(access->root, path, UINT32_MAX, &whole);
	if (r < 0)
		return r;

	*ret = nb_value_of_number(whole ? OF_THE_WHOLE_NIC : threading - NB_THREADING_OFF);
	return 0;
}

static bool is_file_settable(const struct nb_access *access, const struct nb_knob *knob)
{
	g_autofree char *path = path_of(knob);

	return nb_sysroot_is_writable(access->root, path);
}

/* Only an attempt tells. */
static bool is_thread_settable(const struct nb_access *access, const struct nb_knob *knob)
{
	(void)access;
	(void)knob;
	return true;
}

static bool is_netlink_there(const struct nb_access *access, const struct nb_knob *knob)
{
	(void)knob;
	return access->netlink != NULL;
}

static enum nb_outcome write_mask(const struct nb_access *access, const struct nb_knob *knob,
				  GBytes *value)
{
	g_autofree char *path = path_of(knob);
	struct nb_cpumask cpus;
	int r;

	nb_value_cpus(value, &cpus);
	r = nb_sysroot_write_cpumask(access->root, path, &cpus);
	/* A file of /proc removed between open and write answers EIO as well (fs/proc/inode.c
	 * proc_reg_write()). */
	if (r == -EIO && !nb_sysroot_exists(access->root, path))
		return NB_OUTCOME_GONE;
	return nb_outcome_from_errno(r);
}

/* EIO (drivers/hv/vmbus_drv.c vmbus_channel_set_cpu()) may pass, where the channel is not open
 * while its NIC changes its MTU, or may not, where the host is older than Windows Server 2016. */
static enum nb_outcome write_cpu(const struct nb_access *access, const struct nb_knob *knob,
				 GBytes *value)
{
	g_autofree char *path = path_of(knob);
	g_autofree char *text = NULL;
	struct nb_cpumask cpus;
	int r;

	nb_value_cpus(value, &cpus);
	text = g_strdup_printf("%d\n", nb_cpumask_only(&cpus));
	r = nb_sysroot_write(access->root, path, text, strlen(text));
	return r == -EIO ? NB_OUTCOME_STALE : nb_outcome_from_errno(r);
}

static enum nb_outcome write_number(const struct nb_access *access, const struct nb_knob *knob,
				    GBytes *value)
{
	g_autofree char *path = path_of(knob);
	g_autofree char *text = g_strdup_printf("%" PRIu64 "\n", nb_value_number(value));

	return nb_outcome_from_errno(nb_sysroot_write(access->root, path, text, strlen(text)));
}

static bool is_up(const struct nb_access *access, const char *ifname)
{
	g_autofree char *path = g_strdup_printf("sys/class/net/%s/flags", ifname);
	g_autofree char *text = NULL;
	size_t len;

	return nb_sysroot_read(access->root, path, &text, &len) == 0 &&
	       (g_ascii_strtoull(text, NULL, 16) & IFF_UP);
}

/* i40e leaves NAPIs disabled whose queues it gave up (i40e_napi_enable_all()). */
static bool leaves_napis_disabled(const struct nb_access *access, const char *ifname)
{
	g_autofree char *path = g_strdup_printf("sys/class/net/%s/device/driver", ifname);
	g_autofree char *driver = NULL;
	struct nb_channels channels;

	if (nb_sysroot_link_name(access->root, path, &driver) < 0 || !g_str_equal(driver, "i40e"))
		return false;
	return !access->netlink ||
	       nb_netlink_get_channels(access->netlink, ifname, &channels) < 0 ||
	       channels.combined < channels.most_combined;
}

/* From Linux 6.17 on whoever switches it off waits, with the RTNL lock held, for each NAPI to
 * complete (net/core/dev.c napi_stop_kthread(), 689883de94dd): one that is disabled never does. It
 * is not switched on either where it could not be switched off. */
static enum nb_outcome write_threaded(const struct nb_access *access, const struct nb_knob *knob,
				      GBytes *value)
{
	if (!is_up(access, knob->name) || leaves_napis_disabled(access, knob->name))
		return NB_OUTCOME_BUSY;
	return write_number(access, knob, value);
}

static enum nb_outcome write_napi(const struct nb_access *access, const struct nb_knob *knob,
				  GBytes *value)
{
	return nb_outcome_from_ethtool(
		nb_netlink_set_threading(access->netlink, knob->queue.ifindex, knob->queue.index,
					 nb_value_number(value) > 0));
}

/* There is no call that takes anything but a pid: that it is still the thread's is looked at last.
 */
static enum nb_outcome write_thread(const struct nb_access *access, const struct nb_knob *knob,
				    GBytes *value)
{
	struct nb_cpumask cpus;
	int r;

	nb_value_cpus(value, &cpus);
	r = find_thread(access, knob);
	if (r == 0)
		r = nb_sysroot_set_affinity(access->root, knob->queue.index, &cpus);
	return nb_outcome_from_errno(r);
}

static enum nb_outcome write_table(const struct nb_access *access, const struct nb_knob *knob,
				   GBytes *value)
{
	gsize size;
	const uint32_t *entries = g_bytes_get_data(value, &size);

	return nb_outcome_from_ethtool(nb_netlink_set_rss(access->netlink, knob->name, entries,
							  (unsigned)(size / sizeof(*entries))));
}

static enum nb_outcome write_channels(const struct nb_access *access, const struct nb_knob *knob,
				      GBytes *value)
{
	return nb_outcome_from_ethtool(nb_netlink_set_channels(access->netlink, knob->name,
							       (unsigned)nb_value_number(value)));
}

static enum nb_outcome write_udp_hash(const struct nb_access *access, const struct nb_knob *knob,
				      GBytes *value)
{
	return nb_outcome_from_ethtool(nb_netlink_set_udp_fields(
		access->netlink, knob->name, knob->queue.index, nb_value_number(value)));
}

/* What each type of knob is: a new one is one row. */
static const struct {
	enum nb_holding holding;
	int (*find)(const struct nb_access *access, const struct nb_knob *knob);
	int (*read)(const struct nb_access *access, const struct nb_knob *knob, GBytes **ret);
	bool (*is_settable)(const struct nb_access *access, const struct nb_knob *knob);
	enum nb_outcome (*write)(const struct nb_access *access, const struct nb_knob *knob,
				 GBytes *value);
	enum nb_outcome unlike; /* written with success, and another value is read */
} types[] = {
	/* An interrupt's mask is not compared: it may lag. */
	[NB_KNOB_IRQ] = {NB_HOLDS_CPUS, find_irq, read_mask, is_file_settable, write_mask,
			 NB_OUTCOME_APPLIED},
	/* net/core/net-sysfs.c keeps of an RPS mask what is online and no isolated CPU, be it
	 * nothing, and answers success. */
	[NB_KNOB_RPS] = {NB_HOLDS_CPUS, find_interface, read_mask, is_file_settable, write_mask,
			 NB_OUTCOME_STALE},
	/* So does xps_cpus_store() of what is offline. */
	[NB_KNOB_XPS] = {NB_HOLDS_CPUS, find_interface, read_mask, is_file_settable, write_mask,
			 NB_OUTCOME_STALE},
	/* Not compared: of the CPUs found, those that are offline may be left out
	 * (kernel/cgroup/cpuset.c cpuset_cpus_allowed()). */
	[NB_KNOB_THREAD] = {NB_HOLDS_CPUS, find_thread, read_thread, is_thread_settable,
			    write_thread, NB_OUTCOME_APPLIED},
	/* A driver that makes another table of ours is of no use. */
	[NB_KNOB_RSS] = {NB_HOLDS_TABLE, find_interface, read_table, is_netlink_there, write_table,
			 NB_OUTCOME_REFUSED},
	[NB_KNOB_THREADED] = {NB_HOLDS_NUMBER, find_interface, read_number, is_file_settable,
			      write_threaded, NB_OUTCOME_STALE},
	[NB_KNOB_NAPI] = {NB_HOLDS_NUMBER, find_interface, read_napi, is_netlink_there, write_napi,
			  NB_OUTCOME_STALE},
	[NB_KNOB_RFS] = {NB_HOLDS_NUMBER, find_interface, read_number, is_file_settable,
			 write_number, NB_OUTCOME_STALE},
	[NB_KNOB_RFS_HOST] = {NB_HOLDS_NUMBER, find_host, read_number, is_file_settable,
			      write_number, NB_OUTCOME_STALE},
	[NB_KNOB_CHANNELS] = {NB_HOLDS_NUMBER, find_interface, read_channels, is_netlink_there,
			      write_channels, NB_OUTCOME_REFUSED},
	[NB_KNOB_UDP_HASH] = {NB_HOLDS_NUMBER, find_interface, read_udp_hash, is_netlink_there,
			      write_udp_hash, NB_OUTCOME_REFUSED},
	[NB_KNOB_VMBUS] = {NB_HOLDS_CPUS, find_channel, read_cpu, is_file_settable, write_cpu,
			   NB_OUTCOME_STALE},
};
G_STATIC_ASSERT(G_N_ELEMENTS(types) == _NB_KNOB_TYPE_MAX);

enum nb_holding nb_knob_holding(enum nb_knob_type type)
{
	return types[type].holding;
}

int nb_knob_find(const struct nb_access *access, const struct nb_knob *knob)
{
	assert(knob->type >= 0 && knob->type < _NB_KNOB_TYPE_MAX);
	return types[knob->type].find(access, knob);
}

int nb_knob_read(const struct nb_access *access, const struct nb_knob *knob, GBytes **ret)
{
	return types[knob->type].read(access, knob, ret);
}

bool nb_knob_holds(const struct nb_access *access, const struct nb_knob *knob, GBytes *value)
{
	g_autoptr(GBytes) now = NULL;

	return nb_knob_read(access, knob, &now) == 0 && g_bytes_equal(now, value);
}

bool nb_knob_is_settable(const struct nb_access *access, const struct nb_knob *knob)
{
	return types[knob->type].is_settable(access, knob);
}

static bool is_of_interface(const struct nb_knob *knob)
{
	return types[knob->type].find == find_interface || types[knob->type].find == find_channel;
}

/* Caller unrefs. */
static GHashTable *list_interfaces(struct nb_sysroot *root)
{
	GHashTable *interfaces = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_auto(GStrv) names = NULL;

	if (nb_sysroot_list(root, "sys/class/net", &names) < 0)
		return interfaces;
	for (char **name = names; *name; name++) {
		g_autofree char *path = g_strdup_printf("sys/class/net/%s/ifindex", *name);
		uint64_t ifindex;

		if (nb_sysroot_read_number(root, path, INT_MAX, &ifindex) == 0)
			g_hash_table_insert(interfaces, GINT_TO_POINTER((int)ifindex),
					    g_strdup(*name));
	}
	return interfaces;
}

void nb_knob_follow_rename(const struct nb_access *access, struct nb_knob *knob, GHashTable **names)
{
	const char *name;

	if (!is_of_interface(knob) || find_interface(access, knob) != -ENOENT)
		return;
	if (!*names)
		*names = list_interfaces(access->root);
	name = g_hash_table_lookup(*names, GINT_TO_POINTER(knob->queue.ifindex));
	if (!name)
		return;
	g_free(knob->name);
	knob->name = g_strdup(name);
}

enum nb_outcome nb_knob_write(const struct nb_access *access, const struct nb_knob *knob,
			      GBytes *value)
{
	enum nb_outcome outcome = types[knob->type].write(access, knob, value);
	g_autoptr(GBytes) now = NULL;

	/* What cannot be read at this moment (a lock that others hold) was written all the same. */
	if (outcome != NB_OUTCOME_APPLIED || types[knob->type].unlike == NB_OUTCOME_APPLIED ||
	    nb_knob_read(access, knob, &now) < 0 || g_bytes_equal(now, value))
		return outcome;
	return types[knob->type].unlike;
}
