/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Bans and claims on the machine of fixture.h, whose queues are spread. */

#include "base/refusal.h"
#include "daemon/fixture.h"

static inline int set_up_spread(void **state)
{
	struct fixture *f;
	int r = set_up_machine(state, "");

	if (r < 0)
		return r;
	f = *state;
	pile_up(f);
	r = start_daemon(f);
	for (unsigned i = 0; r == 0 && i < 5 && n_on(f, 0) == N_IRQS; i++)
		look(f);
	return r;
}

/* What remains, or NULL and an error that holds expected. Caller frees (g_free). */
static inline char *order(struct fixture *f, const struct nb_order_request *wanted,
			  const char *expected_error)
{
	g_auto(nb_refusal) refusal = {};
	char *remains = NULL;
	uint64_t id = 0;
	int r;

	f->now_nsec += NB_NSEC_PER_SEC;
	r = nb_daemon_order(f->daemon, wanted, f->now_nsec, &id, &remains, &refusal);
	if (!expected_error && r < 0)
		fail_msg("%s", refusal.text);
	if (!expected_error) {
		assert_true(id > 0);
		assert_non_null(remains);
		return remains;
	}
	assert_true(r < 0);
	if (!strstr(refusal.text, expected_error))
		fail_msg("\"%s\" does not hold \"%s\"", refusal.text, expected_error);
	return NULL;
}

/* Obeyed at once. */
static inline void obeyed(struct fixture *f, const struct nb_order_request *wanted)
{
	g_autofree char *remains = order(f, wanted, NULL);

	assert_string_equal(remains, "");
}

static inline struct nb_order_request ban_of(const char *cpus)
{
	return (struct nb_order_request){.cpus = cpus, .owner = "operator"};
}

static inline struct nb_order_request claim_of(const char *target, const char *cpus)
{
	return (struct nb_order_request){.target = target, .cpus = cpus, .owner = "operator"};
}

static inline unsigned n_orders(const struct fixture *f)
{
	return f->daemon->orders->rows->len;
}
