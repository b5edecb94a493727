/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/tcp.h"

#include "unit/sample/machine.h"

#include <errno.h>

static void what_came_out_of_order_is_read(void **state)
{
	char *dir = nb_tmp_make();
	struct nb_sysroot *root = nb_machine_open(dir);
	uint64_t count = 0;

	(void)state;
	assert_int_equal(nb_read_out_of_order(root, &count), -ENOENT);
	nb_tmp_write(dir, "proc/net/netstat", "TcpExt: PruneCalled TCPOFOQueue\nTcpExt: 1 42\n");
	assert_int_equal(nb_read_out_of_order(root, &count), 0);
	assert_int_equal(count, 42);
	nb_sysroot_free(root);
	nb_tmp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_came_out_of_order_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
