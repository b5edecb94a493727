/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support/fake_kernel.h"

#include "base/cpumask_text.h"
#include "support/support.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#define GROUP_BITS 32u

struct irq {
	uint32_t number;
	bool managed;
	struct nb_cpumask mask;
	bool is_pending;
	struct nb_cpumask pending;
	int effective;
};

struct queue {
	char *ifname;
	bool transmits; /* its mask is that of XPS */
	unsigned index;
	struct nb_cpumask mask;
};

struct channel {
	uint32_t id;
	char *ifname;
	unsigned cpu;
	bool closed;
};

struct nb_fake_kernel {
	struct nb_sysroot *root;
	const char *dir;
	enum nb_fake_release release;
	unsigned n_cpus;
	struct nb_cpumask online, isolated, full;
	bool deferred, lacks_net_admin;
	GPtrArray *irqs;     /* struct irq */
	GPtrArray *queues;   /* struct queue */
	GPtrArray *channels; /* struct channel */
	unsigned n_writes, fail_first, fail_count;
	int fail_error;
};

static void queue_free(void *data)
{
	struct queue *queue = data;

	g_free(queue->ifname);
	g_free(queue);
}

static void channel_free(void *data)
{
	struct channel *channel = data;

	g_free(channel->ifname);
	g_free(channel);
}

static struct nb_cpumask parse_list(const char *list)
{
	struct nb_cpumask mask;

	assert_int_equal(nb_cpumask_parse_list(list, strlen(list), &mask), 0);
	return mask;
}

/* What bitmap_parse() (lib/bitmap-str.c) makes of a text: a group too many is an overflow, be it
 * zero. */
static int parse_mask(const struct nb_fake_kernel *kernel, const char *text, size_t len,
		      struct nb_cpumask *ret)
{
	unsigned n_groups = 1;
	int r;

	for (size_t i = 0; i < len; i++)
		n_groups += text[i] == ',';
	r = nb_cpumask_parse_mask(text, len, ret);
	if (r < 0)
		return r == -ERANGE ? -EOVERFLOW : r;
	if (n_groups > (kernel->n_cpus + GROUP_BITS - 1) / GROUP_BITS ||
	    nb_cpumask_next(ret, kernel->n_cpus) != NB_CPUS_MAX)
		return -EOVERFLOW;
	return 0;
}

/* Not nb_tmp_write(), which waits for the disk. Takes over text. */
static void put(struct nb_fake_kernel *kernel, const char *path, char *text)
{
	g_autofree char *line = g_strconcat(text, "\n", NULL);
	g_autofree char *full = g_build_filename(kernel->dir, path, NULL);
	g_autofree char *parent = g_path_get_dirname(full);

	assert_int_equal(g_mkdir_with_parents(parent, 0755), 0);
	/* One of mode 0444 cannot be opened for writing by everyone. */
	(void)remove(full);
	assert_true(g_file_set_contents_full(full, line, -1, G_FILE_SET_CONTENTS_NONE, 0644, NULL));
	g_free(text);
}

/* All its groups, as the kernel shows a mask. */
static char *format_mask(const struct nb_fake_kernel *kernel, const struct nb_cpumask *mask)
{
	g_autofree char *short_text = nb_cpumask_format_mask(mask);
	GString *text = g_string_new(short_text);
	const gsize n_groups = (kernel->n_cpus + GROUP_BITS - 1) / GROUP_BITS;

	while (text->len + 1 < n_groups * strlen("00000000,"))
		g_string_prepend(text, "00000000,");
	return g_string_free(text, FALSE);
}

static char *irq_path(uint32_t number, const char *file)
{
	return g_strdup_printf("proc/irq/%u/%s", number, file);
}

static char *steering_path(const char *ifname, unsigned index, bool transmits)
{
	return transmits ? g_strdup_printf("sys/class/net/%s/queues/tx-%u/xps_cpus", ifname, index)
			 : g_strdup_printf("sys/class/net/%s/queues/rx-%u/rps_cpus", ifname, index);
}

