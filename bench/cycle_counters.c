/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cycle.h"

#include <ctype.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* In a second every interrupt comes so often, on its CPU, and every CPU sees so many softirqs and
 * packets. */
#define INTERRUPTS 100u
#define SOFTIRQS 1000u
#define PACKETS 10000u

/* user, nice, system, idle, iowait, irq, softirq in ticks of 10 ms: a second of a CPU that has
 * little to do. Columns are those of /proc/stat. */
#define N_TIMES 10u
static const uint64_t second[N_TIMES] = {15, 0, 5, 77, 0, 0, 3, 0, 0, 0};

/* A file of columns so wide that numbers grow in place. */
struct table {
	char *text;
	size_t len;
};

/* A number in such a file. */
struct cell {
	char *end; /* behind its last digit */
	bool hex;  /* eight digits, else ten places */
	uint32_t value;
	uint32_t step;
};

struct times {
	unsigned cpu;
	uint64_t ticks[N_TIMES];
};

struct nb_bench_counters {
	struct table interrupts, softirqs, softnet;
	GArray *cells; /* struct cell */
	int stat_fd;
	GArray *times; /* struct times */
	char *rest;    /* of /proc/stat, behind the CPUs */
	GString *stat;
};

static bool map(const char *root, const char *name, struct table *ret)
{
	g_autofree char *path = g_build_filename(root, name, NULL);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;
	void *text = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0)
		text = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (text == MAP_FAILED)
		perror(path);
	if (fd >= 0)
		close(fd);
	if (text == MAP_FAILED)
		return false;
	*ret = (struct table){text, (size_t)st.st_size};
	return true;
}

static unsigned width_of(bool hex)
{
	return hex ? 8 : 10;
}

static void add_cell(struct nb_bench_counters *counters, char *end, bool hex, uint32_t step)
{
	struct cell cell = {
		.end = end,
		.hex = hex,
		.value = (uint32_t)strtoul(end - width_of(hex), NULL, hex ? 16 : 10),
		.step = step,
	};

	g_array_append_val(counters->cells, cell);
}

/* Where the number that begins at p or behind blanks ends; NULL when there is none. */
static char *end_of_number(char *p)
{
	p += strspn(p, " ");
	if (!isdigit((unsigned char)*p))
		return NULL;
	while (isdigit((unsigned char)*p))
		p++;
	return p;
}

/* Calls add for each line of a table. */
static void for_lines(struct nb_bench_counters *counters, const struct table *table,
		      void (*add)(struct nb_bench_counters *, char *line))
{
	const char *end = table->text + table->len;

	for (char *line = table->text; line < end;
	     line = (char *)memchr(line, '\n', (size_t)(end - line)) + 1)
		add(counters, line);
}

/* An interrupt comes where it came before: the one number that is not 0. */
static void add_interrupt(struct nb_bench_counters *counters, char *line)
{
	char *p = end_of_number(line);

	if (!p || *p != ':')
		return;
	for (p = end_of_number(p + 1); p; p = end_of_number(p)) {
		if (p[-1] == '0' && p[-2] == ' ')
			continue;
		add_cell(counters, p, false, INTERRUPTS);
		return;
	}
}

static void add_softirq(struct nb_bench_counters *counters, char *line)
{
	char *p = line + strspn(line, " ");

	if (strncmp(p, "NET_", 4) != 0)
		return;
	for (p = end_of_number(strchr(p, ':') + 1); p; p = end_of_number(p))
		add_cell(counters, p, false, SOFTIRQS);
}

static void add_softnet(struct nb_bench_counters *counters, char *line)
{
	add_cell(counters, line + strspn(line, "0123456789abcdef"), true, PACKETS);
}

