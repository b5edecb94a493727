/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs are told to count; what they do with it is in tests/kernel. */
#include "bpf/probe_internal.h"
#include "support/fake_probe.h"
#include "support/support.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define IFINDEX 7

static int setup(void **state)
{
	*state = nb_fake_probe_new(2);
	return 0;
}

static int teardown(void **state)
{
	nb_fake_probe_free(*state);
	return 0;
}

static void the_programs_are_told_the_device_and_its_table(void **state)
{
	const uint32_t queues[] = {3, 0, UINT16_MAX - 1};
	struct nb_probe *probe = *state;

	assert_int_equal(nb_probe_count_buckets(probe, IFINDEX, queues, 3, NULL), 0);
	assert_int_equal(probe->control->buckets_ifindex, IFINDEX);
	assert_int_equal(probe->control->n_buckets, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(probe->control->bucket_queues[i], queues[i]);
}

static void another_table_replaces_the_former_one(void **state)
{
	const uint32_t first[] = {3, 0, 1}, second[] = {5, 6};
	struct nb_probe *probe = *state;

	assert_int_equal(nb_probe_count_buckets(probe, IFINDEX, first, 3, NULL), 0);
	assert_int_equal(nb_probe_count_buckets(probe, IFINDEX + 1, second, 2, NULL), 0);
	assert_int_equal(probe->control->buckets_ifindex, IFINDEX + 1);
	assert_int_equal(probe->control->n_buckets, 2);
	assert_int_equal(probe->control->bucket_queues[0], 5);
	assert_int_equal(probe->control->bucket_queues[1], 6);
}

static void the_programs_are_told_how_the_device_hashes(void **state)
{
	const uint8_t key[NB_TOEPLITZ_KEY] = {0x12, 0x34, 0x56, 0x78, 0x9a};
	const struct nb_probe_hashing hashing = {key, NB_PROBE_TCP4 | NB_PROBE_UDP6};
	const struct nb_probe_reckoning *told;
	const uint32_t queue = 1;
	struct nb_probe *probe = *state;

	told = &probe->control->reckoning;
	assert_int_equal(nb_probe_count_buckets(probe, IFINDEX, &queue, 1, &hashing), 0);
	assert_true(told->on);
	assert_int_equal(told->ports, NB_PROBE_TCP4 | NB_PROBE_UDP6);
	assert_int_equal(told->toeplitz.parts[0][8], 0x12345678);
	assert_int_equal(told->toeplitz.parts[1][8], 0x23456789);
	assert_int_equal(nb_probe_count_buckets(probe, IFINDEX, &queue, 1, NULL), 0);
	assert_false(told->on);
}

static void the_largest_table_has_its_place_and_a_larger_one_has_none(void **state)
{
	static uint32_t queues[NB_PROBE_BUCKETS_MAX + 1];
	struct nb_probe *probe = *state;

	queues[NB_PROBE_BUCKETS_MAX - 1] = 9;
	assert_int_equal(nb_probe_count_buckets(probe, IFINDEX, queues, NB_PROBE_BUCKETS_MAX, NULL),
			 0);
	assert_int_equal(probe->control->bucket_queues[NB_PROBE_BUCKETS_MAX - 1], 9);
	assert_int_equal(
		nb_probe_count_buckets(probe, IFINDEX, queues, NB_PROBE_BUCKETS_MAX + 1, NULL),
		-E2BIG);
}

static void what_cannot_be_counted_ends_what_was_counted(void **state)
{
	const uint32_t good = 1, too_large = UINT16_MAX;
	struct nb_probe *probe = *state;

	assert_int_equal(nb_probe_count_buckets(probe, IFINDEX, &good, 1, NULL), 0);
	assert_int_equal(nb_probe_count_buckets(probe, IFINDEX, &too_large, 1, NULL), -E2BIG);
	assert_int_equal(probe->control->buckets_ifindex, 0);
	assert_int_equal(nb_probe_count_buckets(probe, IFINDEX, &good, 0, NULL), -EINVAL);
	assert_int_equal(nb_probe_count_buckets(probe, 0, &good, 1, NULL), -EINVAL);
	assert_int_equal(nb_probe_count_buckets(probe, -1, &good, 1, NULL), -EINVAL);
	assert_int_equal(probe->control->buckets_ifindex, 0);
}

static void no_device_is_counted_once_it_is_stopped(void **state)
{
	const uint32_t queue = 1;
	struct nb_probe *probe = *state;

	nb_probe_stop_buckets(probe);
	assert_int_equal(probe->control->buckets_ifindex, 0);
	assert_int_equal(nb_probe_count_buckets(probe, IFINDEX, &queue, 1, NULL), 0);
	nb_probe_stop_buckets(probe);
	assert_int_equal(probe->control->buckets_ifindex, 0);
}

static void counters_are_those_of_the_probe(void **state)
{
	struct nb_probe *probe = *state;

	nb_fake_probe_receive(probe, 3, 5, 2);
	assert_int_equal(nb_probe_buckets(probe)[3].packets, 5);
	assert_int_equal(nb_probe_buckets(probe)[3].strayed, 2);
}

/* Files stand for arrays and programs: arrays can be mapped, and programs not be attached. */
static void without_its_programs_nothing_is_counted(void **state)
{
	struct nb_loaded loaded = {.typed = true, .n_cpus = 1};
	const uint32_t queue = 1;
	g_autoptr(nb_probe) probe = NULL;

	(void)state;
	for (unsigned i = 0; i < _NB_FD_MAX; i++) {
		loaded.fds[i] = memfd_create("array", MFD_CLOEXEC);
		assert_true(loaded.fds[i] >= 0);
		assert_int_equal(
			ftruncate(loaded.fds[i], NB_PROBE_NAPIS_MAX * sizeof(struct nb_probe_napi)),
			0);
	}
	assert_int_equal(nb_probe_adopt(&loaded, &probe, NULL), 0);
	assert_null(nb_probe_buckets(probe));
	assert_true(nb_probe_count_buckets(probe, IFINDEX, &queue, 1, NULL) < 0);
	assert_int_equal(probe->control->buckets_ifindex, 0);
	for (unsigned i = 0; i < G_N_ELEMENTS(probe->bucket_links); i++)
		assert_int_equal(probe->bucket_links[i], -1);
}

int main(void)
{
#define WITH_PROBE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH_PROBE(the_programs_are_told_the_device_and_its_table),
		WITH_PROBE(another_table_replaces_the_former_one),
		WITH_PROBE(the_programs_are_told_how_the_device_hashes),
		WITH_PROBE(the_largest_table_has_its_place_and_a_larger_one_has_none),
		WITH_PROBE(what_cannot_be_counted_ends_what_was_counted),
		WITH_PROBE(no_device_is_counted_once_it_is_stopped),
		WITH_PROBE(counters_are_those_of_the_probe),
		cmocka_unit_test(without_its_programs_nothing_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
