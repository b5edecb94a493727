/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/region.h"
#include "support/support.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void has_room_for_what_was_asked(void **state)
{
	struct nb_region region = {0};

	(void)state;
	assert_int_equal(nb_region_reserve(&region, 10000), 0);
	assert_true(region.size >= 10000);
	memset(region.memory, 0xa5, region.size);
	nb_region_release(&region);
	assert_null(region.memory);
}

static void keeps_memory_that_is_enough(void **state)
{
	struct nb_region region = {0};
	void *memory;

	(void)state;
	assert_int_equal(nb_region_reserve(&region, 10000), 0);
	memory = region.memory;
	assert_int_equal(nb_region_reserve(&region, 100), 0);
	assert_ptr_equal(region.memory, memory);
	nb_region_release(&region);
}

static void grows(void **state)
{
	struct nb_region region = {0};

	(void)state;
	assert_int_equal(nb_region_reserve(&region, 1), 0);
	assert_int_equal(nb_region_reserve(&region, 1000000), 0);
	assert_true(region.size >= 1000000);
	memset(region.memory, 0xa5, region.size);
	nb_region_release(&region);
}

/* read(2) copies into the region as an ioctl would; the last byte has nowhere to go. */
static void the_kernel_cannot_write_behind_it(void **state)
{
	struct nb_region region = {0};
	int pipe_fds[2];

	(void)state;
	assert_int_equal(nb_region_reserve(&region, 1), 0);
	assert_int_equal(pipe(pipe_fds), 0);
	assert_int_equal(write(pipe_fds[1], "x", 1), 1);
	errno = 0;
	assert_int_equal(read(pipe_fds[0], (char *)region.memory + region.size, 1), -1);
	assert_int_equal(errno, EFAULT);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	nb_region_release(&region);
}

static void more_than_the_address_space_is_an_error(void **state)
{
	struct nb_region region = {0};

	(void)state;
	assert_int_equal(nb_region_reserve(&region, SIZE_MAX / 2), -ENOMEM);
	assert_null(region.memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_room_for_what_was_asked),
		cmocka_unit_test(keeps_memory_that_is_enough),
		cmocka_unit_test(grows),
		cmocka_unit_test(the_kernel_cannot_write_behind_it),
		cmocka_unit_test(more_than_the_address_space_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
