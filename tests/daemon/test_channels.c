/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Channels of the VMBus under load, from their counters to what a move of one has achieved. The
 * guest is hv_netvsc, of which every NIC but eth0 is idle. */
#include "daemon/fixture.h"
#include "publish/history.h"

#define N_CPUS 8u
#define N_CHANNELS 4u
#define FIRST_CHANNEL 21u

/* Since the machine was captured, by CPU and by channel. */
struct traffic {
	unsigned ticks, busy[N_CPUS];
	unsigned counts[N_CHANNELS];
};

static int set_up(void **state)
{
	int r = set_up_machine(state, "");
	struct fixture *f = *state;

	g_free(f->options.root);
	f->options.root = g_build_filename(f->dir, "guest", NULL);
	nb_tmp_unpack(f->options.root, "hv_netvsc");
	return r;
}

static char *channel_path(unsigned i, const char *file)
{
	return g_strdup_printf("sys/class/net/eth0/device/channels/%u/%s", FIRST_CHANNEL + i, file);
}

static void place(struct fixture *f, unsigned i, unsigned cpu)
{
	g_autofree char *path = channel_path(i, "cpu");
	g_autofree char *text = g_strdup_printf("%u\n", cpu);

	nb_tmp_write(f->options.root, path, text);
}

static unsigned cpu_of(struct fixture *f, unsigned i)
{
	g_autofree char *path = channel_path(i, "cpu");
	g_autofree char *text = nb_tmp_read(f->options.root, path);

	return (unsigned)strtoul(text, NULL, 10);
}

/* What the kernel counts of so many ticks in receive softirqs, a packet each. */
static void show(struct fixture *f, const struct traffic *traffic)
{
	g_autoptr(GString) stat = g_string_new("cpu 0 0 0 0 0 0 0 0 0 0\n");
	g_autoptr(GString) softirqs = g_string_new(" ");
	g_autoptr(GString) softnet = g_string_new(NULL);

	for (unsigned cpu = 0; cpu < N_CPUS; cpu++) {
		unsigned busy = traffic->busy[cpu];

		g_string_append_printf(stat, "cpu%u 100 0 200 %u 0 0 %u 0 0 0\n", cpu,
				       9000 + traffic->ticks - busy, 50 + busy);
		g_string_append_printf(softirqs, " CPU%u", cpu);
		g_string_append_printf(softnet, "%08x 0 0 0 0 0 0 0 0 0 0 0 %x 0 0\n", 2000 + busy,
				       cpu);
	}
	g_string_append(stat, "intr 0\n");
	g_string_append(softirqs, "\n NET_TX: 0 0 0 0 0 0 0 0\n NET_RX:");
	for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
		g_string_append_printf(softirqs, " %u", 2000 + traffic->busy[cpu]);
	g_string_append_c(softirqs, '\n');
	nb_tmp_write(f->options.root, "proc/stat", stat->str);
	nb_tmp_write(f->options.root, "proc/softirqs", softirqs->str);
	nb_tmp_write(f->options.root, "proc/net/softnet_stat", softnet->str);
}

/* A second in which channels take so many ticks, out of a hundred, of the CPUs where they are. */
static void serve(struct fixture *f, struct traffic *traffic, const unsigned ticks[N_CHANNELS])
{
	traffic->ticks += 100;
	for (unsigned i = 0; i < N_CHANNELS; i++) {
		g_autofree char *path = channel_path(i, "interrupts");
		g_autofree char *count = NULL;

		traffic->counts[i] += ticks[i];
		traffic->busy[cpu_of(f, i)] += ticks[i];
		count = g_strdup_printf("%u\n", 500 + traffic->counts[i]);
		nb_tmp_write(f->options.root, path, count);
	}
	show(f, traffic);
	look(f);
}

static const struct nb_record *only_record(struct fixture *f)
{
	unsigned n;
	const struct nb_record *records = nb_history_records(f->daemon->history, &n);

	assert_int_equal(n, 1);
	return records;
}

