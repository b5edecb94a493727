/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/columns.h"

#define X NB_COLUMN_EXTRA
#define COLUMN(type, name, heading, json, cell, field, flags)                                 \
	{                                                                                     \
		name, heading, json, NB_CELL_##cell, offsetof(struct nb_##type##_row, field), \
			flags                                                                 \
	}
#define FORM(id, json_name, list)                \
	const struct nb_form nb_form_##id = {    \
		.name = json_name,               \
		.columns = list,                 \
		.n_columns = G_N_ELEMENTS(list), \
	}

/* clang-format off */
static const struct nb_column daemon_columns[] = {
#define C(...) COLUMN(daemon, __VA_ARGS__)
	C("VERSION",      "VERSION",      "version",            TEXT,     version, 0),
	C("MODE",         "MODE",         "mode",               TEXT,     mode, 0),
	C("PAUSED",       "PAUSED",       "paused",             FLAG,     paused, 0),
	C("GRADE",        "GRADE",        "grade",              TEXT,     grade, 0),
	C("GRADE-REASON", "GRADE-REASON", "grade-reason",       TEXT,     grade_reason, 0),
	C("ACCOUNTING",   "ACCOUNTING",   "accounting",         TEXT,     accounting, 0),
	C("VERDICT",      "VERDICT",      "verdict",            TEXT,     verdict, 0),
	C("VERDICT-TEXT", "VERDICT-TEXT", "verdict-text",       TEXT,     verdict_text, 0),
	C("STARTED",      "STARTED",      "started",            TIME,     started_usec, 0),
	C("CYCLES",       "CYCLES",       "cycles",             NUMBER64, cycles, 0),
	C("CPU-TIME",     "CPU-TIME",     "cpu-time-nsec",      NUMBER64, cpu_time_nsec, 0),
	C("PROBE-COST",   "PROBE-COST",   "probe-cost-nsec",    NUMBER64, probe_cost_nsec, 0),
	C("WINDOW",       "WINDOW",       "window-nsec",        NUMBER64, window_nsec, 0),
	C("NOISE",        "NOISE %",      "noise-percent",      SHARE,    noise, 0),
	C("HOT",          "HOT %",        "hot-percent",        SHARE,    hot, 0),
	C("ONLINE",       "ONLINE",       "online-cpus",        TEXT,     online, 0),
	C("ELIGIBLE",     "ELIGIBLE",     "eligible-cpus",      TEXT,     eligible, 0),
	C("ISOLATED",     "ISOLATED",     "isolated-cpus",      TEXT,     isolated, 0),
	C("BANNED",       "BANNED",       "banned-cpus",        TEXT,     banned, 0),
#undef C
};
FORM(daemon, "daemon", daemon_columns);

static const struct nb_column cpu_columns[] = {
#define C(...) COLUMN(cpu, __VA_ARGS__)
	C("CPU",      "CPU",       "cpu",             NUMBER,  id, 0),
	C("CORE",     "CORE",      "core",            NUMBER,  core, X),
	C("LLC",      "LLC",       "llc",             NUMBER,  llc, X),
	C("NODE",     "NODE",      "node",            ID,      node, 0),
	C("BUSY",     "BUSY %",    "busy-percent",    SHARE,   busy, NB_COLUMN_HEAT),
	C("LOAD",     "LOAD",      NULL,              BAR,     load, NB_COLUMN_SCREEN),
	C("QUEUES",   "QUEUES %",  "queues-percent",  SHARE,   load.queues, 0),
	C("FIXED",    "FIXED %",   "fixed-percent",    SHARE,   load.fixed, 0),
	C("BACKLOG",  "BACKLOG %", "backlog-percent", SHARE,   backlog, X),
	C("SOFTIRQ",  "SOFTIRQ %", "softirq-percent", SHARE,   softirq, 0),
	C("IRQ",      "IRQ %",     "irq-percent",     SHARE,   irq, X),
	C("SERVES",   "SERVES",    "queues",          NUMBER,  n_queues, 0),
	C("DROPS",    "DROPS",     "dropped",         COUNT32, dropped, 0),
	C("SQUEEZED", "SQUEEZED",  "squeezed",        COUNT32, squeezed, X),
	C("NOTE",     "NOTE",      "note",            WORDS,   note, 0),
#undef C
};
FORM(cpus, "cpus", cpu_columns);