static void show_irq(struct nb_fake_kernel *kernel, const struct irq *irq)
{
	g_autofree char *affinity = irq_path(irq->number, "smp_affinity");
	g_autofree char *effective = irq_path(irq->number, "effective_affinity");
	g_autofree char *effective_list = irq_path(irq->number, "effective_affinity_list");
	g_autofree char *full = g_build_filename(kernel->dir, affinity, NULL);
	struct nb_cpumask one = {0};

	nb_cpumask_add(&one, (unsigned)irq->effective);
	put(kernel, affinity, format_mask(kernel, irq->is_pending ? &irq->pending : &irq->mask));
	put(kernel, effective, format_mask(kernel, &one));
	put(kernel, effective_list, nb_cpumask_format_list(&one));
	assert_int_equal(chmod(full, irq->managed && kernel->release >= NB_FAKE_6_12 ? 0444 : 0644),
			 0);
}

static void show_queue(struct nb_fake_kernel *kernel, const struct queue *queue)
{
	g_autofree char *path = steering_path(queue->ifname, queue->index, queue->transmits);

	put(kernel, path, format_mask(kernel, &queue->mask));
}

/* assign_vector_locked(): no move while the current CPU is in the mask. */
static int retarget(struct nb_fake_kernel *kernel, struct irq *irq, const struct nb_cpumask *mask)
{
	struct nb_cpumask usable = *mask;
	unsigned cpu;

	nb_cpumask_and(&usable, &kernel->online);
	if (irq->effective < 0 || !nb_cpumask_has(&usable, (unsigned)irq->effective)) {
		nb_cpumask_andnot(&usable, &kernel->full);
		cpu = nb_cpumask_next(&usable, 0);
		if (cpu == NB_CPUS_MAX)
			return -ENOSPC;
		irq->effective = (int)cpu;
	}
	irq->mask = *mask;
	return 0;
}

static int store_irq(struct nb_fake_kernel *kernel, struct irq *irq, const char *text, size_t len)
{
	struct nb_cpumask mask, usable;
	int r;

	if (irq->managed)
		return kernel->release >= NB_FAKE_6_12 ? -EPERM : -EIO;
	r = parse_mask(kernel, text, len, &mask);
	if (r < 0)
		return r;
	usable = mask;
	nb_cpumask_and(&usable, &kernel->online);
	if (nb_cpumask_empty(&usable))
		return -EINVAL;

	if (kernel->deferred) {
		irq->is_pending = true;
		irq->pending = mask;
	} else {
		r = retarget(kernel, irq, &mask);
	}
	show_irq(kernel, irq);
	return r;
}

static int store_rps(struct nb_fake_kernel *kernel, struct queue *queue, const char *text,
		     size_t len)
{
	struct nb_cpumask mask;
	int r;

	if (kernel->lacks_net_admin)
		return -EPERM;
	r = parse_mask(kernel, text, len, &mask);
	if (r < 0)
		return r;
	if (!nb_cpumask_empty(&mask)) {
		nb_cpumask_andnot(&mask, &kernel->isolated);
		if (nb_cpumask_empty(&mask))
			return -EINVAL;
	}
	nb_cpumask_and(&mask, &kernel->online);
	queue->mask = mask;
	show_queue(kernel, queue);
	return 0;
}

static unsigned count_transmit_queues(const struct nb_fake_kernel *kernel, const char *ifname)
{
	unsigned n = 0;

	for (unsigned i = 0; i < kernel->queues->len; i++) {
		const struct queue *queue = g_ptr_array_index(kernel->queues, i);

		n += queue->transmits && g_str_equal(queue->ifname, ifname);
	}
	return n;
}

/* xps_cpus_store(): isolated CPUs may send. */
static int store_xps(struct nb_fake_kernel *kernel, struct queue *queue, const char *text,
		     size_t len)
{
	struct nb_cpumask mask;
	int r;

	if (count_transmit_queues(kernel, queue->ifname) < 2)
		return -ENOENT;
	if (kernel->lacks_net_admin)
		return -EPERM;
	r = parse_mask(kernel, text, len, &mask);
	if (r < 0)
		return r;
	nb_cpumask_and(&mask, &kernel->online);
	queue->mask = mask;
	show_queue(kernel, queue);
	return 0;
}

