/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/show/columns.h"

#define X NB_COLUMN_EXTRA
#define C(name, heading, field, cell, flags)                \
	{                                                   \
		name, heading, field, NB_CELL_##cell, flags \
	}
#define FORM(id, json_name, list)                \
	const struct nb_form nb_form_##id = {    \
		.name = json_name,               \
		.columns = list,                 \
		.n_columns = G_N_ELEMENTS(list), \
	}

/* clang-format off */
static const struct nb_column cpu_columns[] = {
	C("CPU",        "CPU",         "cpu",                    NUMBER,      0),
	C("CORE",       "CORE",        "core",                   NUMBER,      X),
	C("LLC",        "LLC",         "llc",                    NUMBER,      X),
	C("NODE",       "NODE",        "node",                   NUMBER,      0),
	C("CAPACITY",   "CAPACITY %",  "capacity-percent",       SHARE,       NB_COLUMN_RARE),
	C("BUSY",       "BUSY %",      "busy-percent",           SHARE,       NB_COLUMN_HEAT),
	C("LOAD",       "LOAD",        "",                       BAR,         NB_COLUMN_SCREEN),
	C("QUEUES",     "QUEUES %",    "queues-percent",         SHARE,       0),
	C("FIXED",      "FIXED %",     "fixed-percent",          SHARE,       0),
	C("BACKLOG",    "BACKLOG %",   "backlog-percent",        SHARE,       X),
	C("SOFTIRQ",    "SOFTIRQ %",   "softirq-percent",        SHARE,       0),
	C("IRQ",        "IRQ %",       "irq-percent",            SHARE,       X),
	C("SERVES",     "SERVES",      "queues",                 NUMBER,      0),
	C("DROPS",      "DROPS",       "dropped",                COUNT,       0),
	C("SQUEEZED",   "SQUEEZED",    "squeezed",               COUNT,       X),
	C("WAIT",       "WAIT",        "delay-p99-usec",         COUNT,       NB_COLUMN_RARE),
	C("INTRUSIONS", "INTRUSIONS",  "intrusions",             COUNT,       NB_COLUMN_RARE),
	C("NOTE",       "NOTE",        "note",                   WORDS,       0),
};
FORM(cpus, "cpus", cpu_columns);

static const struct nb_column nic_columns[] = {
	C("NIC",        "NIC",         "nic",                    TEXT,        0),
	C("IFINDEX",    "IFINDEX",     "ifindex",                NUMBER,      X),
	C("DRIVER",     "DRIVER",      "driver",                 TEXT,        0),
	C("NODE",       "NODE",        "node",                   NUMBER,      0),
	C("MASTER",     "MASTER",      "master",                 TEXT,        0),
	C("SCOPE",      "SCOPE",       "scope",                  TEXT,        X),
	C("RX",         "RX",          "rx-queues",              NUMBER,      0),
	C("TX",         "TX",          "tx-queues",              NUMBER,      0),
	C("QUEUES",     "QUEUES",      "queues",                 NUMBER,      X),
	C("SLOW-PATH",  "SLOW PATH",   "slow-path-vectors",      NUMBER,      X),
	C("MAPPING",    "IRQS BY",     "mapping",                TEXT,        0),
	C("PACKETS",    "PACKETS BY",  "packets",                TEXT,        0),
	C("DROPS",      "DROPS/s",     "dropped-per-second",     COUNT,       0),
	C("CAUSE",      "CAUSE",       "drops-cause",            TEXT,        X),
};
FORM(nics, "nics", nic_columns);