static const struct nb_column nic_columns[] = {
#define C(...) COLUMN(nic, __VA_ARGS__)
	C("NIC",       "NIC",       "nic",              TEXT,   name, 0),
	C("IFINDEX",   "IFINDEX",   "ifindex",          ID,     ifindex, X),
	C("DRIVER",    "DRIVER",    "driver",           TEXT,   driver, 0),
	C("NODE",      "NODE",      "node",             ID,     node, 0),
	C("MASTER",    "MASTER",    "master",           TEXT,   master, 0),
	C("SCOPE",     "SCOPE",     "scope",            TEXT,   scope, X),
	C("RX",        "RX",        "rx-queues",        NUMBER, n_rx, 0),
	C("TX",        "TX",        "tx-queues",        NUMBER, n_tx, 0),
	C("QUEUES",    "QUEUES",    "queues",           NUMBER, n_queues, X),
	C("SLOW-PATH", "SLOW PATH", "slow-path-vectors", NUMBER, n_slow_path, X),
	C("MAPPING",   "IRQS BY",   "mapping",          TEXT,   mapping, 0),
	C("PACKETS",   "PACKETS BY", "packets",         TEXT,   packets, 0),
#undef C
};
FORM(nics, "nics", nic_columns);

static const struct nb_column queue_columns[] = {
#define C(...) COLUMN(queue, __VA_ARGS__)
	C("NIC",       "NIC",        "nic",                   TEXT,    netdev, 0),
	C("IFINDEX",   "IFINDEX",    "ifindex",               ID,      ifindex, X),
	C("QUEUE",     "QUEUE",      "queue",                 NUMBER,  index, 0),
	C("HAS-RX",    "HAS RX",     "has-rx",                FLAG,    has_rx, X),
	C("HAS-TX",    "HAS TX",     "has-tx",                FLAG,    has_tx, X),
	C("IRQ",       "IRQ",        "irqs",                  IRQS,    irqs, 0),
	C("CPU",       "CPU",        "cpu",                   ID,      cpu, 0),
	C("TIME",      "TIME %",     "time-percent",          SMALL_SHARE, time, NB_COLUMN_HEAT),
	C("THREADED",  "THREADED %", "threaded-percent",      SMALL_SHARE,   threaded, NB_COLUMN_RARE),
	C("SATURATED", "SATURATED",  "saturated",             FLAG,    saturated, X),
	C("RX",        "RX/s",       "rx-packets-per-second", COUNT64, rx_per_sec, 0),
	C("TX",        "TX/s",       "tx-packets-per-second", COUNT64, tx_per_sec, 0),
	C("IRQS",      "IRQ/s",      "interrupts-per-second", COUNT64, interrupts_per_sec, 0),
	C("RPS",       "RPS",        "rps-cpus",              TEXT,    rps, 0),
	C("NOTE",      "NOTE",       "note",                  WORDS,   note, 0),
#undef C
};
FORM(queues, "queues", queue_columns);

