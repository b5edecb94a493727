/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/sim/made.h"

#define HOST                                                                      \
	"[Host]\nLengthSec=1min\nCPUs=4\nGrade=estimated\n[Nic eth0]\nQueues=1\n" \
	"[Traffic eth0]\nPacketsPerSec=100k\n[Event]\nAtSec=2\nDo=reset\nNic=eth0\n"

static int landed(struct made *made)
{
	return nb_world_snapshot(made->world)->queues[0].landed_cpu;
}

static void the_first_audit_of_a_machine_knows_no_landings(void **state)
{
	struct made made = make_world(HOST);

	(void)state;
	nb_world_step(made.world, SEC);
	assert_int_equal(landed(&made), NB_LANDED_UNKNOWN);
	nb_world_step(made.world, SEC);
	assert_int_equal(landed(&made), 0);
	nb_world_step(made.world, SEC);
	assert_int_equal(landed(&made), NB_LANDED_UNKNOWN);
	nb_world_step(made.world, SEC);
	assert_int_equal(landed(&made), 0);
	unmake(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_audit_of_a_machine_knows_no_landings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
