/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sysroot/resident.h"

#include "support/support.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define RETURN_INSTRUCTION 0xc3

/* A file of three pages, mapped as code is. */
static uint8_t *map_code(const char *dir, size_t size)
{
	g_autofree char *path = g_build_filename(dir, "code", NULL);
	g_autofree char *code = g_strnfill(size, (char)RETURN_INSTRUCTION);
	uint8_t *mapped;
	int fd;

	assert_true(g_file_set_contents(path, code, (gssize)size, NULL));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	mapped = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(mapped != MAP_FAILED);
	close(fd);
	return mapped;
}

/* admin-guide/mm/pagemap.rst: bit 63 of a page's entry. */
static bool is_present(const uint8_t *page)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry;

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &entry, sizeof(entry),
			       (off_t)((uintptr_t)page / (uintptr_t)getpagesize() * 8)),
			 sizeof(entry));
	close(fd);
	return entry >> 63;
}

static void code_goes_and_comes_back_as_it_was(void **state)
{
	size_t size = 3 * (size_t)getpagesize();
	char *dir = nb_tmp_make();
	uint8_t *code = map_code(dir, size);

	(void)state;
	assert_int_equal(*(volatile uint8_t *)code, RETURN_INSTRUCTION);
	assert_true(is_present(code));
	nb_resident_trim();
	assert_false(is_present(code));
	assert_int_equal(*(volatile uint8_t *)code, RETURN_INSTRUCTION);
	munmap(code, size);
	nb_tmp_remove(dir);
}

static void a_breakpoint_in_the_code_stays(void **state)
{
	size_t size = 3 * (size_t)getpagesize();
	char *dir = nb_tmp_make();
	uint8_t *code = map_code(dir, size);

	(void)state;
	assert_int_equal(mprotect(code, size, PROT_READ | PROT_WRITE), 0);
	code[getpagesize()] = 0xcc;
	assert_int_equal(mprotect(code, size, PROT_READ | PROT_EXEC), 0);
	nb_resident_trim();
	assert_int_equal(code[getpagesize()], 0xcc);
	munmap(code, size);
	nb_tmp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_goes_and_comes_back_as_it_was),
		cmocka_unit_test(a_breakpoint_in_the_code_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