/* Of what was done, and of what would have been done: that has no time of day. */
#define MOVE_COLUMNS \
	C("EVENT",     "EVENT",       "event",             TEXT,   event, X), \
	C("REASON",    "REASON",      "reason",            TEXT,   reason, X), \
	C("OUTCOME",   "OUTCOME",     "outcome",           TEXT,   outcome, X), \
	C("EFFECT",    "EFFECT",      "effect",            TEXT,   effect, X), \
	C("IFINDEX",   "IFINDEX",     "ifindex",           ID,     ifindex, X), \
	C("NIC",       "NIC",         "nic",               TEXT,   netdev, X), \
	C("QUEUE",     "QUEUE",       "queue",             NUMBER, index, X), \
	C("IRQ",       "IRQ",         "irqs",              IRQS,   irqs, X), \
	C("FROM",      "FROM",        "cpu-from",          ID,     cpu_from, X), \
	C("TO",        "TO",          "cpu-to",            ID,     cpu_to, X), \
	C("RPS-FROM",  "RPS FROM",    "rps-from",          TEXT,   rps_from, X), \
	C("RPS-TO",    "RPS TO",      "rps-to",            TEXT,   rps_to, X), \
	C("LOAD",      "LOAD %",      "load-percent",      SMALL_SHARE, load, X), \
	C("BEFORE",    "BEFORE %",    "before-percent",    SHARE,  before, X), \
	C("PREDICTED", "PREDICTED %", "predicted-percent", SHARE,  predicted, X), \
	C("MEASURED",  "MEASURED %",  "measured-percent",  SHARE,  measured, X), \
	C("WHAT",      "WHAT",        "what",              TEXT,   what, NB_COLUMN_WRAP), \
	C("WHY",       "WHY",         "why",               TEXT,   why, NB_COLUMN_WRAP), \
	C("RESULT",    "RESULT",      "result",            TEXT,   result, NB_COLUMN_WRAP)

static const struct nb_column move_columns[] = {
#define C(...) COLUMN(move, __VA_ARGS__)
	C("TIME",      "TIME",        "time",              TIME,   realtime_usec, 0),
	MOVE_COLUMNS,
#undef C
};
FORM(moves, "moves", move_columns);

static const struct nb_column rehearsed_move_columns[] = {
#define C(...) COLUMN(move, __VA_ARGS__)
	C("TIME",      "TIME",        "time-seconds",      SPAN,   realtime_usec, 0),
	MOVE_COLUMNS,
#undef C
};
FORM(rehearsed_moves, "moves", rehearsed_move_columns);

static const struct nb_column run_columns[] = {
#define C(...) COLUMN(run, __VA_ARGS__)
	C("RUN",        "RUN",        "run",                     TEXT,    name, 0),
	C("MEAN",       "MEAN %",     "hottest-mean-percent",    SHARE,   hottest_mean, NB_COLUMN_HEAT),
	C("P99",        "P99 %",      "hottest-p99-percent",     SHARE,   hottest_p99, NB_COLUMN_HEAT),
	C("HOT",        "ABOVE 90 %", "above-90-percent-seconds", SPAN,   hot_usec, 0),
	C("DROPS",      "DROPS",      "dropped",                 COUNT64, dropped, 0),
	C("MOVES",      "MOVES",      "moves",                   NUMBER,  n_moves, 0),
	C("STEERED",    "RPS",        "rps-changes",             NUMBER,  n_steered, 0),
	C("PING-PONGS", "PING-PONGS", "ping-pongs",              NUMBER,  n_ping_pongs, 0),
#undef C
};
FORM(runs, "runs", run_columns);

static const struct nb_column verdict_columns[] = {
#define C(...) COLUMN(verdict, __VA_ARGS__)
	C("FOR",     "FOR",     "seconds", SPAN,  usec, 0),
	C("SHARE",   "SHARE %", "percent", SHARE, share, 0),
	C("WORD",    "WORD",    "verdict", TEXT,  word, X),
	C("VERDICT", "VERDICT", NULL,      TEXT,  text, NB_COLUMN_WRAP),
#undef C
};
FORM(verdicts, "verdicts", verdict_columns);

static const struct nb_column excluded_columns[] = {
#define C(...) COLUMN(excluded, __VA_ARGS__)
	C("KIND",   "KIND",   "kind",   TEXT, kind, 0),
	C("WHAT",   "WHAT",   "what",   TEXT, what, 0),
	C("REASON", "REASON", "reason", TEXT, reason, X),
	C("WHY",    "WHY",    "why",    TEXT, why, NB_COLUMN_WRAP),
#undef C
};
FORM(excluded, "excluded", excluded_columns);

