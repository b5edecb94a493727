/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/irq_files.h"

#include "base/cpumask_text.h"
#include "base/find.h"
#include "sample/parse/parse.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Half of what a service may open by default (LimitNOFILE= in systemd.exec(5)). */
#define KEPT_MAX 512u

#define PATH_LEN 96

static void close_kept(gpointer fd)
{
	close(GPOINTER_TO_INT(fd));
}

void nb_irq_files_init(struct nb_irq_files *files, struct nb_sysroot *root)
{
	files->root = root;
	files->kept = g_hash_table_new_full(NULL, NULL, NULL, close_kept);
	files->channels = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	files->text = g_string_new(NULL);
}

void nb_irq_files_clear(struct nb_irq_files *files)
{
	g_clear_pointer(&files->kept, g_hash_table_unref);
	g_clear_pointer(&files->channels, g_hash_table_unref);
	if (files->text)
		g_string_free(g_steal_pointer(&files->text), TRUE);
}

static gpointer key_of(enum nb_irq_file file, uint32_t irq)
{
	return GSIZE_TO_POINTER((gsize)irq << 1 | (file == NB_IRQ_COUNTS));
}

static gboolean is_missing(gpointer key, gpointer fd, gpointer irqs)
{
	(void)fd;
	return !g_hash_table_contains(irqs, GSIZE_TO_POINTER(GPOINTER_TO_SIZE(key) >> 1));
}

static void locate_channel(struct nb_irq_files *files, const struct nb_machine *machine,
			   const struct nb_queue *queue)
{
	uint32_t irq = queue->irqs[0];

	g_hash_table_insert(files->channels, GSIZE_TO_POINTER(irq),
			    g_strdup_printf("sys/class/net/%s/device/channels/%u",
					    nb_machine_netdev(machine, queue->key.ifindex),
					    nb_irq_channel(irq)));
}

void nb_irq_files_keep(struct nb_irq_files *files, const struct nb_machine *machine)
{
	g_autoptr(GHashTable) irqs = g_hash_table_new(NULL, NULL);

	g_hash_table_remove_all(files->channels);
	for (unsigned i = 0; i < machine->n_queues; i++) {
		const struct nb_queue *queue = &machine->queues[i];

		for (unsigned k = 0; k < queue->n_irqs; k++)
			g_hash_table_add(irqs, GSIZE_TO_POINTER(queue->irqs[k]));
		if (nb_queue_has_channel(queue))
			locate_channel(files, machine, queue);
	}
	g_hash_table_foreach_remove(files->kept, is_missing, irqs);
}

/* Drivers of the VMBus give no hints. */
static int format_channel_path(const struct nb_irq_files *files, enum nb_irq_file file,
			       uint32_t irq, char *ret)
{
	const char *directory = g_hash_table_lookup(files->channels, GSIZE_TO_POINTER(irq));

	if (!directory || file == NB_IRQ_HINT)
		return -ENOENT;
	snprintf(ret, PATH_LEN, "%s/%s", directory, file == NB_IRQ_COUNTS ? "interrupts" : "cpu");
	return 0;
}

static int format_path(const struct nb_irq_files *files, enum nb_irq_file file, uint32_t irq,
		       char *ret)
{
	if (nb_irq_is_channel(irq))
		return format_channel_path(files, file, irq, ret);
	switch (file) {
	case NB_IRQ_AFFINITY:
		snprintf(ret, PATH_LEN, "proc/irq/%u/smp_affinity", irq);
		break;
	case NB_IRQ_COUNTS:
		snprintf(ret, PATH_LEN, "sys/kernel/irq/%u/per_cpu_count", irq);
		break;
	case NB_IRQ_EFFECTIVE:
		snprintf(ret, PATH_LEN, "proc/irq/%u/effective_affinity_list", irq);
		break;
	case NB_IRQ_HINT:
		snprintf(ret, PATH_LEN, "proc/irq/%u/affinity_hint", irq);
		break;
	}
	return 0;
}

static bool is_frequent(enum nb_irq_file file)
{
	return file == NB_IRQ_AFFINITY || file == NB_IRQ_COUNTS;
}

static bool may_keep(const struct nb_irq_files *files, enum nb_irq_file file)
{
	return is_frequent(file) && nb_sysroot_is_host(files->root) &&
	       g_hash_table_size(files->kept) < KEPT_MAX;
}

/* A removed file answers EIO in procfs (fs/proc/inode.c proc_reg_read()), ENODEV in sysfs, and so
 * does its descriptor ever after. */
static int read_kept(struct nb_irq_files *files, gpointer key, int fd)
{
	int r = nb_sysroot_pread(fd, files->text);

	if (r == 0)
		return 0;
	g_hash_table_remove(files->kept, key);
	return r == -EIO || r == -ENODEV ? -ENOENT : r;
}