static char *thread_path(uint32_t pid, const char *file)
{
	return g_strdup_printf("proc/%u/%s", pid, file);
}

static void show_thread(struct nb_fake_kernel *kernel, uint32_t pid, const struct nb_cpumask *mask)
{
	g_autofree char *path = thread_path(pid, "status");
	g_autofree char *cpus = format_mask(kernel, mask);

	put(kernel, path, g_strdup_printf("State:\tS (sleeping)\nCpus_allowed:\t%s", cpus));
}

/* sched_setaffinity(). */
static int store_thread(struct nb_fake_kernel *kernel, uint32_t pid, const char *text, size_t len)
{
	g_autofree char *path = thread_path(pid, "status");
	struct nb_cpumask mask;

	if (!nb_sysroot_exists(kernel->root, path))
		return -ESRCH;
	assert_int_equal(nb_cpumask_parse_mask(text, len, &mask), 0);
	nb_cpumask_and(&mask, &kernel->online);
	if (nb_cpumask_empty(&mask))
		return -EINVAL;
	show_thread(kernel, pid, &mask);
	return 0;
}

static struct irq *find_irq(const struct nb_fake_kernel *kernel, uint32_t number)
{
	for (unsigned i = 0; i < kernel->irqs->len; i++) {
		struct irq *irq = g_ptr_array_index(kernel->irqs, i);

		if (irq->number == number)
			return irq;
	}
	return NULL;
}

static struct queue *find_queue(const struct nb_fake_kernel *kernel, const char *ifname,
				unsigned index, bool transmits)
{
	for (unsigned i = 0; i < kernel->queues->len; i++) {
		struct queue *queue = g_ptr_array_index(kernel->queues, i);

		if (queue->index == index && queue->transmits == transmits &&
		    g_str_equal(queue->ifname, ifname))
			return queue;
	}
	return NULL;
}

static char *flows_path(const char *ifname, unsigned index)
{
	return ifname ? g_strdup_printf("sys/class/net/%s/queues/rx-%u/rps_flow_cnt", ifname, index)
		      : g_strdup("proc/sys/net/core/rps_sock_flow_entries");
}

/* store_rps_dev_flow_table_cnt() asks for the capability, rps_sock_flow_sysctl() for the file's
 * owner alone. Both round up. */
static int store_flows(struct nb_fake_kernel *kernel, const char *path, const char *text,
		       size_t len)
{
	g_autofree char *number = g_strchomp(g_strndup(text, len));
	bool of_host = g_str_has_prefix(path, "proc/");
	uint64_t n, size = 1;

	if (kernel->lacks_net_admin && !of_host)
		return -EPERM;
	if (!g_ascii_string_to_unsigned(number, 10, 0, of_host ? 1u << 29 : UINT32_MAX, &n, NULL))
		return -EINVAL;
	while (size < n)
		size *= 2;
	put(kernel, path, g_strdup_printf("%" PRIu64, n ? size : 0));
	return 0;
}

static char *threaded_path(const char *ifname)
{
	return g_strdup_printf("sys/class/net/%s/threaded", ifname);
}

/* modify_napi_threaded() */
static int store_threaded(struct nb_fake_kernel *kernel, const char *path, const char *text,
			  size_t len)
{
	g_autofree char *number = g_strchomp(g_strndup(text, len));

	if (kernel->lacks_net_admin)
		return -EPERM;
	if (!g_str_equal(number, "0") && !g_str_equal(number, "1"))
		return -EOPNOTSUPP;
	put(kernel, path, g_steal_pointer(&number));
	return 0;
}

static char *channel_path(const char *ifname, uint32_t id, const char *file)
{
	return g_strdup_printf("sys/class/net/%s/device/channels/%u/%s", ifname, id, file);
}

static void show_channel(struct nb_fake_kernel *kernel, const struct channel *channel)
{
	g_autofree char *path = channel_path(channel->ifname, channel->id, "cpu");

	put(kernel, path, g_strdup_printf("%u", channel->cpu));
}

