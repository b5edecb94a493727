/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of irqbalance, which container runtimes write anew for each container. */
#include "daemon/daemon.h"

#include "base/cpumask_text.h"
#include "publish/journal.h"
#include "publish/message_ids.h"

#include <string.h>

static int read_files(const struct nb_daemon *daemon, struct nb_irqbalance **ret, char **ret_error)
{
	if (daemon->config->irqbalance_config)
		return nb_irqbalance_read(daemon->root, ret, ret_error);
	return nb_irqbalance_interpret(&(struct nb_irqbalance_variables){}, ret, ret_error);
}

/* One that is broken may be so for each of the containers to come. */
static void refuse(struct nb_irqbalance_watch *watch, const char *error)
{
	if (!watch->refused)
		nb_journal_say(LOG_WARNING, NB_MESSAGE_IRQBALANCE_REFUSED,
			       "Configuration of irqbalance not understood; what it said before "
			       "stays in use: %s",
			       error);
	watch->refused = true;
}

static void announce(struct nb_irqbalance_watch *watch)
{
	g_autofree char *cpus = nb_cpumask_format_list(&watch->read->banned);

	if (watch->announced || nb_irqbalance_is_empty(watch->read))
		return;
	watch->announced = true;
	nb_journal_say(
		LOG_NOTICE, NB_MESSAGE_IRQBALANCE_OBEYED,
		"Configuration of irqbalance found: CPUs \"%s\" and %u interrupts or drivers "
		"banned there are banned here, too, unless nicbalance.conf says otherwise; "
		"IrqbalanceConfig=no ends that",
		cpus, watch->read->interrupts.n_rules);
}

static bool has_same_interrupts(const struct nb_irqbalance *a, const struct nb_irqbalance *b)
{
	if (a->interrupts.n_rules != b->interrupts.n_rules)
		return false;
	for (unsigned i = 0; i < a->interrupts.n_rules; i++)
		if (!g_str_equal(a->interrupts.rules[i].match, b->interrupts.rules[i].match))
			return false;
	return true;
}

static bool is_current(const struct nb_daemon *daemon)
{
	const struct nb_irqbalance_watch *watch = &daemon->irqbalance;

	return watch->obeyed == daemon->config->irqbalance_config &&
	       nb_irqbalance_is_current(watch->read, daemon->root);
}

bool nb_daemon_review_irqbalance(struct nb_daemon *daemon)
{
	struct nb_irqbalance_watch *watch = &daemon->irqbalance;
	g_autofree char *error = NULL;
	struct nb_irqbalance *read;

	if (!watch->read)
		(void)nb_irqbalance_interpret(&(struct nb_irqbalance_variables){}, &watch->read,
					      &error);
	if (is_current(daemon))
		return false;
	if (read_files(daemon, &read, &error) < 0) {
		refuse(watch, error);
		return false;
	}
	nb_irqbalance_apply(read, daemon->config);
	/* Only a rescan finds out which interrupts they are. */
	daemon->rescan_wanted |= !has_same_interrupts(watch->read, read);
	nb_irqbalance_free(watch->read);
	watch->read = read;
	watch->obeyed = daemon->config->irqbalance_config;
	watch->refused = false;
	announce(watch);
	return true;
}

void nb_daemon_adopt_irqbalance(struct nb_daemon *daemon)
{
	(void)nb_daemon_review_irqbalance(daemon);
	nb_irqbalance_apply(daemon->irqbalance.read, daemon->config);
}
