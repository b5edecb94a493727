/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse/parse.h"

#include "support/support.h"

#include <errno.h>
#include <string.h>

static int parse(const char *text, uint64_t *ret)
{
	return nb_parse_netstat(text, strlen(text), "TcpExt", "TCPOFOQueue", ret);
}

static void a_counter_is_found_by_its_group_and_name(void **state)
{
	uint64_t count = 0;

	(void)state;
	assert_int_equal(parse("IpExt: TCPOFOQueue\nIpExt: 3\n"
			       "TcpExt: SyncookiesSent TCPOFOQueue TCPOFODrop\nTcpExt: 1 17 9\n",
			       &count),
			 0);
	assert_int_equal(count, 17);
}

static void a_name_that_only_begins_like_it_is_another(void **state)
{
	uint64_t count = 0;

	(void)state;
	assert_int_equal(parse("TcpExt: TCPOFO TCPOFOQueue2\nTcpExt: 1 2\n", &count), -ENOENT);
	assert_int_equal(parse("TcpExtra: TCPOFOQueue\nTcpExtra: 1\n", &count), -ENOENT);
	assert_int_equal(parse("", &count), -ENOENT);
}

static void what_is_cut_is_refused(void **state)
{
	static const char *const texts[] = {
		"TcpExt: A TCPOFOQueue\nTcpExt: 1\n",    "TcpExt: A TCPOFOQueue\nTcpExt: 1 x\n",
		"TcpExt: A TCPOFOQueue\nIpExt: 1 2\n",   "TcpExt: A TCPOFOQueue\n",
		"TcpExt: A TCPOFOQueue\nTcpExt: 1 2",    "TcpExt: A TCPOFOQueue",
		"TcpExt: A TCPOFOQueue\nTcpExt: 1 -2\n",
	};
	uint64_t count;

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
		assert_int_equal(parse(texts[i], &count), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counter_is_found_by_its_group_and_name),
		cmocka_unit_test(a_name_that_only_begins_like_it_is_another),
		cmocka_unit_test(what_is_cut_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