static const struct nb_column queue_columns[] = {
	C("NIC",        "NIC",         "nic",                    TEXT,        0),
	C("IFINDEX",    "IFINDEX",     "ifindex",                NUMBER,      X),
	C("QUEUE",      "QUEUE",       "queue",                  NUMBER,      0),
	C("HAS-RX",     "HAS RX",      "has-rx",                 TEXT,        X),
	C("HAS-TX",     "HAS TX",      "has-tx",                 TEXT,        X),
	C("IRQ",        "IRQ",         "irqs",                   TEXT,        0),
	C("CHANNEL",    "CHANNEL",     "channel",                NUMBER,      NB_COLUMN_RARE),
	C("CPU",        "CPU",         "cpu",                    NUMBER,      0),
	C("TIME",       "TIME %",      "time-percent",           SMALL_SHARE, NB_COLUMN_HEAT),
	C("THREADED",   "THREADED %",  "threaded-percent",       SMALL_SHARE, NB_COLUMN_RARE),
	C("SATURATED",  "SATURATED",   "saturated",              TEXT,        X),
	C("RX",         "RX/s",        "rx-packets-per-second",  COUNT,       0),
	C("TX",         "TX/s",        "tx-packets-per-second",  COUNT,       0),
	C("IRQS",       "IRQ/s",       "interrupts-per-second",  COUNT,       0),
	C("DROPS",      "DROPS/s",     "dropped-per-second",     COUNT,       NB_COLUMN_RARE),
	C("RPS",        "RPS",         "rps-cpus",               TEXT,        0),
	C("NOTE",       "NOTE",        "note",                   WORDS,       0),
};
FORM(queues, "queues", queue_columns);

/* Of what was done, and of what would have been done: that has no time of day. */
#define MOVE_COLUMNS \
	C("KIND",       "KIND",        "kind",                   TEXT,        X), \
	C("EVENT",      "EVENT",       "event",                  TEXT,        X), \
	C("REASON",     "REASON",      "reason",                 TEXT,        X), \
	C("OUTCOME",    "OUTCOME",     "outcome",                TEXT,        X), \
	C("EFFECT",     "EFFECT",      "effect",                 TEXT,        X), \
	C("IFINDEX",    "IFINDEX",     "ifindex",                NUMBER,      X), \
	C("NIC",        "NIC",         "nic",                    TEXT,        X), \
	C("QUEUE",      "QUEUE",       "queue",                  NUMBER,      X), \
	C("IRQ",        "IRQ",         "irqs",                   TEXT,        X), \
	C("CHANNEL",    "CHANNEL",     "channel",                NUMBER,      X), \
	C("FROM",       "FROM",        "cpu-from",               NUMBER,      X), \
	C("TO",         "TO",          "cpu-to",                 NUMBER,      X), \
	C("RPS-FROM",   "RPS FROM",    "rps-from",               TEXT,        X), \
	C("RPS-TO",     "RPS TO",      "rps-to",                 TEXT,        X), \
	C("RSS-QUEUES", "RSS QUEUES",  "rss-queues",             TEXT,        X), \
	C("RSS-MOVED",  "RSS MOVED",   "rss-moved",              NUMBER,      X), \
	C("SETTING",    "SETTING",     "setting-to",             TEXT,        X), \
	C("LOAD",       "LOAD %",      "load-percent",           SMALL_SHARE, X), \
	C("BEFORE",     "BEFORE %",    "before-percent",         SHARE,       X), \
	C("PREDICTED",  "PREDICTED %", "predicted-percent",      SHARE,       X), \
	C("MEASURED",   "MEASURED %",  "measured-percent",       SHARE,       X), \
	C("WHAT",       "WHAT",        "what",                   TEXT,        NB_COLUMN_WRAP), \
	C("WHY",        "WHY",         "why",                    TEXT,        NB_COLUMN_WRAP), \
	C("RESULT",     "RESULT",      "result",                 TEXT,        NB_COLUMN_WRAP)

static const struct nb_column move_columns[] = {
	C("TIME",       "TIME",        "time",                   TIME,        0),
	MOVE_COLUMNS,
};
FORM(moves, "moves", move_columns);