/* target_cpu_store() */
static int store_channel(struct nb_fake_kernel *kernel, struct channel *channel, const char *text)
{
	unsigned cpu;

	if (sscanf(text, "%uu", &cpu) != 1)
		return -EIO;
	if (cpu >= kernel->n_cpus || nb_cpumask_has(&kernel->isolated, cpu) ||
	    !nb_cpumask_has(&kernel->online, cpu))
		return -EINVAL;
	if (channel->closed)
		return -EIO;
	channel->cpu = cpu;
	show_channel(kernel, channel);
	return 0;
}

static struct channel *find_channel(const struct nb_fake_kernel *kernel, uint32_t id)
{
	for (unsigned i = 0; i < kernel->channels->len; i++) {
		struct channel *channel = g_ptr_array_index(kernel->channels, i);

		if (channel->id == id)
			return channel;
	}
	return NULL;
}

static int store(struct nb_fake_kernel *kernel, const char *path, const char *text, size_t len)
{
	unsigned pid;

	for (unsigned i = 0; i < kernel->channels->len; i++) {
		struct channel *channel = g_ptr_array_index(kernel->channels, i);
		g_autofree char *own = channel_path(channel->ifname, channel->id, "cpu");

		if (g_str_equal(own, path))
			return store_channel(kernel, channel, text);
	}
	for (unsigned i = 0; i < kernel->irqs->len; i++) {
		struct irq *irq = g_ptr_array_index(kernel->irqs, i);
		g_autofree char *own = irq_path(irq->number, "smp_affinity");

		if (g_str_equal(own, path))
			return store_irq(kernel, irq, text, len);
	}
	for (unsigned i = 0; i < kernel->queues->len; i++) {
		struct queue *queue = g_ptr_array_index(kernel->queues, i);
		g_autofree char *own = steering_path(queue->ifname, queue->index, queue->transmits);

		if (g_str_equal(own, path))
			return queue->transmits ? store_xps(kernel, queue, text, len)
						: store_rps(kernel, queue, text, len);
	}
	if (g_str_has_suffix(path, "/rps_flow_cnt") ||
	    g_str_has_suffix(path, "/rps_sock_flow_entries"))
		return store_flows(kernel, path, text, len);
	if (g_str_has_suffix(path, "/threaded"))
		return store_threaded(kernel, path, text, len);
	if (sscanf(path, "proc/%u/status", &pid) == 1)
		return store_thread(kernel, pid, text, len);
	return -ENOENT;
}

static int answer(struct nb_sysroot *root, const char *path, const char *text, size_t len,
		  void *userdata)
{
	struct nb_fake_kernel *kernel = userdata;

	assert_ptr_equal(root, kernel->root);
	kernel->n_writes++;
	if (kernel->n_writes >= kernel->fail_first &&
	    kernel->n_writes - kernel->fail_first < kernel->fail_count)
		return kernel->fail_error;
	return store(kernel, path, text, len);
}

struct nb_fake_kernel *nb_fake_kernel_new(struct nb_sysroot *root, const char *dir,
					  enum nb_fake_release release, unsigned n_cpus)
{
	struct nb_fake_kernel *kernel = g_new0(struct nb_fake_kernel, 1);

	kernel->root = root;
	kernel->dir = dir;
	kernel->release = release;
	kernel->n_cpus = n_cpus;
	for (unsigned cpu = 0; cpu < n_cpus; cpu++)
		nb_cpumask_add(&kernel->online, cpu);
	kernel->irqs = g_ptr_array_new_with_free_func(g_free);
	kernel->queues = g_ptr_array_new_with_free_func(queue_free);
	kernel->channels = g_ptr_array_new_with_free_func(channel_free);
	nb_sysroot_set_writer(root, answer, kernel);
	return kernel;
}

void nb_fake_kernel_free(struct nb_fake_kernel *kernel)
{
	if (!kernel)
		return;
	nb_sysroot_set_writer(kernel->root, NULL, NULL);
	g_ptr_array_unref(kernel->irqs);
	g_ptr_array_unref(kernel->queues);
	g_ptr_array_unref(kernel->channels);
	g_free(kernel);
}

