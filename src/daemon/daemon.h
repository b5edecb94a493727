/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The daemon: its state, and the parts of its life. One thread, one event loop. */

#include "apply/apply.h"
#include "base/advice.h"
#include "claims/orders.h"
#include "config/irqbalance.h"
#include "daemon/cost.h"
#include "daemon/prober.h"
#include "loop/loop.h"
#include "model/idle_check.h"
#include "model/intrusions.h"
#include "netlink/netlink.h"
#include "publish/bus.h"
#include "publish/history.h"
#include "publish/recorder.h"
#include "varlink/varlink.h"

#include <systemd/sd-event.h>

/* From the command line. */
struct nb_options {
	char *config_file; /* NULL: the usual places */
	char *root;        /* NULL: the host */
	char *socket_path;
	gboolean restore;
	gboolean unless_restarting;
	gboolean unless_running;
	gboolean restore_on_exit;
	gboolean no_system_bus;
	gboolean debug;
	gboolean version;
};

/* Contents of the line of systemctl status. */
struct nb_status_line {
	uint64_t generation; /* of the machine */
	enum nb_verdict verdict;
	enum nb_mode mode;
	bool paused;
};

/* The document of owners, and until when it is not read again. */
struct nb_owners_document {
	char *text; /* NULL: not read yet */
	uint64_t until_nsec;
};

/* A NIC of which something was told. */
struct nb_told_nic {
	int ifindex;
	uint64_t nsec;
};

/* Of a NIC with a queue that has most of its load, and of its tunnel. */
struct nb_tunnel_count {
	int ifindex;
	char tunnel[NB_IFNAME_MAX];
	uint64_t nic_bytes, tunnel_bytes; /* received so far */
	uint64_t nsec;                    /* when they were read */
};

/* What other programs wrote. */
struct nb_told_yields {
	uint64_t nsec; /* when the journal was told last; 0: never */
	unsigned n_untold;
};

/* The files of irqbalance, as they were read last. */
struct nb_irqbalance_watch {
	struct nb_irqbalance *read; /* owned */
	bool obeyed;                /* IrqbalanceConfig= when it was read */
	bool announced;
	bool refused; /* the last ones; that was logged */
};

typedef struct nb_daemon {
	const struct nb_options *options;
	struct nb_sysroot *root;
	struct nb_config *config;
	struct nb_irqbalance_watch irqbalance;
	uint64_t profile_nsec; /* when it was last looked for another profile */
	bool profile_refused;  /* with that profile the configuration was; no other is looked for */
	struct nb_netlink *netlink;         /* NULL for a captured machine */
	struct nb_netlink_monitor *monitor; /* NULL likewise */
	struct nb_sampler *sampler;
	struct nb_prober prober;
	struct nb_idle_check *idle_check;
	struct nb_applier *applier;
	struct nb_orders *orders; /* bans and claims */
	struct nb_claims claims;  /* what counts of them on this machine; every policy has it */
	struct nb_intrusions intrusions;
	struct nb_history *history;
	struct nb_recorder *recorder;
	struct nb_bus *bus;
	struct nb_varlink *varlink;
	struct nb_loop loop;

	sd_event *event;
	sd_event_source *timer;
	sd_event_source *look_timer;

	uint64_t started_realtime_usec;
	uint64_t cycles;
	struct nb_cost cost;
	uint64_t again_nsec; /* when the last plan wants another cycle; 0: after the interval */
	uint64_t complete_nsec;
	uint64_t rescanned_nsec;
	uint64_t rescan_gap_nsec; /* between rescans on notifications: longer while they keep coming
				   */
	struct nb_status_line status_line;   /* last sent to systemd */
	GArray *told_drops;                  /* struct nb_told_nic */
	GArray *told_full_nodes;             /* the same */
	GArray *told_advice[_NB_ADVICE_MAX]; /* likewise */
	GHashTable *told_faults;             /* texts; owned */
	GArray *tunnel_counts;               /* struct nb_tunnel_count */
	struct nb_told_yields told_yields;
	bool told_no_cpu;         /* that no CPU is left for interrupts */
	uint64_t out_of_order;    /* when entries of an RSS table moved last */
	GArray *unadopted;        /* ifindexes: what the run before left could not be read yet */
	GArray *awaited;          /* struct nb_written_row, of an earlier run: not there yet */
	uint64_t written_version; /* nb_memory.written_version when it was saved */
	struct nb_owners_document owners;
	bool paused;
	bool settled; /* the last cycle left nothing to watch */
	bool idle;    /* only idle checks since */
	/* By the last cycle or idle check: hot CPUs with network work worth a move. */
	bool hot_known;
	uint32_t n_hot;
	uint64_t alert_until_nsec; /* no idle checks until then */
	bool rescan_wanted;
	bool change_noticed;        /* by a notification since the last rescan */
	enum nb_depth depth_wanted; /* at least, of the next sample */
	int sample_error;           /* of the last cycle */
	uint64_t stale_since_nsec;  /* it has been -ESTALE; 0: it is not */
	int told_sample_error;      /* the last one logged: a fault that lasts is logged once */
	int apply_error;
} nb_daemon;