static const struct nb_column rehearsed_move_columns[] = {
	C("TIME",       "TIME",        "time-seconds",           SPAN,        0),
	MOVE_COLUMNS,
};
FORM(rehearsed_moves, "moves", rehearsed_move_columns);

static const struct nb_column run_columns[] = {
	C("RUN",        "RUN",         "run",                    TEXT,        0),
	C("MEAN",       "MEAN %",      "hottest-mean-percent",   SHARE,       NB_COLUMN_HEAT),
	C("P99",        "P99 %",       "hottest-p99-percent",    SHARE,       NB_COLUMN_HEAT),
	C("HOT",        "ABOVE 90 %",  "above-90-percent-seconds",SPAN,        0),
	C("DROPS",      "DROPS",       "dropped",                COUNT,       0),
	C("MOVES",      "MOVES",       "moves",                  NUMBER,      0),
	C("STEERED",    "RPS",         "rps-changes",            NUMBER,      0),
	C("PING-PONGS", "PING-PONGS",  "ping-pongs",             NUMBER,      0),
};
FORM(runs, "runs", run_columns);

static const struct nb_column verdict_columns[] = {
	C("FOR",        "FOR",         "seconds",                SPAN,        0),
	C("SHARE",      "SHARE %",     "percent",                SHARE,       0),
	C("WORD",       "WORD",        "verdict",                TEXT,        X),
	C("VERDICT",    "VERDICT",     "verdict-text",           TEXT,        NB_COLUMN_WRAP),
};
FORM(verdicts, "verdicts", verdict_columns);

static const struct nb_column advice_columns[] = {
	C("NIC",        "NIC",         "nic",                    TEXT,        0),
	C("WORD",       "WORD",        "advice",                 TEXT,        X),
	C("ADVICE",     "ADVICE",      "text",                   TEXT,        NB_COLUMN_WRAP),
};
FORM(advice, "advice", advice_columns);

static const struct nb_column excluded_columns[] = {
	C("KIND",       "KIND",        "kind",                   TEXT,        0),
	C("WHAT",       "WHAT",        "what",                   TEXT,        0),
	C("REASON",     "REASON",      "reason",                 TEXT,        X),
	C("WHY",        "WHY",         "why",                    TEXT,        NB_COLUMN_WRAP),
};
FORM(excluded, "excluded", excluded_columns);

static const struct nb_column intrusion_columns[] = {
	C("CPU",        "CPU",         "cpu",                    NUMBER,      0),
	C("WHAT",       "WHAT",        "what",                   TEXT,        0),
	C("COUNT",      "COUNT",       "count",                  NUMBER,      0),
	C("LEAVING",    "LEAVING",     "leaving",                NUMBER,      0),
	C("ALLOWED",    "ALLOWED",     "allowed",                NUMBER,      0),
	C("LAST",       "LAST",        "last",                   TIME,        0),
	C("WHY",        "WHY",         "why",                    TEXT,        NB_COLUMN_WRAP),
};
FORM(intrusions, "intrusions", intrusion_columns);

