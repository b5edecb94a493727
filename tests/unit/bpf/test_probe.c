/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking over what was loaded: files stand for the kernel's arrays, which are mapped as they are.
 */
#include "bpf/probe_internal.h"
#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CPUS 2
#define ARRAY_BYTES (NB_PROBE_NAPIS_MAX * sizeof(struct nb_probe_napi))

static struct nb_loaded begin(void)
{
	struct nb_loaded loaded = {.typed = true, .n_cpus = CPUS};

	for (unsigned i = 0; i < _NB_FD_MAX; i++) {
		loaded.fds[i] = memfd_create("array", MFD_CLOEXEC);
		assert_true(loaded.fds[i] >= 0);
		assert_int_equal(ftruncate(loaded.fds[i], ARRAY_BYTES), 0);
	}
	return loaded;
}

static void write_array(const struct nb_loaded *loaded, enum nb_array array, const void *data,
			size_t size, size_t at)
{
	assert_int_equal(pwrite(loaded->fds[array], data, size, (off_t)at), size);
}

static void counters_are_seen_as_they_grow(void **state)
{
	struct nb_loaded loaded = begin();
	struct nb_probe_cpu cpu = {.softirqs = 5};
	struct nb_probe_totals totals = {.napis = 3};
	struct nb_probe_view view;
	g_autoptr(nb_probe) probe = NULL;

	(void)state;
	assert_int_equal(nb_probe_adopt(&loaded, &probe, NULL), 0);
	nb_probe_view(probe, &view);
	assert_int_equal(view.n_cpus, CPUS);
	assert_int_equal(view.n_napis, 0);
	write_array(&loaded, NB_ARRAY_CPUS, &cpu, sizeof(cpu), sizeof(cpu));
	write_array(&loaded, NB_ARRAY_TOTALS, &totals, sizeof(totals), 0);
	nb_probe_view(probe, &view);
	assert_int_equal(view.cpus[1].softirqs, 5);
	assert_int_equal(view.n_napis, 3);
}

static void more_napis_than_there_is_room_for_are_left_out(void **state)
{
	struct nb_loaded loaded = begin();
	struct nb_probe_totals totals = {.napis = NB_PROBE_NAPIS_MAX + 1};
	struct nb_probe_view view;
	g_autoptr(nb_probe) probe = NULL;

	(void)state;
	write_array(&loaded, NB_ARRAY_TOTALS, &totals, sizeof(totals), 0);
	assert_int_equal(nb_probe_adopt(&loaded, &probe, NULL), 0);
	nb_probe_view(probe, &view);
	assert_int_equal(view.n_napis, NB_PROBE_NAPIS_MAX);
}

static void the_flavour_is_the_loaders(void **state)
{
	struct nb_loaded loaded = begin();
	g_autoptr(nb_probe) probe = NULL;

	(void)state;
	loaded.typed = false;
	assert_int_equal(nb_probe_adopt(&loaded, &probe, NULL), 0);
	assert_string_equal(nb_probe_flavour(probe), "raw_tp");
}

static void without_cpustat_there_is_a_probe(void **state)
{
	struct nb_loaded loaded = begin();
	struct nb_probe_cpustat stats[CPUS];
	g_autoptr(nb_probe) probe = NULL;

	(void)state;
	close(loaded.fds[NB_ARRAY_CPUSTAT]);
	close(loaded.fds[NB_FD_READ_CPUSTAT]);
	loaded.fds[NB_ARRAY_CPUSTAT] = loaded.fds[NB_FD_READ_CPUSTAT] = -1;
	assert_int_equal(nb_probe_adopt(&loaded, &probe, NULL), 0);
	assert_int_equal(nb_probe_read_cpustat(probe, stats, CPUS), -EOPNOTSUPP);
}

static void descriptors_are_closed_with_the_probe(void **state)
{
	struct nb_loaded loaded = begin();
	nb_probe *probe = NULL;

	(void)state;
	assert_int_equal(nb_probe_adopt(&loaded, &probe, NULL), 0);
	nb_probe_free(probe);
	for (unsigned i = 0; i < _NB_FD_MAX; i++)
		assert_int_equal(fcntl(loaded.fds[i], F_GETFD), -1);
}

static void what_cannot_be_mapped_is_closed_and_told(void **state)
{
	struct nb_loaded loaded = begin();
	g_autofree char *reason = NULL;
	nb_probe *probe = NULL;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(dup2(fds[0], loaded.fds[NB_ARRAY_IRQS]), loaded.fds[NB_ARRAY_IRQS]);
	assert_int_equal(nb_probe_adopt(&loaded, &probe, &reason), -ENODEV);
	assert_null(probe);
	assert_non_null(strstr(reason, "cannot be mapped"));
	for (unsigned i = 0; i < _NB_FD_MAX; i++)
		assert_int_equal(fcntl(loaded.fds[i], F_GETFD), -1);
	close(fds[0]);
	close(fds[1]);
}

static void a_refusal_is_handed_on(void **state)
{
	const struct nb_loaded loaded = {.result = -EPERM, .reason = "not today"};
	g_autofree char *reason = NULL;
	nb_probe *probe = NULL;

	(void)state;
	assert_int_equal(nb_probe_adopt(&loaded, &probe, &reason), -EPERM);
	assert_null(probe);
	assert_string_equal(reason, "not today");
	assert_int_equal(nb_probe_adopt(&loaded, &probe, NULL), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_seen_as_they_grow),
		cmocka_unit_test(more_napis_than_there_is_room_for_are_left_out),
		cmocka_unit_test(the_flavour_is_the_loaders),
		cmocka_unit_test(without_cpustat_there_is_a_probe),
		cmocka_unit_test(descriptors_are_closed_with_the_probe),
		cmocka_unit_test(what_cannot_be_mapped_is_closed_and_told),
		cmocka_unit_test(a_refusal_is_handed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