/* daemon.c: the host, or the captured machine. A failure is logged. */
int nb_daemon_open_root(const struct nb_options *options, nb_sysroot **ret);
/* Sets up what must exist before the first cycle. Failures are logged. */
int nb_daemon_new(const struct nb_options *options, struct nb_daemon **ret);
void nb_daemon_free(struct nb_daemon *daemon);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_daemon, nb_daemon_free)
bool nb_daemon_acts(const struct nb_daemon *daemon);
/* Passes the configuration to the prober. */
void nb_daemon_set_prober(struct nb_daemon *daemon, uint64_t now_nsec);

/* loop.c: a cycle, or an idle check while there is nothing to do. */
void nb_daemon_tick(struct nb_daemon *daemon, uint64_t now_nsec);
/* Between two of them that are far apart: obeys what others have ordered meanwhile. */
void nb_daemon_look(struct nb_daemon *daemon, uint64_t now_nsec);
/* When a rescan on a notification is allowed. */
uint64_t nb_daemon_rescan_due_nsec(const struct nb_daemon *daemon);
/* Samples, plans and applies. Failures are logged and leave everything to the next cycle. */
void nb_daemon_cycle(struct nb_daemon *daemon, uint64_t now_nsec);
/* The same after others ordered who may run where, whatever else is going on. */
void nb_daemon_obey(struct nb_daemon *daemon, uint64_t now_nsec);
/* Restores what is set for a moment only (RSS tables), before the daemon stops making changes. */
void nb_daemon_withdraw(struct nb_daemon *daemon);

/* events.c: timer, signals, changes of links, queues and CPUs, watchdog. Returns on a signal to
 * stop. */
int nb_daemon_run(struct nb_daemon *daemon);
/* After a cycle, which an order may bring at any time: has the next tick as soon as its plan wants.
 */
void nb_daemon_keep_time(struct nb_daemon *daemon);
/* CLOCK_MONOTONIC. Read where an event comes in; from there on it is an argument. */
uint64_t nb_daemon_now_nsec(void);

/* control.c: requests of clients. */
int nb_daemon_reload(struct nb_daemon *daemon, uint64_t now_nsec, char **ret_error);
int nb_daemon_set_paused(struct nb_daemon *daemon, bool paused);
int nb_daemon_restore(struct nb_daemon *daemon, unsigned *ret_n_restored);
/* Notes from time to time what the daemon spent. Called last in each tick. */
void nb_daemon_mark_cost(struct nb_daemon *daemon, uint64_t now_nsec);
extern const struct nb_handlers nb_daemon_handlers;

/* irqbalance.c: reads the files of irqbalance again if they were written, and says whether the
 * configuration has changed by that. One that is broken is logged, and changes nothing. */
bool nb_daemon_review_irqbalance(struct nb_daemon *daemon);
/* The same for a configuration that was just loaded. */
void nb_daemon_adopt_irqbalance(struct nb_daemon *daemon);

