/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bans and claims: taken in or refused as a whole, kept, and obeyed at once. */
#include "daemon/daemon.h"

#include "base/cpumask_text.h"
#include "base/refusal.h"
#include "claims/check.h"
#include "claims/store.h"
#include "claims/target.h"
#include "nicbalance/units.h"
#include "publish/journal.h"
#include "publish/message_ids.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* A client that orders without end is a fault, and each order costs time in every cycle. */
#define ORDERS_MAX 1024u

static int refuse_argument(const char *name, struct nb_refusal *ret, const char *format, ...)
	G_GNUC_PRINTF(3, 4);

static int refuse_argument(const char *name, struct nb_refusal *ret, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	nb_refuse(-EINVAL, NB_REFUSAL_ARGUMENT, ret, "%s", text);
	ret->argument = name;
	return -EINVAL;
}

static void end_order(struct nb_daemon *daemon, unsigned i, const char *why)
{
	g_autofree char *text = nb_order_describe(nb_orders_get(daemon->orders, i));

	nb_journal_say(LOG_INFO, NULL, "End of the %s: %s", text, why);
	nb_orders_remove(daemon->orders, i);
	daemon->settled = false;
}

static bool is_over(const struct nb_order *order, uint64_t now_nsec)
{
	return order->ends_nsec && now_nsec >= order->ends_nsec;
}

/* One that is over and still in the file would be dropped when that is read. */
void nb_daemon_expire_orders(struct nb_daemon *daemon, uint64_t now_nsec)
{
	unsigned n = daemon->orders->rows->len;

	for (unsigned i = n; i > 0; i--)
		if (is_over(nb_orders_get(daemon->orders, i - 1), now_nsec))
			end_order(daemon, i - 1, "its lease is over");
	if (daemon->orders->rows->len == n)
		return;
	(void)nb_orders_save(daemon->root, daemon->orders);
	nb_report_orders(daemon);
}

/* They are in no file. */
void nb_daemon_end_orders(struct nb_daemon *daemon, const char *connection)
{
	unsigned n = daemon->orders->rows->len;

	for (unsigned i = n; i > 0; i--)
		if (g_str_equal(nb_orders_get(daemon->orders, i - 1)->connection, connection))
			end_order(daemon, i - 1, "its connection is closed");
	if (daemon->orders->rows->len < n)
		nb_report_orders(daemon);
}

int nb_daemon_load_orders(struct nb_daemon *daemon)
{
	g_autofree char *damaged = NULL;
	int r;

	r = nb_orders_load(daemon->root, &daemon->orders, &damaged);
	if (r == -EBADMSG)
		nb_journal_say(LOG_WARNING, NB_MESSAGE_CLAIMS_DAMAGED,
			       "Bans and claims of an earlier run are damaged in line %s of "
			       "/run/nicbalance/claims. Those in other lines count; order the rest "
			       "again.",
			       damaged);
	else if (r < 0)
		return r;
	daemon->config->policy.claims = &daemon->claims;
	return 0;
}

void nb_daemon_resolve_orders(struct nb_daemon *daemon)
{
	if (nb_orders_resolve(daemon->orders, daemon->loop.snapshot->machine, &daemon->claims))
		nb_report_orders(daemon);
}

static int parse_cpus(const char *text, struct nb_cpumask *ret, struct nb_refusal *ret_refusal)
{
	int r = nb_cpumask_parse_list(text, strlen(text), ret);

	if (r == -ERANGE)
		return refuse_argument("cpus", ret_refusal, "There are no such CPUs: %s.", text);
	if (r < 0 || nb_cpumask_empty(ret))
		return refuse_argument("cpus", ret_refusal,
				       "\"%s\" is no list of CPUs; write numbers and ranges, as in "
				       "0-3,8.",
				       text);
	return 0;
}

static int parse_owner(const char *text, char *ret, struct nb_refusal *ret_refusal)
{
	if (!nb_owner_is_valid(text))
		return refuse_argument("owner", ret_refusal,
				       "An owner is a word of at most %d letters, digits and "
				       "signs.",
				       NB_OWNER_MAX - 1);
	g_strlcpy(ret, text, NB_OWNER_MAX);
	return 0;
}

static int refuse_target(const char *name, const char *text, struct nb_refusal *ret_refusal)
{
	return refuse_argument(name, ret_refusal,
			       "\"%s\" is neither an interface (eth0), a queue of one (eth0:3), "
			       "nor the number of an interrupt.",
			       text);
}

static void begin_lease(uint64_t lease_usec, uint64_t now_nsec, struct nb_order *order)
{
	uint64_t most_usec = (UINT64_MAX - now_nsec) / NB_NSEC_PER_USEC;

	order->since_realtime_usec = (uint64_t)g_get_real_time();
	/* One that is longer than the clock is none. */
	if (lease_usec == 0 || lease_usec > most_usec / 2)
		return;
	order->ends_nsec = now_nsec + lease_usec * NB_NSEC_PER_USEC;
	order->ends_realtime_usec = order->since_realtime_usec + lease_usec;
}

static int parse_order(const struct nb_order_request *wanted, uint64_t now_nsec,
		       struct nb_order *ret, struct nb_refusal *ret_refusal)
{
	int r;

