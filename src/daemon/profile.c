/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Profile=auto chose. What a host is for may show only after the daemon has started. */
#include "daemon/daemon.h"

#include "config/profile.h"
#include "nicbalance/units.h"
#include "publish/journal.h"

#define REVIEW_NSEC (60 * NB_NSEC_PER_SEC)

static bool is_auto(const struct nb_config *config)
{
	return g_str_equal(config->profile, "auto");
}

void nb_daemon_adopt_profile(struct nb_daemon *daemon)
{
	const struct nb_config *config = daemon->config;

	daemon->profile_refused = false;
	if (is_auto(config))
		nb_journal_say(LOG_INFO, NULL, "Profile=auto: %s, so the profile is %s",
			       config->profile_sign, config->profile_used);
}

/* Never back, as services are restarted, and their settings would come and go with them. */
void nb_daemon_review_profile(struct nb_daemon *daemon, uint64_t now_nsec)
{
	const char *sign;

	if (!is_auto(daemon->config) || daemon->profile_refused ||
	    now_nsec < daemon->profile_nsec + REVIEW_NSEC)
		return;
	daemon->profile_nsec = now_nsec;
	if (nb_profile_goes_before(nb_profile_find(daemon->root, &sign),
				   daemon->config->profile_used))
		daemon->profile_refused = nb_daemon_reload(daemon, now_nsec, NULL) < 0;
}