static const struct nb_column plan_columns[] = {
#define C(...) COLUMN(plan, __VA_ARGS__)
	C("VERDICT",      "VERDICT",      "verdict",             TEXT,  verdict, 0),
	C("VERDICT-TEXT", "VERDICT-TEXT", "verdict-text",        TEXT,  verdict_text, 0),
	C("HOTTEST-CPU",  "HOTTEST-CPU",  "hottest-cpu",         ID,    hottest_cpu, 0),
	C("HOTTEST",      "HOTTEST %",    "hottest-percent",     SHARE, hottest, 0),
	C("MEAN",         "MEAN %",       "mean-percent",        SHARE, mean, 0),
	C("GAIN-NEEDED",  "GAIN NEEDED",  "gain-needed-percent", SHARE, gain_needed, 0),
#undef C
};
FORM(plan, "plan", plan_columns);

static const struct nb_column planned_move_columns[] = {
#define C(...) COLUMN(planned_move, __VA_ARGS__)
	C("NIC",         "NIC",      "nic",                   TEXT,   netdev, 0),
	C("IFINDEX",     "IFINDEX",  "ifindex",               ID,     ifindex, X),
	C("QUEUE",       "QUEUE",    "queue",                 NUMBER, index, 0),
	C("LOAD",        "LOAD %",   "load-percent",          SMALL_SHARE, load, 0),
	C("FROM",        "FROM CPU", "cpu-from",              ID,     cpu_from, 0),
	C("FROM-BEFORE", "NOW %",    "source-before-percent", SHARE,  source_before, NB_COLUMN_HEAT),
	C("FROM-AFTER",  "THEN %",   "source-after-percent",  SHARE,  source_after, NB_COLUMN_HEAT),
	C("TO",          "TO CPU",   "cpu-to",                ID,     cpu_to, 0),
	C("TO-BEFORE",   "NOW %",    "target-before-percent", SHARE,  target_before, NB_COLUMN_HEAT),
	C("TO-AFTER",    "THEN %",   "target-after-percent",  SHARE,  target_after, NB_COLUMN_HEAT),
	C("REASON",      "REASON",   "reason",                TEXT,   reason, X),
	C("WHY",         "WHY",      "why",                   TEXT,   why, NB_COLUMN_WRAP),
#undef C
};
FORM(planned_moves, "moves", planned_move_columns);

static const struct nb_column planned_rps_columns[] = {
#define C(...) COLUMN(planned_rps, __VA_ARGS__)
	C("NIC",     "NIC",     "nic",      TEXT,   netdev, 0),
	C("IFINDEX", "IFINDEX", "ifindex",  ID,     ifindex, X),
	C("QUEUE",   "QUEUE",   "queue",    NUMBER, index, 0),
	C("FROM",    "FROM",    "rps-from", TEXT,   from, 0),
	C("TO",      "TO",      "rps-to",   TEXT,   to, 0),
	C("REASON",  "REASON",  "reason",   TEXT,   reason, X),
	C("WHY",     "WHY",     "why",      TEXT,   why, NB_COLUMN_WRAP),
#undef C
};
FORM(planned_rps, "rps", planned_rps_columns);

static const struct nb_column setting_columns[] = {
#define C(...) COLUMN(setting, __VA_ARGS__)
	C("SECTION", "SECTION", "section", TEXT, section, 0),
	C("KEY",     "KEY",     "key",     TEXT, key, 0),
	C("VALUE",   "VALUE",   "value",   TEXT, value, 0),
	C("DEFAULT", "DEFAULT", "default", TEXT, fallback, 0),
	C("ORIGIN",  "ORIGIN",  "origin",  TEXT, origin, 0),
#undef C
};
FORM(settings, "config", setting_columns);

static const struct nb_column latency_columns[] = {
#define C(...) COLUMN(latency, __VA_ARGS__)
	C("CPU",  "CPU",    "cpu",            CPU,     cpu, 0),
	C("RUNS", "RUNS",   "runs",           COUNT64, n_runs, 0),
	C("P50",  "P50 us", "p50-below-usec", BOUND,   p50, 0),
	C("P99",  "P99 us", "p99-below-usec", BOUND,   p99, 0),
	C("MAX",  "MAX us", "max-below-usec", BOUND,   max, 0),
#undef C
};
FORM(latency, "latency", latency_columns);
/* clang-format on */