	*ret = (struct nb_order){.exclusive = wanted->exclusive};
	r = parse_cpus(wanted->cpus, &ret->cpus, ret_refusal);
	if (r < 0)
		return r;
	r = parse_owner(wanted->owner, ret->owner, ret_refusal);
	if (r < 0)
		return r;
	if (wanted->target && nb_target_parse(wanted->target, &ret->target) < 0)
		return refuse_target("target", wanted->target, ret_refusal);
	if (wanted->connection && g_strlcpy(ret->connection, wanted->connection,
					    sizeof(ret->connection)) >= sizeof(ret->connection))
		return refuse_argument("while_connected", ret_refusal,
				       "The name of your connection is too long.");
	begin_lease(wanted->lease_usec, now_nsec, ret);
	return 0;
}

static int check(const struct nb_daemon *daemon, const struct nb_order *order,
		 struct nb_refusal *ret_refusal)
{
	if (!daemon->loop.snapshot)
		return nb_refuse(-EAGAIN, NB_REFUSAL_NOT_NOW, ret_refusal,
				 "This host has not been sampled yet; try again in a second.");
	if (daemon->orders->rows->len >= ORDERS_MAX && !nb_orders_find_same(daemon->orders, order))
		return nb_refuse(-EBUSY, NB_REFUSAL_NOT_NOW, ret_refusal,
				 "There are %u bans and claims already; release some first.",
				 ORDERS_MAX);
	return nb_orders_check(daemon->orders, order, &daemon->loop.snapshot->machine->topology,
			       &daemon->config->policy.banned, ret_refusal);
}

/* Only what a restart would find again counts. Takes over changed on success. */
static int commit(struct nb_daemon *daemon, struct nb_orders **changed,
		  struct nb_refusal *ret_refusal)
{
	int r = nb_orders_save(daemon->root, *changed);

	if (r < 0)
		return nb_refuse(r, NB_REFUSAL_NOT_NOW, ret_refusal,
				 "Failed to keep this in /run/nicbalance/claims: %s.",
				 strerror(-r));
	nb_orders_free(daemon->orders);
	daemon->orders = g_steal_pointer(changed);
	return 0;
}

static void obey(struct nb_daemon *daemon, uint64_t now_nsec)
{
	nb_daemon_obey(daemon, now_nsec);
	nb_report_orders(daemon);
}

int nb_daemon_order(struct nb_daemon *daemon, const struct nb_order_request *wanted,
		    uint64_t now_nsec, uint64_t *ret_id, char **ret_remains,
		    struct nb_refusal *ret_refusal)
{
	g_autoptr(nb_orders) changed = NULL;
	g_autofree char *text = NULL;
	struct nb_order order;
	uint64_t id;
	int r;

	nb_daemon_expire_orders(daemon, now_nsec);
	r = parse_order(wanted, now_nsec, &order, ret_refusal);
	if (r < 0)
		return r;
	r = check(daemon, &order, ret_refusal);
	if (r < 0)
		return r;
	changed = nb_orders_copy(daemon->orders);
	id = nb_orders_add(changed, &order);
	r = commit(daemon, &changed, ret_refusal);
	if (r < 0)
		return r;
	text = nb_order_describe(&order);
	nb_journal_say(LOG_INFO, NULL, "Order %" PRIu64 ": %s", id, text);
	obey(daemon, now_nsec);
	*ret_id = id;
	*ret_remains = nb_daemon_remains(daemon, &order);
	return 0;
}

/* What was taken is there again: with the next plan that has a reason to use it. */
static int give_back(struct nb_daemon *daemon, struct nb_orders **changed, const char *what,
		     const char *owner, uint64_t now_nsec, struct nb_refusal *ret_refusal)
{
	int r = commit(daemon, changed, ret_refusal);

	if (r < 0)
		return r;
	nb_journal_say(LOG_INFO, NULL, "Released by %s: %s", owner, what);
	obey(daemon, now_nsec);
	return 0;
}

int nb_daemon_unban(struct nb_daemon *daemon, const char *cpus, const char *owner,
		    uint64_t now_nsec, struct nb_refusal *ret_refusal)
{
	g_autoptr(nb_orders) changed = nb_orders_copy(daemon->orders);
	g_autofree char *what = g_strdup_printf("ban of CPUs %s", cpus);
	struct nb_cpumask mask;
	int r;

	r = parse_cpus(cpus, &mask, ret_refusal);
	if (r < 0)
		return r;
	if (nb_orders_unban(changed, owner, &mask) == 0)
		return nb_refuse(
			-ENOENT, NB_REFUSAL_NO_ORDER, ret_refusal,
			"%s has banned none of the CPUs %s at run time; nicbalancectl claims "
			"lists who has.",
			owner, cpus);
	return give_back(daemon, &changed, what, owner, now_nsec, ret_refusal);
}

int nb_daemon_release(struct nb_daemon *daemon, const char *what, const char *owner,
		      uint64_t now_nsec, unsigned *ret_n, struct nb_refusal *ret_refusal)
{
	g_autoptr(nb_orders) changed = nb_orders_copy(daemon->orders);
	unsigned n;

	if (nb_orders_release(changed, owner, what, &n) < 0)
		return refuse_target("what", what, ret_refusal);
	n += nb_daemon_release_written(daemon, what);
	*ret_n = n;
	if (n == 0 && !g_str_equal(what, "all"))
		return nb_refuse(-ENOENT, NB_REFUSAL_NO_ORDER, ret_refusal,
				 "%s has ordered nothing that is called %s, and no other program "
				 "has limited it; nicbalancectl claims and status list what there "
				 "is.",
				 owner, what);
	return n ? give_back(daemon, &changed, what, owner, now_nsec, ret_refusal) : 0;
}