void nb_fake_kernel_add_irq(struct nb_fake_kernel *kernel, uint32_t number, const char *handlers,
			    const char *list)
{
	g_autofree char *actions = g_strdup_printf("sys/kernel/irq/%u/actions", number);
	struct irq *irq = g_new0(struct irq, 1);
	struct nb_cpumask mask = parse_list(list);

	irq->number = number;
	irq->effective = -1;
	assert_int_equal(retarget(kernel, irq, &mask), 0);
	g_ptr_array_add(kernel->irqs, irq);
	put(kernel, actions, g_strdup(handlers));
	show_irq(kernel, irq);
}

void nb_fake_kernel_remove_irq(struct nb_fake_kernel *kernel, uint32_t number)
{
	g_autofree char *proc = g_strdup_printf("%s/proc/irq/%u", kernel->dir, number);
	g_autofree char *sys = g_strdup_printf("%s/sys/kernel/irq/%u", kernel->dir, number);

	nb_tmp_remove(g_steal_pointer(&proc));
	nb_tmp_remove(g_steal_pointer(&sys));
	g_ptr_array_remove(kernel->irqs, find_irq(kernel, number));
}

void nb_fake_kernel_reuse_irq(struct nb_fake_kernel *kernel, uint32_t number, const char *handlers,
			      const char *list)
{
	nb_fake_kernel_remove_irq(kernel, number);
	nb_fake_kernel_add_irq(kernel, number, handlers, list);
}

void nb_fake_kernel_manage_irq(struct nb_fake_kernel *kernel, uint32_t number)
{
	struct irq *irq = find_irq(kernel, number);

	irq->managed = true;
	show_irq(kernel, irq);
}

void nb_fake_kernel_interrupt(struct nb_fake_kernel *kernel, uint32_t number)
{
	struct irq *irq = find_irq(kernel, number);

	if (!irq->is_pending)
		return;
	/* irq_move_masked_irq(): no one is left to be told of a failure. */
	(void)retarget(kernel, irq, &irq->pending);
	irq->is_pending = false;
	show_irq(kernel, irq);
}

static void add_queue(struct nb_fake_kernel *kernel, int ifindex, const char *ifname,
		      unsigned index, bool transmits, const char *list)
{
	g_autofree char *path = g_strdup_printf("sys/class/net/%s/ifindex", ifname);
	struct queue *queue = g_new0(struct queue, 1);

	queue->ifname = g_strdup(ifname);
	queue->index = index;
	queue->transmits = transmits;
	queue->mask = parse_list(list);
	g_ptr_array_add(kernel->queues, queue);
	put(kernel, path, g_strdup_printf("%d", ifindex));
	show_queue(kernel, queue);
}

void nb_fake_kernel_add_queue(struct nb_fake_kernel *kernel, int ifindex, const char *ifname,
			      unsigned index, const char *list)
{
	add_queue(kernel, ifindex, ifname, index, false, list);
}

void nb_fake_kernel_add_tx_queue(struct nb_fake_kernel *kernel, int ifindex, const char *ifname,
				 unsigned index, const char *list)
{
	add_queue(kernel, ifindex, ifname, index, true, list);
}

void nb_fake_kernel_rename(struct nb_fake_kernel *kernel, const char *from, const char *to)
{
	g_autofree char *before = g_strdup_printf("%s/sys/class/net/%s", kernel->dir, from);
	g_autofree char *after = g_strdup_printf("%s/sys/class/net/%s", kernel->dir, to);

	assert_int_equal(rename(before, after), 0);
	for (unsigned i = 0; i < kernel->queues->len; i++) {
		struct queue *queue = g_ptr_array_index(kernel->queues, i);

		if (!g_str_equal(queue->ifname, from))
			continue;
		g_free(queue->ifname);
		queue->ifname = g_strdup(to);
	}
}

void nb_fake_kernel_add_channel(struct nb_fake_kernel *kernel, int ifindex, const char *ifname,
				uint32_t id, unsigned queue, unsigned cpu)
{
	g_autofree char *ifindex_path = g_strdup_printf("sys/class/net/%s/ifindex", ifname);
	g_autofree char *index_path = channel_path(ifname, id, "subchannel_id");
	struct channel *channel = g_new0(struct channel, 1);

	channel->id = id;
	channel->ifname = g_strdup(ifname);
	channel->cpu = cpu;
	g_ptr_array_add(kernel->channels, channel);
	put(kernel, ifindex_path, g_strdup_printf("%d", ifindex));
	put(kernel, index_path, g_strdup_printf("%u", queue));
	show_channel(kernel, channel);
}