static void a_channel_leaves_a_hot_cpu_and_is_seen_to_follow(void **state)
{
	static const unsigned ticks[N_CHANNELS] = {45, 40, 10, 10};
	struct traffic traffic = {0};
	struct fixture *f = *state;
	const struct nb_record *record;

	place(f, 1, 1);
	assert_int_equal(start_daemon(f), 0);
	for (unsigned sec = 0; sec < 20; sec++)
		serve(f, &traffic, ticks);
	record = only_record(f);
	assert_int_equal(record->event, NB_EVENT_MOVED);
	assert_int_equal(record->outcome, NB_OUTCOME_APPLIED);
	assert_int_equal(record->effect, NB_EFFECT_WORKED);
	assert_int_equal(record->cpu_from, 1);
	assert_int_equal(record->irqs[0], NB_IRQ_CHANNEL | (FIRST_CHANNEL + record->key.index));
	assert_int_equal(cpu_of(f, record->key.index), record->cpu_to);
	assert_true(cpu_of(f, 0) != cpu_of(f, 1));
}

/* As behind a virtual function. */
static void channels_without_work_stay(void **state)
{
	static const unsigned none[N_CHANNELS] = {0};
	struct traffic traffic = {0};
	struct fixture *f = *state;
	unsigned n;

	assert_int_equal(start_daemon(f), 0);
	for (unsigned sec = 0; sec < 20; sec++)
		serve(f, &traffic, none);
	nb_history_records(f->daemon->history, &n);
	assert_int_equal(n, 0);
	for (unsigned i = 0; i < N_CHANNELS; i++)
		assert_int_equal(cpu_of(f, i), 1 + 2 * i);
}

/* As an interrupt would, though its CPU is hot: others leave. */
static void a_channel_that_another_program_moves_stays_there(void **state)
{
	static const unsigned ticks[N_CHANNELS] = {45, 10, 40, 10};
	struct traffic traffic = {0};
	struct fixture *f = *state;
	const struct nb_record *records;
	unsigned n;

	assert_int_equal(start_daemon(f), 0);
	for (unsigned sec = 0; sec < 20; sec++)
		serve(f, &traffic, ticks);
	place(f, 0, 5);
	for (unsigned sec = 0; sec < 20; sec++)
		serve(f, &traffic, ticks);
	assert_int_equal(cpu_of(f, 0), 5);
	assert_true(cpu_of(f, 2) != 5);
	records = nb_history_records(f->daemon->history, &n);
	assert_int_equal(n, 2);
	assert_int_equal(records[0].event, NB_EVENT_YIELDED);
	assert_int_equal(records[0].key.index, 0);
	assert_int_equal(records[1].key.index, 2);
}

static void what_was_moved_is_put_back_with_its_queue(void **state)
{
	struct traffic traffic = {0};
	struct fixture *f = *state;
	const struct nb_record *records;
	unsigned n;

	for (unsigned i = 0; i < N_CHANNELS; i++)
		place(f, i, 0);
	assert_int_equal(start_daemon(f), 0);
	for (unsigned sec = 0; sec < 5; sec++)
		serve(f, &traffic, (const unsigned[N_CHANNELS]){0});
	nb_history_records(f->daemon->history, &n);
	assert_int_equal(n, N_CHANNELS - 1);
	assert_int_equal(nb_daemon_restore(f->daemon, &n), 0);
	assert_int_equal(n, N_CHANNELS - 1);
	records = nb_history_records(f->daemon->history, &n);
	assert_int_equal(n, 2 * (N_CHANNELS - 1));
	for (unsigned i = N_CHANNELS - 1; i < n; i++) {
		assert_int_equal(records[i].event, NB_EVENT_RESTORED);
		assert_int_equal(records[i].kind, NB_KIND_QUEUE);
		assert_string_equal(records[i].netdev, "eth0");
		assert_int_equal(records[i].irqs[0],
				 NB_IRQ_CHANNEL | (FIRST_CHANNEL + records[i].key.index));
		assert_int_equal(records[i].cpu_to, 0);
	}
	for (unsigned i = 0; i < N_CHANNELS; i++)
		assert_int_equal(cpu_of(f, i), 0);
}

int main(void)
{
#define claim(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		claim(a_channel_leaves_a_hot_cpu_and_is_seen_to_follow),
		claim(channels_without_work_stay),
		claim(a_channel_that_another_program_moves_stays_there),
		claim(what_was_moved_is_put_back_with_its_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