int nb_irq_files_read(struct nb_irq_files *files, enum nb_irq_file file, uint32_t irq)
{
	gpointer key = key_of(file, irq), kept;
	char path[PATH_LEN];
	int fd, r;

	if (is_frequent(file) && g_hash_table_lookup_extended(files->kept, key, NULL, &kept))
		return read_kept(files, key, GPOINTER_TO_INT(kept));

	r = format_path(files, file, irq, path);
	if (r < 0)
		return r;
	if (!may_keep(files, file))
		return nb_sysroot_read_into(files->root, path, files->text);
	r = nb_sysroot_open_file(files->root, path, &fd);
	if (r < 0)
		return r;
	g_hash_table_insert(files->kept, key, GINT_TO_POINTER(fd));
	return read_kept(files, key, fd);
}

/* The CPU of a channel is a number in decimal, and so a list. */
static bool holds_list(enum nb_irq_file file, uint32_t irq)
{
	return file == NB_IRQ_EFFECTIVE || nb_irq_is_channel(irq);
}

int nb_irq_files_read_cpus(struct nb_irq_files *files, enum nb_irq_file file, uint32_t irq,
			   struct nb_cpumask *ret)
{
	const GString *text = files->text;
	int r = nb_irq_files_read(files, file, irq);

	if (r < 0)
		return r;
	r = holds_list(file, irq) ? nb_cpumask_parse_list(text->str, text->len, ret)
				  : nb_cpumask_parse_mask(text->str, text->len, ret);
	return r < 0 ? -EBADMSG : 0;
}

bool nb_irq_files_is_settable(struct nb_irq_files *files, uint32_t irq)
{
	gpointer kept;
	char path[PATH_LEN];
	struct stat st;

	if (g_hash_table_lookup_extended(files->kept, key_of(NB_IRQ_AFFINITY, irq), NULL, &kept))
		return fstat(GPOINTER_TO_INT(kept), &st) == 0 && (st.st_mode & S_IWUSR);
	return format_path(files, NB_IRQ_AFFINITY, irq, path) == 0 &&
	       nb_sysroot_is_writable(files->root, path);
}

void nb_irq_counts_init(struct nb_irq_counts *counts, struct nb_irq_files *files,
			const struct nb_cpumask *possible)
{
	*counts = (struct nb_irq_counts){.files = files};
	counts->cpus = g_new(unsigned, nb_cpumask_count(possible));
	NB_CPUMASK_FOREACH (cpu, possible)
		counts->cpus[counts->n_cpus++] = cpu;
	counts->row = g_new0(uint32_t, counts->n_cpus);
}

void nb_irq_counts_clear(struct nb_irq_counts *counts)
{
	g_clear_pointer(&counts->cpus, g_free);
	g_clear_pointer(&counts->row, g_free);
	g_clear_pointer(&counts->whole, g_hash_table_unref);
}

/* The columns of proc/interrupts are the online CPUs, ours the possible ones. */
static void keep_row(const struct nb_interrupt_row *row, void *userdata)
{
	struct nb_irq_counts *counts = userdata;
	uint32_t *kept = g_new0(uint32_t, counts->n_cpus);
	unsigned column = 0;

	for (unsigned i = 0; i < counts->n_cpus; i++)
		if (column < row->n_counts && row->cpus[column] == counts->cpus[i])
			kept[i] = row->counts[column++];
	g_hash_table_replace(counts->whole, GUINT_TO_POINTER(row->irq), kept);
}

static const uint32_t *find_in_whole(struct nb_irq_counts *counts, uint32_t irq)
{
	GString *text = counts->files->text;

	if (!counts->whole) {
		counts->whole = g_hash_table_new_full(NULL, NULL, NULL, g_free);
		if (nb_sysroot_read_into(counts->files->root, "proc/interrupts", text) == 0 &&
		    nb_parse_interrupts(text->str, text->len, keep_row, counts) < 0)
			g_hash_table_remove_all(counts->whole);
	}
	return g_hash_table_lookup(counts->whole, GUINT_TO_POINTER(irq));
}

int nb_irq_counts_add(struct nb_irq_counts *counts, uint32_t irq, uint32_t *sums)
{
	const GString *text = counts->files->text;
	const uint32_t *row = counts->row;

	if (nb_irq_files_read(counts->files, NB_IRQ_COUNTS, irq) < 0 ||
	    nb_parse_cpu_counts(text->str, text->len, counts->row, counts->n_cpus) < 0)
		row = find_in_whole(counts, irq);
	if (!row)
		return -ENOENT;
	for (unsigned i = 0; i < counts->n_cpus; i++)
		sums[i] += row[i];
	return 0;
}