static const struct nb_column change_columns[] = {
	C("KIND",       "KIND",        "kind",                   TEXT,        X),
	C("NIC",        "NIC",         "nic",                    TEXT,        X),
	C("IFINDEX",    "IFINDEX",     "ifindex",                NUMBER,      X),
	C("QUEUE",      "QUEUE",       "queue",                  NUMBER,      X),
	C("IRQ",        "IRQ",         "irqs",                   TEXT,        X),
	C("CHANNEL",    "CHANNEL",     "channel",                NUMBER,      X),
	C("FROM",       "FROM CPU",    "cpu-from",               NUMBER,      X),
	C("TO",         "TO CPU",      "cpu-to",                 NUMBER,      X),
	C("RPS-FROM",   "RPS FROM",    "rps-from",               TEXT,        X),
	C("RPS-TO",     "RPS TO",      "rps-to",                 TEXT,        X),
	C("RSS-QUEUES", "RSS QUEUES",  "rss-queues",             TEXT,        X),
	C("RSS-MOVED",  "RSS MOVED",   "rss-moved",              NUMBER,      X),
	C("WHAT",       "WHAT",        "what",                   TEXT,        NB_COLUMN_WRAP),
	C("LOAD",       "LOAD %",      "load-percent",           SMALL_SHARE, 0),
	C("FROM-BEFORE","FROM NOW %",  "source-before-percent",  SHARE,       NB_COLUMN_HEAT),
	C("FROM-AFTER", "THEN %",      "source-after-percent",   SHARE,       NB_COLUMN_HEAT),
	C("TO-BEFORE",  "TO NOW %",    "target-before-percent",  SHARE,       NB_COLUMN_HEAT),
	C("TO-AFTER",   "THEN %",      "target-after-percent",   SHARE,       NB_COLUMN_HEAT),
	C("REASON",     "REASON",      "reason",                 TEXT,        X),
	C("WHY",        "WHY",         "why",                    TEXT,        NB_COLUMN_WRAP),
};
const struct nb_form nb_form_changes = {
	.parent = "plan", .name = "changes", .columns = change_columns, .n_columns = G_N_ELEMENTS(change_columns)};

static const struct nb_column claim_columns[] = {
	C("ID",         "ID",          "id",                     NUMBER,      0),
	C("KIND",       "KIND",        "kind",                   TEXT,        0),
	C("TARGET",     "TARGET",      "target",                 TEXT,        0),
	C("PRESENT",    "PRESENT",     "present",                TEXT,        0),
	C("CPUS",       "CPUS",        "cpus",                   TEXT,        0),
	C("EXCLUSIVE",  "EXCLUSIVE",   "exclusive",              TEXT,        0),
	C("OWNER",      "OWNER",       "owner",                  TEXT,        0),
	C("SINCE",      "SINCE",       "since",                  TIME,        0),
	C("ENDS",       "ENDS",        "ends",                   TIME,        0),
	C("CONNECTED",  "CONNECTED",   "while-connected",        TEXT,        0),
};
FORM(claims, "claims", claim_columns);

static const struct nb_column owner_columns[] = {
	C("NIC",        "NIC",         "nic",                    TEXT,        0),
	C("QUEUE",      "QUEUE",       "queue",                  TEXT,        0),
	C("IRQ",        "IRQ",         "irq",                    NUMBER,      0),
	C("SETTING",    "SETTING",     "setting",                TEXT,        0),
	C("VALUE",      "VALUE",       "value",                  TEXT,        NB_COLUMN_WRAP),
	C("WHO",        "WHO",         "who",                    TEXT,        0),
	C("OWNER",      "OWNER",       "owner",                  TEXT,        0),
	C("SINCE",      "SINCE",       "since",                  TIME,        0),
};
FORM(owners, "owners", owner_columns);

static const struct nb_column setting_columns[] = {
	C("SECTION",    "SECTION",     "section",                TEXT,        0),
	C("KEY",        "KEY",         "key",                    TEXT,        0),
	C("VALUE",      "VALUE",       "value",                  TEXT,        0),
	C("DEFAULT",    "DEFAULT",     "default",                TEXT,        0),
	C("ORIGIN",     "ORIGIN",      "origin",                 TEXT,        0),
};
FORM(settings, "config", setting_columns);

static const struct nb_column latency_columns[] = {
	C("CPU",        "CPU",         "cpu",                    CPU,         0),
	C("RUNS",       "RUNS",        "runs",                   COUNT,       0),
	C("P50",        "P50 us",      "p50-below-usec",         BOUND,       0),
	C("P99",        "P99 us",      "p99-below-usec",         BOUND,       0),
	C("MAX",        "MAX us",      "max-below-usec",         BOUND,       0),
};
FORM(latency, "latency", latency_columns);
/* clang-format on */