/* profile.c: logs which profile a configuration that was just loaded chose by itself. */
void nb_daemon_adopt_profile(struct nb_daemon *daemon);
/* Reloads the configuration if the host calls for another one by now. */
void nb_daemon_review_profile(struct nb_daemon *daemon, uint64_t now_nsec);

/* orders.c: bans and claims. */
/* Those that an earlier run kept; the first tick ends what is over. A damaged file is logged and no
 * failure. */
int nb_daemon_load_orders(struct nb_daemon *daemon);
/* Brings what counts of them in step with the machine of the last snapshot. */
void nb_daemon_resolve_orders(struct nb_daemon *daemon);
/* Ends those whose lease is over. */
void nb_daemon_expire_orders(struct nb_daemon *daemon, uint64_t now_nsec);
/* As nb_handlers says. */
int nb_daemon_order(struct nb_daemon *daemon, const struct nb_order_request *wanted,
		    uint64_t now_nsec, uint64_t *ret_id, char **ret_remains,
		    struct nb_refusal *ret_refusal);
int nb_daemon_unban(struct nb_daemon *daemon, const char *cpus, const char *owner,
		    uint64_t now_nsec, struct nb_refusal *ret_refusal);
int nb_daemon_release(struct nb_daemon *daemon, const char *what, const char *owner,
		      uint64_t now_nsec, unsigned *ret_n, struct nb_refusal *ret_refusal);
void nb_daemon_end_orders(struct nb_daemon *daemon, const char *connection);

/* adopt.c: takes what an earlier run set for our own: nearly all with the first snapshot (previous
 * is NULL), the rest when it appears, or can be read. To be called after nb_loop_see(). */
void nb_daemon_adopt(struct nb_daemon *daemon, const struct nb_snapshot *previous,
		     const struct nb_snapshot *snapshot);

/* written.c: affinities that other programs wrote. */
/* Those that an earlier run found. A file that is damaged or cannot be read is logged. */
void nb_daemon_load_written(struct nb_daemon *daemon);
/* Takes over those of them that are for what is there now. */
void nb_daemon_adopt_written(struct nb_daemon *daemon);
/* Keeps them for the next run, if they have changed. */
void nb_daemon_save_written(struct nb_daemon *daemon);
/* Forgets those of a target. Returns how many. */
unsigned nb_daemon_release_written(struct nb_daemon *daemon, const char *what);

/* intrusions.c: counts what ran on CPUs that are excluded, when that is due, and tells of it.
 * Called in each tick. */
void nb_daemon_count_intrusions(struct nb_daemon *daemon, uint64_t now_nsec);

/* tunnels.c: of NICs one queue of which has most of the load, notes those that receive mostly what
 * is of their tunnel. Reads two counters of each in a second, and none elsewhere. */
void nb_daemon_watch_tunnels(struct nb_daemon *daemon);

/* remains.c: what the last cycle left where this order does not allow it, a line each with the
 * reason; "" if nothing. Caller frees (g_free). */
char *nb_daemon_remains(struct nb_daemon *daemon, const struct nb_order *order);

/* report.c: what happened, to journal, history and bus. */
void nb_report_outcomes(struct nb_daemon *daemon);
void nb_report_findings(struct nb_daemon *daemon);
void nb_report_restored(struct nb_daemon *daemon, const GArray *restored);
void nb_report_status(struct nb_daemon *daemon);
/* That no CPU is left for interrupts, or one is again. */
void nb_report_eligible(struct nb_daemon *daemon);
/* NICs that drop packets for which no CPU is to blame. */
void nb_report_drops(struct nb_daemon *daemon);
void nb_report_full_nodes(struct nb_daemon *daemon);
void nb_report_advice(struct nb_daemon *daemon);

/* Caller frees (g_free). */
char *nb_daemon_describe_owners(struct nb_daemon *daemon);
/* What a rescan found wrong in .link files. */
void nb_report_faults(struct nb_daemon *daemon);
/* What clients may have been told before is out of date. */
void nb_report_change(struct nb_daemon *daemon);
/* The same, and the list of bans and claims has changed. */
void nb_report_orders(struct nb_daemon *daemon);

/* restart.c: whether systemd stops this process's unit only to start it again. */
bool nb_unit_is_restarting(void);
