/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nicbalance/names.h"

#include <glib.h>

static const char *text_of(const char *const *texts, int n, int value)
{
	return value >= 0 && value < n ? texts[value] : "invalid";
}

static int value_of(const char *const *texts, int n, const char *word)
{
	for (int i = 0; i < n; i++)
		if (g_str_equal(texts[i], word))
			return i;
	return -1;
}

/* Both ways from the one table type_words[]. */
#define DEFINE_NAMES(type, TYPE)                                                       \
	G_STATIC_ASSERT(G_N_ELEMENTS(type##_words) == _NB_##TYPE##_MAX);               \
	const char *nb_##type##_to_string(enum nb_##type value)                        \
	{                                                                              \
		return text_of(type##_words, _NB_##TYPE##_MAX, (int)value);            \
	}                                                                              \
	enum nb_##type nb_##type##_from_string(const char *word)                       \
	{                                                                              \
		G_STATIC_ASSERT(_NB_##TYPE##_INVALID == -1);                           \
		return (enum nb_##type)value_of(type##_words, _NB_##TYPE##_MAX, word); \
	}

#define DEFINE_EXPLAIN(type, TYPE)                                            \
	G_STATIC_ASSERT(G_N_ELEMENTS(type##_clauses) == _NB_##TYPE##_MAX);    \
	const char *nb_##type##_explain(enum nb_##type value)                 \
	{                                                                     \
		return text_of(type##_clauses, _NB_##TYPE##_MAX, (int)value); \
	}

static const char *const accounting_words[] = {
	[NB_ACCOUNTING_UNKNOWN] = "unknown",
	[NB_ACCOUNTING_TICK] = "tick",
	[NB_ACCOUNTING_PRECISE] = "precise",
};
DEFINE_NAMES(accounting, ACCOUNTING)

static const char *const advice_words[] = {
	[NB_ADVICE_CHANNELS] = "channels",
	[NB_ADVICE_UDP_HASH] = "udp-hash",
	[NB_ADVICE_TUNNEL] = "tunnel",
	[NB_ADVICE_THREADS] = "threads",
};
DEFINE_NAMES(advice, ADVICE)

static const char *const drops_cause_words[] = {
	[NB_DROPS_NONE] = "none",
	[NB_DROPS_FULL_CPU] = "full-cpu",
	[NB_DROPS_DEVICE] = "device",
	[NB_DROPS_UNKNOWN] = "unknown",
};
DEFINE_NAMES(drops_cause, DROPS_CAUSE)

static const char *const drops_cause_clauses[] = {
	[NB_DROPS_NONE] = "it drops no packets",
	[NB_DROPS_FULL_CPU] = "a queue of it fills its CPU",
	[NB_DROPS_DEVICE] = ("no queue of it fills a CPU; its rings are too small for bursts "
			     "(ethtool -g), or its bus is too slow"),
	[NB_DROPS_UNKNOWN] = "too little was measured to tell why",
};
DEFINE_EXPLAIN(drops_cause, DROPS_CAUSE)

static const char *const effect_words[] = {
	[NB_EFFECT_NONE] = "none",
	[NB_EFFECT_PENDING] = "pending",
	[NB_EFFECT_WORKED] = "worked",
	[NB_EFFECT_STUCK] = "stuck",
	[NB_EFFECT_NOT_FOLLOWED] = "not-followed",
	[NB_EFFECT_IDLE] = "idle",
	[NB_EFFECT_NO_GAIN] = "no-gain",
	[NB_EFFECT_WORSE] = "worse",
};
DEFINE_NAMES(effect, EFFECT)

static const char *const effect_clauses[] = {
	[NB_EFFECT_NONE] = "not applicable",
	[NB_EFFECT_PENDING] = "still being measured",
	[NB_EFFECT_WORKED] = "polled on the new CPU",
	[NB_EFFECT_STUCK] = "the NAPI never completes and is still polled on the old CPU",
	[NB_EFFECT_NOT_FOLLOWED] = "still polled on another CPU",
	[NB_EFFECT_IDLE] = "no interrupt since, nothing to measure",
	[NB_EFFECT_NO_GAIN] = "moved, but the load of the old CPU did not fall",
	[NB_EFFECT_WORSE] = "the new CPU is hotter than the old one was; moved back",
};
DEFINE_EXPLAIN(effect, EFFECT)

static const char *const event_words[] = {
	[NB_EVENT_MOVED] = "moved",           [NB_EVENT_STEERED] = "steered",
	[NB_EVENT_REDIRECTED] = "redirected", [NB_EVENT_CONFIGURED] = "configured",
	[NB_EVENT_YIELDED] = "yielded",       [NB_EVENT_RESTORED] = "restored",
};
DEFINE_NAMES(event, EVENT)

static const char *const grade_words[] = {
	[NB_GRADE_ESTIMATED] = "estimated",
	[NB_GRADE_MEASURED] = "measured",
	[NB_GRADE_REPLAYED] = "replayed",
};
DEFINE_NAMES(grade, GRADE)

static const char *const isolation_words[] = {
	[NB_ISOLATION_DOMAIN] = "domain",
	[NB_ISOLATION_NOHZ_FULL] = "nohz-full",
	[NB_ISOLATION_MANAGED_IRQ] = "managed-irq",
	[NB_ISOLATION_CPUSET] = "cpuset",
};
DEFINE_NAMES(isolation, ISOLATION)

static const char *const kind_words[] = {
	[NB_KIND_UDP_HASH] = "udp-hash",     [NB_KIND_CHANNELS] = "channels",
	[NB_KIND_QUEUE] = "queue",           [NB_KIND_RPS] = "rps",
	[NB_KIND_DEVICE_IRQ] = "device-irq", [NB_KIND_RSS] = "rss",
	[NB_KIND_THREADED] = "threaded",     [NB_KIND_XPS] = "xps",
	[NB_KIND_THREAD] = "thread",         [NB_KIND_RFS] = "rfs",
};
DEFINE_NAMES(kind, KIND)

static const char *const mapping_words[] = {
	[NB_MAPPING_NONE] = "none",   [NB_MAPPING_NETLINK] = "netlink",
	[NB_MAPPING_NAMES] = "names", [NB_MAPPING_CONFIG] = "config",
	[NB_MAPPING_VMBUS] = "vmbus",
};
DEFINE_NAMES(mapping, MAPPING)

static const char *const mode_words[] = {
	[NB_MODE_BALANCE] = "balance",
	[NB_MODE_OBSERVE] = "observe",
};
DEFINE_NAMES(mode, MODE)

static const char *const outcome_words[] = {
	[NB_OUTCOME_APPLIED] = "applied", [NB_OUTCOME_UNCHANGED] = "unchanged",
	[NB_OUTCOME_REFUSED] = "refused", [NB_OUTCOME_NO_VECTOR] = "no-vector",
	[NB_OUTCOME_GONE] = "gone",       [NB_OUTCOME_BUSY] = "busy",
	[NB_OUTCOME_STALE] = "stale",     [NB_OUTCOME_UNSAFE] = "unsafe",
	[NB_OUTCOME_FOREIGN] = "foreign", [NB_OUTCOME_REHEARSED] = "rehearsed",
};
DEFINE_NAMES(outcome, OUTCOME)

static const char *const outcome_clauses[] = {
	[NB_OUTCOME_APPLIED] = "written",
	[NB_OUTCOME_UNCHANGED] = "held that value already",
	[NB_OUTCOME_REFUSED] = "the kernel does not allow changing it",
	[NB_OUTCOME_NO_VECTOR] = "the CPU has no free interrupt vector",
	[NB_OUTCOME_GONE] = "the interrupt or the device is gone",
	[NB_OUTCOME_BUSY] = "the kernel was busy; will retry",
	[NB_OUTCOME_STALE] = "the host changed in the meantime",
	[NB_OUTCOME_UNSAFE] = "not written: the original value could not be saved",
	[NB_OUTCOME_FOREIGN] = "not written: set by an administrator or another program",
	[NB_OUTCOME_REHEARSED] = "not written: observe mode or paused",
};
DEFINE_EXPLAIN(outcome, OUTCOME)

static const char *const tunable_words[] = {
	[NB_TUNABLE_AFFINITY] = "affinity",
	[NB_TUNABLE_RPS] = "rps",
	[NB_TUNABLE_XPS] = "xps",
	[NB_TUNABLE_THREAD] = "thread",
	[NB_TUNABLE_RFS] = "rfs",
	[NB_TUNABLE_RSS] = "rss",
	[NB_TUNABLE_CHANNELS] = "channels",
	[NB_TUNABLE_UDP_HASH] = "udp-hash",
	[NB_TUNABLE_COALESCING] = "coalescing",
	[NB_TUNABLE_DEFAULT] = "default-affinity",
};
DEFINE_NAMES(tunable, TUNABLE)

static const char *const writer_words[] = {
	[NB_WRITER_FOUND] = "found",   [NB_WRITER_OURS] = "ours",
	[NB_WRITER_CLAIM] = "claim",   [NB_WRITER_FOREIGN] = "foreign",
	[NB_WRITER_DRIVER] = "driver", [NB_WRITER_KERNEL] = "kernel",
};
DEFINE_NAMES(writer, WRITER)

static const char *const packets_source_words[] = {
	[NB_PACKETS_NONE] = "none",
	[NB_PACKETS_QSTATS] = "qstats",
	[NB_PACKETS_ETHTOOL] = "ethtool",
};
#define _NB_PACKETS_SOURCE_MAX _NB_PACKETS_MAX
#define _NB_PACKETS_SOURCE_INVALID _NB_PACKETS_INVALID
DEFINE_NAMES(packets_source, PACKETS_SOURCE)

static const char *const reason_words[] = {
	[NB_REASON_COLLAPSED] = "collapsed",
	[NB_REASON_SEVERAL] = "several",
	[NB_REASON_INELIGIBLE] = "ineligible",
	[NB_REASON_BALANCE] = "balance",
	[NB_REASON_SWAP] = "swap",
	[NB_REASON_REPACK] = "repack",
	[NB_REASON_PANIC] = "panic",
	[NB_REASON_SPILL] = "spill",
	[NB_REASON_RETURN] = "return",
	[NB_REASON_DELAY] = "delay",
	[NB_REASON_RPS_WIDEN] = "rps-widen",
	[NB_REASON_RPS_CALM] = "rps-calm",
	[NB_REASON_RPS_MEND] = "rps-mend",
	[NB_REASON_RPS_BUSY] = "rps-busy",
	[NB_REASON_RPS_UNSTICK] = "rps-unstick",
	[NB_REASON_RPS_UNSTUCK] = "rps-unstuck",
	[NB_REASON_RSS_EMPTY] = "rss-empty",
	[NB_REASON_RSS_BACK] = "rss-back",
	[NB_REASON_RSS_SPREAD] = "rss-spread",
	[NB_REASON_RSS_CALM] = "rss-calm",
	[NB_REASON_RSS_NO_GAIN] = "rss-no-gain",
	[NB_REASON_RPS_NO_GAIN] = "rps-no-gain",
	[NB_REASON_XPS_FOLLOW] = "xps-follow",
	[NB_REASON_XPS_BACK] = "xps-back",
	[NB_REASON_THREAD_FOLLOW] = "thread-follow",
	[NB_REASON_THREAD_BACK] = "thread-back",
	[NB_REASON_THREADED_ON] = "threaded-on",
	[NB_REASON_THREADED_CALM] = "threaded-calm",
	[NB_REASON_THREADED_NO_GAIN] = "threaded-no-gain",
	[NB_REASON_UNDO] = "undo",
	[NB_REASON_DEVICE_REMOTE] = "device-remote",
	[NB_REASON_DEVICE_CROWDED] = "device-crowded",
	[NB_REASON_DEVICE_HOT] = "device-hot",
	[NB_REASON_CONFIGURED] = "configured",
	[NB_REASON_UNCONFIGURED] = "unconfigured",
};
DEFINE_NAMES(reason, REASON)

static const char *const reason_clauses[] = {
	[NB_REASON_COLLAPSED] = "too many queues of its device were on one CPU",
	[NB_REASON_SEVERAL] =
		"its mask allowed several CPUs; the hardware picks one regardless of load",
	[NB_REASON_INELIGIBLE] = "its CPU is isolated, banned or offline",
	[NB_REASON_BALANCE] = "its CPU is hotter than the mean",
	[NB_REASON_SWAP] = "it makes room for the move before it",
	[NB_REASON_REPACK] =
		"a CPU is saturated and no single move helps; queues are placed again by load",
	[NB_REASON_PANIC] = "its CPU drops packets or is about to",
	[NB_REASON_SPILL] = "its node is full, and another node has time",
	[NB_REASON_RETURN] = "its own node has room again",
	[NB_REASON_DELAY] = "its CPU lets NET_RX wait too long, and serves other queues, too",
	[NB_REASON_RPS_WIDEN] = "the queue is too much for one CPU",
	[NB_REASON_RPS_CALM] = "the load no longer needs RPS",
	[NB_REASON_RPS_MEND] = "its RPS mask contains a CPU that is no longer allowed",
	[NB_REASON_RPS_BUSY] = "the NUMA node has no CPU time left for RPS",
	[NB_REASON_RPS_UNSTICK] = "lets saturated NAPIs complete and follow their interrupts",
	[NB_REASON_RPS_UNSTUCK] = "all NAPIs follow their interrupts",
	[NB_REASON_RSS_EMPTY] = "empties the other queues so that their NAPIs complete",
	[NB_REASON_RSS_BACK] = "all NAPIs completed",
	[NB_REASON_RSS_SPREAD] = "no placement of its queues evens out their load",
	[NB_REASON_RSS_CALM] = "the load no longer needs another RSS table",
	[NB_REASON_RSS_NO_GAIN] = "moving RSS table entries did not help",
	[NB_REASON_RPS_NO_GAIN] = "steering did not help: a single flow, or no CPU time to spare",
	[NB_REASON_XPS_FOLLOW] = "interrupts of its transmit queues are on other CPUs",
	[NB_REASON_XPS_BACK] = "the configuration no longer lets it follow interrupts",
	[NB_REASON_THREAD_FOLLOW] = "interrupts of its queues are on other CPUs",
	[NB_REASON_THREAD_BACK] = "the configuration no longer lets them follow interrupts",
	[NB_REASON_THREADED_ON] = "a queue makes a CPU hot that it cannot leave",
	[NB_REASON_THREADED_CALM] = "the load no longer needs threaded NAPI",
	[NB_REASON_THREADED_NO_GAIN] = "threaded NAPI did not help",
	[NB_REASON_UNDO] = "the move made things worse",
	[NB_REASON_DEVICE_REMOTE] = "its CPU is not on the NUMA node of the device",
	[NB_REASON_DEVICE_CROWDED] = "too many device (non-NIC) interrupts were on one CPU",
	[NB_REASON_DEVICE_HOT] = "its CPU is hot",
	[NB_REASON_CONFIGURED] = "the configuration asks for it",
	[NB_REASON_UNCONFIGURED] = "the configuration no longer asks for it",
};
DEFINE_EXPLAIN(reason, REASON)

static const char *const rule_words[] = {
	[NB_RULE_OFFLINE] = "offline",   [NB_RULE_TAKEN] = "taken",
	[NB_RULE_CLAIM] = "claim",       [NB_RULE_CONFIGURED] = "configured",
	[NB_RULE_LINK] = "link",         [NB_RULE_BANNED] = "banned",
	[NB_RULE_ISOLATED] = "isolated", [NB_RULE_WRITTEN] = "written",
	[NB_RULE_DEFAULT] = "default",
};
DEFINE_NAMES(rule, RULE)

static const char *const rule_clauses[] = {
	[NB_RULE_OFFLINE] = "offline",
	[NB_RULE_TAKEN] = "banned at run time, or claimed for something else",
	[NB_RULE_CLAIM] = "claimed at run time",
	[NB_RULE_CONFIGURED] = "named by CPUs= of the configuration",
	[NB_RULE_LINK] = "named by IRQAffinity= of its .link file",
	[NB_RULE_BANNED] = "banned by the configuration",
	[NB_RULE_ISOLATED] = "isolated",
	[NB_RULE_WRITTEN] = "named by the mask that another program wrote",
	[NB_RULE_DEFAULT] = "not in /proc/irq/default_smp_affinity",
};
DEFINE_EXPLAIN(rule, RULE)

static const char *const scope_words[] = {
	[NB_SCOPE_IN] = "in",           [NB_SCOPE_DOWN] = "down",
	[NB_SCOPE_VIRTUAL] = "virtual", [NB_SCOPE_STEERED] = "steered",
	[NB_SCOPE_STACKED] = "stacked", [NB_SCOPE_NO_INTERRUPTS] = "no-interrupts",
	[NB_SCOPE_FIXED] = "fixed",     [NB_SCOPE_IGNORED] = "ignored",
};
DEFINE_NAMES(scope, SCOPE)

static const char *const scope_clauses[] = {
	[NB_SCOPE_IN] = "balanced",
	[NB_SCOPE_DOWN] = "it is down",
	[NB_SCOPE_VIRTUAL] = "no hardware is behind it",
	[NB_SCOPE_STEERED] = "no hardware is behind it, but work: RPS alone",
	[NB_SCOPE_STACKED] = "its physical ports are balanced instead",
	[NB_SCOPE_NO_INTERRUPTS] = "no interrupt could be matched to a queue of it",
	[NB_SCOPE_FIXED] = "its interrupts are tied to their CPUs by hardware",
	[NB_SCOPE_IGNORED] = "the configuration says to ignore it",
};
DEFINE_EXPLAIN(scope, SCOPE)

static const char *const source_words[] = {
	[NB_SOURCE_IRQ] = "irq",
	[NB_SOURCE_SOFTIRQ] = "softirq",
};
DEFINE_NAMES(source, SOURCE)

static const char *const verdict_words[] = {
	[NB_VERDICT_UNKNOWN] = "unknown",     [NB_VERDICT_QUIET] = "quiet",
	[NB_VERDICT_EVEN] = "even",           [NB_VERDICT_ARMING] = "arming",
	[NB_VERDICT_COOLING] = "cooling",     [NB_VERDICT_HELD] = "held",
	[NB_VERDICT_DEFERRED] = "deferred",   [NB_VERDICT_NO_GAIN] = "no-gain",
	[NB_VERDICT_ONE_FLOW] = "one-flow",   [NB_VERDICT_PLACING] = "placing",
	[NB_VERDICT_BALANCING] = "balancing", [NB_VERDICT_STEERING] = "steering",
	[NB_VERDICT_UNDOING] = "undoing",     [NB_VERDICT_CONFIGURING] = "configuring",
	[NB_VERDICT_COUNTING] = "counting",   [NB_VERDICT_DELAYED] = "delayed",
};
DEFINE_NAMES(verdict, VERDICT)

static const char *const verdict_clauses[] = {
	[NB_VERDICT_UNKNOWN] = "nothing has been measured yet",
	[NB_VERDICT_QUIET] = "no CPU with a queue is hot",
	[NB_VERDICT_EVEN] = "the load is high but even",
	[NB_VERDICT_ARMING] = "a CPU is hot, but not for long enough yet",
	[NB_VERDICT_COOLING] = "queues were moved a moment ago",
	[NB_VERDICT_HELD] =
		"a move would help, but the queue was moved recently, is yielded or cannot move",
	[NB_VERDICT_DEFERRED] =
		"a move would help, but the queue defers its interrupts and would not follow",
	[NB_VERDICT_NO_GAIN] = "a CPU is hot, but no move gains enough",
	[NB_VERDICT_ONE_FLOW] = "one queue saturates its CPU; neither moving it nor RPS helps",
	[NB_VERDICT_DELAYED] =
		"a CPU that is not hot lets NET_RX wait too long, and no move of a queue helps",
	[NB_VERDICT_PLACING] = "initial placement: queues spread over the CPUs",
	[NB_VERDICT_BALANCING] = "queues move off a hot CPU",
	[NB_VERDICT_STEERING] = "an RPS mask or RSS table changes",
	[NB_VERDICT_UNDOING] = "a move that made things worse is reverted",
	[NB_VERDICT_CONFIGURING] = "the channels of a NIC change",
	[NB_VERDICT_COUNTING] = "packets are counted by RSS table entry, to move some entries",
};
DEFINE_EXPLAIN(verdict, VERDICT)

static const char *const softirq_names[] = {
	[NB_SOFTIRQ_HI] = "HI",
	[NB_SOFTIRQ_NET_TX] = "NET_TX",
	[NB_SOFTIRQ_NET_RX] = "NET_RX",
	[NB_SOFTIRQ_BLOCK] = "BLOCK",
	[NB_SOFTIRQ_IRQ_POLL] = "IRQ_POLL",
	[NB_SOFTIRQ_TASKLET] = "TASKLET",
};
G_STATIC_ASSERT(G_N_ELEMENTS(softirq_names) == _NB_SOFTIRQ_MAX);

const char *nb_softirq_name(enum nb_softirq value)
{
	return text_of(softirq_names, _NB_SOFTIRQ_MAX, (int)value);
}
