/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The daemon as its clients see it. */

#include "config/config.h"
#include "nicbalance/order.h"
#include "nicbalance/status.h"
#include "publish/recorder.h"

/* What clients may ask of the daemon, whatever socket they come by. Each returns 0 or a negative
 * errno; *ret_error is a sentence for the client (g_free) and may stay NULL, *ret_refusal says why
 * an order was not taken in (nb_refusal_clear()). */
struct nb_handlers {
	void (*get_status)(void *userdata, struct nb_status *ret);
	const struct nb_config *(*get_config)(void *userdata);
	int (*set_paused)(void *userdata, bool paused, char **ret_error);
	/* Restores all original values and pauses. */
	int (*restore)(void *userdata, unsigned *ret_n_restored, char **ret_error);
	int (*reload)(void *userdata, char **ret_error);
	/* Measures delays from now on for NB_BUS_WATCH_SEC, or longer if asked again. */
	int (*watch_delays)(void *userdata, char **ret_error);
	/* While it does, appends what was counted until now (struct nb_delays, ascending by CPU;
	 * online CPUs). */
	void (*get_delays)(void *userdata, GArray *delays);
	/* Bans or claims, and lets leave what has to. *ret_remains: what could not, and why, a line
	 * each; "" if nothing (g_free). */
	int (*order)(void *userdata, const struct nb_order_request *request, uint64_t *ret_id,
		     char **ret_remains, struct nb_refusal *ret_refusal);
	int (*unban)(void *userdata, const char *cpus, const char *owner,
		     struct nb_refusal *ret_refusal);
	int (*release)(void *userdata, const char *what, const char *owner, unsigned *ret_n,
		       struct nb_refusal *ret_refusal);
	/* Orders that were to end with this connection do. Must not use the bus. */
	void (*end_orders)(void *userdata, const char *connection);
	/* The document of owners, as read a moment ago at most; the caller frees (g_free). */
	char *(*describe_owners)(void *userdata);
	/* As nb_recorder_read(), now. */
	void (*record)(void *userdata, uint64_t cursor, struct nb_recorded *ret);
};