static bool parse_stat(struct nb_bench_counters *counters, const char *root)
{
	g_autofree char *path = g_build_filename(root, "proc/stat", NULL);
	g_autofree char *text = NULL;
	char *line;

	counters->stat_fd = open(path, O_WRONLY | O_CLOEXEC);
	if (counters->stat_fd < 0 || !g_file_get_contents(path, &text, NULL, NULL))
		return false;
	for (line = strchr(text, '\n') + 1; g_str_has_prefix(line, "cpu");
	     line = strchr(line, '\n') + 1) {
		struct times times = {.cpu = (unsigned)strtoul(line + 3, &line, 10)};

		for (unsigned i = 0; i < N_TIMES; i++)
			times.ticks[i] = strtoull(line, &line, 10);
		g_array_append_val(counters->times, times);
	}
	counters->rest = g_strdup(line);
	return true;
}

struct nb_bench_counters *nb_bench_counters_open(const char *root)
{
	struct nb_bench_counters *counters = g_new0(struct nb_bench_counters, 1);

	counters->cells = g_array_new(FALSE, FALSE, sizeof(struct cell));
	counters->times = g_array_new(FALSE, FALSE, sizeof(struct times));
	counters->stat = g_string_new(NULL);
	if (!parse_stat(counters, root) || !map(root, "proc/interrupts", &counters->interrupts) ||
	    !map(root, "proc/softirqs", &counters->softirqs) ||
	    !map(root, "proc/net/softnet_stat", &counters->softnet)) {
		fprintf(stderr, "bench-cycle: the counters below %s cannot be written\n", root);
		nb_bench_counters_close(counters);
		return NULL;
	}
	for_lines(counters, &counters->interrupts, add_interrupt);
	for_lines(counters, &counters->softirqs, add_softirq);
	for_lines(counters, &counters->softnet, add_softnet);
	return counters;
}

static void unmap(struct table *table)
{
	if (table->text)
		munmap(table->text, table->len);
}

void nb_bench_counters_close(struct nb_bench_counters *counters)
{
	if (!counters)
		return;
	unmap(&counters->interrupts);
	unmap(&counters->softirqs);
	unmap(&counters->softnet);
	g_array_unref(counters->cells);
	g_array_unref(counters->times);
	g_string_free(counters->stat, TRUE);
	g_free(counters->rest);
	if (counters->stat_fd >= 0)
		close(counters->stat_fd);
	g_free(counters);
}

static void grow_cell(struct cell *cell)
{
	char digits[16];

	cell->value += cell->step;
	snprintf(digits, sizeof(digits), cell->hex ? "%08x" : "%10u", cell->value);
	memcpy(cell->end - width_of(cell->hex), digits, width_of(cell->hex));
}

static void append_times(GString *text, const uint64_t *ticks)
{
	for (unsigned i = 0; i < N_TIMES; i++)
		g_string_append_printf(text, " %" G_GUINT64_FORMAT, ticks[i]);
	g_string_append_c(text, '\n');
}

/* Its columns are as wide as their numbers, so it is written again. It never gets shorter. */
static void grow_times(struct nb_bench_counters *counters)
{
	uint64_t sums[N_TIMES] = {0};

	for (unsigned i = 0; i < counters->times->len; i++) {
		struct times *times = &g_array_index(counters->times, struct times, i);

		for (unsigned j = 0; j < N_TIMES; j++)
			sums[j] += times->ticks[j] += second[j];
	}
	g_string_assign(counters->stat, "cpu ");
	append_times(counters->stat, sums);
	for (unsigned i = 0; i < counters->times->len; i++) {
		const struct times *times = &g_array_index(counters->times, struct times, i);

		g_string_append_printf(counters->stat, "cpu%u", times->cpu);
		append_times(counters->stat, times->ticks);
	}
	g_string_append(counters->stat, counters->rest);
	if (pwrite(counters->stat_fd, counters->stat->str, counters->stat->len, 0) < 0)
		perror("/proc/stat");
}

void nb_bench_counters_turn(struct nb_bench_counters *counters)
{
	for (unsigned i = 0; i < counters->cells->len; i++)
		grow_cell(&g_array_index(counters->cells, struct cell, i));
	grow_times(counters);
}