void nb_fake_kernel_close_channel(struct nb_fake_kernel *kernel, uint32_t id)
{
	find_channel(kernel, id)->closed = true;
}

unsigned nb_fake_kernel_channel(struct nb_fake_kernel *kernel, uint32_t id)
{
	g_autofree char *path = channel_path(find_channel(kernel, id)->ifname, id, "cpu");
	g_autofree char *text = nb_tmp_read(kernel->dir, path);

	return (unsigned)g_ascii_strtoull(text, NULL, 10);
}

void nb_fake_kernel_set_channel(struct nb_fake_kernel *kernel, uint32_t id, unsigned cpu)
{
	struct channel *channel = find_channel(kernel, id);

	channel->cpu = cpu;
	show_channel(kernel, channel);
}

void nb_fake_kernel_add_thread(struct nb_fake_kernel *kernel, uint32_t pid, const char *name,
			       uint64_t began, const char *list)
{
	g_autofree char *path = thread_path(pid, "stat");

	put(kernel, path,
	    g_strdup_printf("%u (%s) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 %" PRIu64
			    " 0 0 18446744073709551615 0",
			    pid, name, began));
	nb_fake_kernel_set_thread(kernel, pid, list);
}

void nb_fake_kernel_remove_thread(struct nb_fake_kernel *kernel, uint32_t pid)
{
	g_autofree char *stat = thread_path(pid, "stat"), *status = thread_path(pid, "status");

	assert_int_equal(nb_sysroot_unlink(kernel->root, stat), 0);
	assert_int_equal(nb_sysroot_unlink(kernel->root, status), 0);
}

static char *list_of(struct nb_fake_kernel *kernel, const char *path)
{
	g_autofree char *text = nb_tmp_read(kernel->dir, path);
	struct nb_cpumask mask;

	assert_int_equal(nb_cpumask_parse_mask(text, strlen(text), &mask), 0);
	return nb_cpumask_format_list(&mask);
}

char *nb_fake_kernel_irq(struct nb_fake_kernel *kernel, uint32_t number)
{
	g_autofree char *path = irq_path(number, "smp_affinity");

	return list_of(kernel, path);
}

char *nb_fake_kernel_rps(struct nb_fake_kernel *kernel, const char *ifname, unsigned index)
{
	g_autofree char *path = steering_path(ifname, index, false);

	return list_of(kernel, path);
}

char *nb_fake_kernel_xps(struct nb_fake_kernel *kernel, const char *ifname, unsigned index)
{
	g_autofree char *path = steering_path(ifname, index, true);

	return list_of(kernel, path);
}

char *nb_fake_kernel_thread(struct nb_fake_kernel *kernel, uint32_t pid)
{
	g_autofree char *path = thread_path(pid, "status"), *text = NULL;
	struct nb_cpumask mask;
	const char *value;
	size_t len;

	assert_int_equal(nb_sysroot_read(kernel->root, path, &text, &len), 0);
	value = strrchr(text, '\t') + 1;
	assert_int_equal(nb_cpumask_parse_mask(value, strlen(value), &mask), 0);
	return nb_cpumask_format_list(&mask);
}

int nb_fake_kernel_effective(const struct nb_fake_kernel *kernel, uint32_t number)
{
	return find_irq(kernel, number)->effective;
}

void nb_fake_kernel_set_irq(struct nb_fake_kernel *kernel, uint32_t number, const char *list)
{
	struct nb_cpumask mask = parse_list(list);
	g_autofree char *text = format_mask(kernel, &mask);

	assert_int_equal(store_irq(kernel, find_irq(kernel, number), text, strlen(text)), 0);
}

void nb_fake_kernel_set_rps(struct nb_fake_kernel *kernel, const char *ifname, unsigned index,
			    const char *list)
{
	struct nb_cpumask mask = parse_list(list);
	g_autofree char *text = format_mask(kernel, &mask);

	assert_int_equal(
		store_rps(kernel, find_queue(kernel, ifname, index, false), text, strlen(text)), 0);
}

void nb_fake_kernel_set_xps(struct nb_fake_kernel *kernel, const char *ifname, unsigned index,
			    const char *list)
{
	struct queue *queue = find_queue(kernel, ifname, index, true);

	queue->mask = parse_list(list);
	show_queue(kernel, queue);
}

uint64_t nb_fake_kernel_flows(struct nb_fake_kernel *kernel, const char *ifname, unsigned index)
{
	g_autofree char *path = flows_path(ifname, index);
	g_autofree char *text = nb_tmp_read(kernel->dir, path);

	return g_ascii_strtoull(text, NULL, 10);
}

void nb_fake_kernel_set_flows(struct nb_fake_kernel *kernel, const char *ifname, unsigned index,
			      uint64_t n)
{
	g_autofree char *path = flows_path(ifname, index);

	put(kernel, path, g_strdup_printf("%" PRIu64, n));
}

uint64_t nb_fake_kernel_threaded(struct nb_fake_kernel *kernel, const char *ifname)
{
	g_autofree char *path = threaded_path(ifname);
	uint64_t n;

	assert_int_equal(nb_sysroot_read_number(kernel->root, path, 2, &n), 0);
	return n;
}

void nb_fake_kernel_set_threaded(struct nb_fake_kernel *kernel, const char *ifname, uint64_t n)
{
	g_autofree char *path = threaded_path(ifname);

	put(kernel, path, g_strdup_printf("%" PRIu64, n));
	nb_fake_kernel_set_up(kernel, ifname, true);
}

void nb_fake_kernel_set_up(struct nb_fake_kernel *kernel, const char *ifname, bool up)
{
	g_autofree char *path = g_strdup_printf("sys/class/net/%s/flags", ifname);

	put(kernel, path, g_strdup(up ? "0x1003" : "0x1002"));
}

void nb_fake_kernel_set_thread(struct nb_fake_kernel *kernel, uint32_t pid, const char *list)
{
	struct nb_cpumask mask = parse_list(list);

	show_thread(kernel, pid, &mask);
}

/* kernel/irq/cpuhotplug.c migrate_one_irq(). */
static void leave_cpu(struct nb_fake_kernel *kernel, struct irq *irq)
{
	struct nb_cpumask left = irq->mask;

	nb_cpumask_and(&left, &kernel->online);
	(void)retarget(kernel, irq, nb_cpumask_empty(&left) ? &kernel->online : &irq->mask);
	show_irq(kernel, irq);
}

void nb_fake_kernel_set_online(struct nb_fake_kernel *kernel, unsigned cpu, bool online)
{
	if (online) {
		nb_cpumask_add(&kernel->online, cpu);
		return;
	}
	nb_cpumask_del(&kernel->online, cpu);
	for (unsigned i = 0; i < kernel->irqs->len; i++)
		leave_cpu(kernel, g_ptr_array_index(kernel->irqs, i));
}

void nb_fake_kernel_isolate(struct nb_fake_kernel *kernel, unsigned cpu)
{
	nb_cpumask_add(&kernel->isolated, cpu);
}

void nb_fake_kernel_fill(struct nb_fake_kernel *kernel, unsigned cpu, bool full)
{
	if (full)
		nb_cpumask_add(&kernel->full, cpu);
	else
		nb_cpumask_del(&kernel->full, cpu);
}

void nb_fake_kernel_defer(struct nb_fake_kernel *kernel)
{
	kernel->deferred = true;
}

void nb_fake_kernel_drop_net_admin(struct nb_fake_kernel *kernel)
{
	kernel->lacks_net_admin = true;
}

void nb_fake_kernel_fail(struct nb_fake_kernel *kernel, unsigned first, unsigned count, int error)
{
	kernel->n_writes = 0;
	kernel->fail_first = first;
	kernel->fail_count = count;
	kernel->fail_error = error;
}

unsigned nb_fake_kernel_n_writes(const struct nb_fake_kernel *kernel)
{
	return kernel->n_writes;
}
