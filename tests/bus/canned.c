/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus/canned.h"

#include "document/document.h"

#include "base/cpumask_text.h"
#include "base/refusal.h"

#include <errno.h>
#include <glib/gstdio.h>

#define SEC NB_NSEC_PER_SEC
#define NOW_NSEC (1000 * SEC)
#define STARTED_USEC (UINT64_C(1767225600) * 1000000) /* 2026-01-01 00:00:00 UTC */

static struct nb_cpu cpus[8];
static struct nb_cpu_load cpu_loads[8];
static struct nb_nic nics[] = {
	{.ifindex = 1, .name = "lo", .node = NB_NODE_NONE, .scope = NB_SCOPE_VIRTUAL},
	{.ifindex = 2,
	 .name = "eth0",
	 .driver = "igb",
	 .node = 0,
	 .spill = true,
	 .master = 4,
	 .mapping = NB_MAPPING_NAMES,
	 .packets = NB_PACKETS_ETHTOOL,
	 .n_rx = 4,
	 .n_tx = 4,
	 .n_slow_path = 1,
	 .n_channels = 4,
	 .most_channels = 6,
	 .combines_channels = true,
	 .udp_hash = NB_UDP_HASH_ADDRESSES},
	{.ifindex = 3, .name = "eth1", .driver = "igb", .node = 1, .scope = NB_SCOPE_DOWN},
	{.ifindex = 4, .name = "bond0", .node = NB_NODE_NONE, .scope = NB_SCOPE_STACKED},
};
static struct nb_queue queues[] = {
	{.key = {2, 0}, .has_rx = true, .has_tx = true, .n_irqs = 1, .irqs = {40}},
	{.key = {2, 1}, .has_rx = true, .has_tx = true, .n_irqs = 2, .irqs = {41, 42}},
	{.key = {2, 2}, .has_rx = true, .has_tx = true, .n_irqs = 1, .irqs = {43}},
	{.key = {2, 3}, .has_rx = true, .has_tx = false, .n_irqs = 0},
};
static struct nb_queue_state states[] = {
	{.key = {2, 0}, .affinity_cpu = 0, .effective_cpu = 0},
	{.key = {2, 1}, .affinity_cpu = 0, .effective_cpu = 0},
	{.key = {2, 2}, .affinity_cpu = -1, .effective_cpu = 3},
	{.key = {2, 3}, .affinity_cpu = -1, .effective_cpu = -1},
};
static struct nb_queue_load queue_loads[] = {
	{.key = {2, 0},
	 .cpu = 0,
	 .time = 4510,
	 .window_time = 4490,
	 .rx_packets_per_sec = 812000,
	 .tx_packets_per_sec = 790500,
	 .interrupts_per_sec = 1200},
	{.key = {2, 1},
	 .cpu = 0,
	 .time = 4200,
	 .window_time = 4215,
	 .rx_packets_per_sec = 750000,
	 .tx_packets_per_sec = 1,
	 .interrupts_per_sec = 900},
	{.key = {2, 2}, .cpu = -1, .time = 35, .rx_packets_per_sec = 10, .interrupts_per_sec = 12},
	{.key = {2, 3}, .cpu = -1},
};
static struct nb_nic_load nic_loads[] = {{.ifindex = 2, .known = true}};
static struct nb_queue_memory queue_memory[] = {
	{.key = {2, 0}, .expected_cpu = 0, .moved_nsec = 900 * SEC},
	{.key = {2, 1},
	 .expected_cpu = 0,
	 .yielded_until_nsec = NOW_NSEC + 60 * SEC,
	 .moved_nsec = 800 * SEC},
	{.key = {2, 2}, .expected_cpu = -1, .refused = true},
	{.key = {2, 3}, .expected_cpu = -1, .fresh = true},
};
static struct nb_rps_state rps[1] = {{.key = {2, 0}}};
static struct nb_rps_memory rps_memory[1] = {
	{.key = {2, 3}, .yielded_until_nsec = NOW_NSEC + 30 * SEC}};
static struct nb_cpu_memory no_vector_cpus[] = {{.id = 2, .no_vector_until_nsec = NOW_NSEC + SEC}};
static struct nb_move moves[] = {
	{.key = {2, 1},
	 .reason = NB_REASON_BALANCE,
	 .cpu_from = 0,
	 .cpu_to = 1,
	 .load = 4200,
	 .source_before = 9310,
	 .source_after = 5110,
	 .target_before = 1200,
	 .target_after = 5400},
};

static char off[] = "", two_cpus[] = "2-3", four_queues[] = "0-3";
static struct nb_record history[] = {
	{.realtime_usec = STARTED_USEC + 1000000,
	 .event = NB_EVENT_MOVED,
	 .reason = NB_REASON_COLLAPSED,
	 .effect = NB_EFFECT_WORKED,
	 .key = {2, 0},
	 .netdev = "eth0",
	 .n_irqs = 1,
	 .irqs = {40},
	 .cpu_from = 1,
	 .cpu_to = 0,
	 .load = 4000,
	 .before = 9210,
	 .predicted = 5210,
	 .measured = 5300},
	{.realtime_usec = STARTED_USEC + 2000000,
	 .event = NB_EVENT_MOVED,
	 .reason = NB_REASON_BALANCE,
	 .outcome = NB_OUTCOME_REFUSED,
	 .key = {2, 2},
	 .netdev = "eth0",
	 .n_irqs = 1,
	 .irqs = {43},
	 .cpu_from = 3,
	 .cpu_to = 1,
	 .load = 1000,
	 .before = 8000,
	 .predicted = 7000,
	 .measured = NB_UNMEASURED},
	{.realtime_usec = STARTED_USEC + 3000000,
	 .event = NB_EVENT_YIELDED,
	 .reason = _NB_REASON_INVALID,
	 .key = {2, 1},
	 .netdev = "eth0",
	 .n_irqs = 2,
	 .irqs = {41, 42},
	 .cpu_from = 2,
	 .cpu_to = 0,
	 .measured = NB_UNMEASURED},
	{.realtime_usec = STARTED_USEC + 4000000,
	 .event = NB_EVENT_STEERED,
	 .kind = NB_KIND_RPS,
	 .reason = NB_REASON_RPS_WIDEN,
	 .key = {2, 0},
	 .netdev = "eth0",
	 .cpu_from = -1,
	 .cpu_to = -1,
	 .rps_from = off,
	 .rps_to = two_cpus,
	 .measured = NB_UNMEASURED},
	{.realtime_usec = STARTED_USEC + 5000000,
	 .event = NB_EVENT_REDIRECTED,
	 .kind = NB_KIND_RSS,
	 .reason = NB_REASON_RSS_SPREAD,
	 .key = {2, 0},
	 .netdev = "eth0",
	 .cpu_from = -1,
	 .cpu_to = -1,
	 .rss_queues = four_queues,
	 .rss_moved = 12,
	 .rss_entries = 128,
	 .measured = NB_UNMEASURED},
};

static struct nb_excluded_cpu excluded_cpus[] = {
	{.cpu = 3, .since_realtime_usec = STARTED_USEC},
	{.cpu = 6,
	 .is_excluded = true,
	 .since_realtime_usec = STARTED_USEC,
	 .counted_nsec = 2 * SEC,
	 .counted_realtime_usec = STARTED_USEC + 2000000,
	 .count = 9},
	{.cpu = 7, .is_excluded = true, .since_realtime_usec = STARTED_USEC + 1000000},
};
static struct nb_intrusion intrusions[] = {
	{.cpu = 6,
	 .number = 43,
	 .handlers = "eth0-rx-2",
	 .count = 7,
	 .leaving = 3,
	 .last_realtime_usec = STARTED_USEC + 9000000},
	{.cpu = 6,
	 .number = 60,
	 .handlers = "nvme0q1",
	 .count = 2,
	 .last_realtime_usec = STARTED_USEC + 9000000},
	{.cpu = 6,
	 .source = NB_SOURCE_SOFTIRQ,
	 .number = NB_SOFTIRQ_NET_RX,
	 .leaving = 12,
	 .last_realtime_usec = STARTED_USEC + 3000000},
	{.cpu = 7,
	 .number = 70,
	 .allowed = 5,
	 .is_allowed = true,
	 .last_realtime_usec = STARTED_USEC + 3000000},
	{.cpu = 7,
	 .number = 71,
	 .handlers = "usdpaa_irq",
	 .count = 4,
	 .last_realtime_usec = STARTED_USEC + 3000000},
	{.cpu = 7,
	 .source = NB_SOURCE_SOFTIRQ,
	 .number = NB_SOFTIRQ_TASKLET,
	 .allowed = 1,
	 .is_allowed = true,
	 .last_realtime_usec = STARTED_USEC + 3000000},
};

/* Two of a virtual function that a container has; one of a portal that an application has. */
static struct nb_device_irq device_irqs[] = {
	{.irq = 60, .handlers = "nvme0q1", .device = "0000:01:00.0"},
	{.irq = 61, .handlers = "iavf-eth0-TxRx-0", .device = "0000:3b:02.1", .foreign = true},
	{.irq = 62, .handlers = "iavf-eth0-TxRx-1", .device = "0000:3b:02.1", .foreign = true},
	{.irq = 71, .handlers = "usdpaa_irq", .settable = true, .portal = true},
};
static struct nb_pool rps_pools[] = {
	{.key = {2, NB_EVERY_QUEUE}, .rule = NB_RULE_LINK, .cpus = {.words = {0xc}}},
};
static struct nb_machine machine = {
	.generation = 1,
	.accounting = NB_ACCOUNTING_TICK,
	.topology = {.n_possible = 8, .cpus = cpus, .n_cpus = G_N_ELEMENTS(cpus)},
	.nics = nics,
	.n_nics = G_N_ELEMENTS(nics),
	.queues = queues,
	.n_queues = G_N_ELEMENTS(queues),
	.device_irqs = device_irqs,
	.n_device_irqs = G_N_ELEMENTS(device_irqs),
	.rps_pools = {rps_pools, G_N_ELEMENTS(rps_pools)},
};
static struct nb_snapshot snapshot = {
	.taken_nsec = NOW_NSEC,
	.grade = NB_GRADE_ESTIMATED,
	.machine = &machine,
	.queues = states,
	.n_queues = G_N_ELEMENTS(states),
	.rps = rps,
	.n_rps = G_N_ELEMENTS(rps),
};
static struct nb_loads loads = {
	.taken_nsec = NOW_NSEC,
	.window_nsec = SEC,
	.noise = 120,
	.cpus = cpu_loads,
	.n_cpus = G_N_ELEMENTS(cpu_loads),
	.queues = queue_loads,
	.n_queues = G_N_ELEMENTS(queue_loads),
	.nics = nic_loads,
	.n_nics = G_N_ELEMENTS(nic_loads),
};
static struct nb_pool written[] = {
	{.key = {0, 50},
	 .rule = NB_RULE_WRITTEN,
	 .pin = true,
	 .since_nsec = NOW_NSEC - 90 * SEC,
	 .cpus = {.words = {0x1}}},
	{.key = {2, 1},
	 .rule = NB_RULE_WRITTEN,
	 .since_nsec = NOW_NSEC - 5 * SEC,
	 .cpus = {.words = {0x3}}},
	{.key = {2, 2},
	 .rule = NB_RULE_WRITTEN,
	 .pin = true,
	 .since_nsec = NOW_NSEC - 7 * SEC,
	 .cpus = {.words = {0x80}}},
};
static struct nb_spell full_nodes[] = {
	{.ifindex = 2, .since_nsec = NOW_NSEC - 240 * SEC, .seen_nsec = NOW_NSEC},
};
static struct nb_spell lopsided[] = {
	{.ifindex = 2, .since_nsec = NOW_NSEC - 20 * SEC, .seen_nsec = NOW_NSEC - 5 * SEC},
};

static struct nb_memory memory = {
	.full_nodes = {.rows = full_nodes, .n = G_N_ELEMENTS(full_nodes)},
	.lopsided = {.rows = lopsided, .n = G_N_ELEMENTS(lopsided)},
	.generation = 1,
	.queues = queue_memory,
	.n_queues = G_N_ELEMENTS(queue_memory),
	.rps = rps_memory,
	.n_rps = G_N_ELEMENTS(rps_memory),
	.written = {written, G_N_ELEMENTS(written)},
	.no_vector_cpus = no_vector_cpus,
	.n_no_vector_cpus = G_N_ELEMENTS(no_vector_cpus),
};
static struct nb_rps_change planned_rps = {.key = {2, 0}, .reason = NB_REASON_RPS_WIDEN};
static struct nb_move device_move = {
	.key = {0, 50}, .reason = NB_REASON_DEVICE_CROWDED, .cpu_from = 0, .cpu_to = 4};
static struct nb_rss_change planned_rss = {.key = {2, 0}, .reason = NB_REASON_RSS_EMPTY};
static struct nb_threaded_change planned_napis = {
	.key = {2, NB_EVERY_QUEUE}, .reason = NB_REASON_THREADED_ON, .on = true};
static struct nb_follow_change planned_xps = {.key = {2, 0}, .reason = NB_REASON_XPS_FOLLOW};
static struct nb_follow_change planned_threads = {.key = {2, 0}, .reason = NB_REASON_THREAD_FOLLOW};
static struct nb_setting_change planned_flows = {
	.key = {2, 0}, .reason = NB_REASON_CONFIGURED, .to = 32768};
static struct nb_setting_change planned_hash = {.key = {2, 0},
						.reason = NB_REASON_CONFIGURED,
						.from = NB_UDP_HASH_ADDRESSES,
						.to = NB_UDP_HASH_PORTS};
static struct nb_setting_change planned_channels = {
	.key = {2, 0}, .reason = NB_REASON_UNCONFIGURED, .from = 8};
static struct nb_change changes[] = {
	{NB_KIND_QUEUE, {2, 1}, NB_REASON_BALANCE, NB_OUTCOME_APPLIED, {.move = &moves[0]}},
	{NB_KIND_RPS, {2, 0}, NB_REASON_RPS_WIDEN, NB_OUTCOME_APPLIED, {.rps = &planned_rps}},
	{NB_KIND_DEVICE_IRQ,
	 {0, 50},
	 NB_REASON_DEVICE_CROWDED,
	 NB_OUTCOME_APPLIED,
	 {.move = &device_move}},
	{NB_KIND_RSS, {2, 0}, NB_REASON_RSS_EMPTY, NB_OUTCOME_APPLIED, {.rss = &planned_rss}},
	{NB_KIND_THREADED,
	 {2, NB_EVERY_QUEUE},
	 NB_REASON_THREADED_ON,
	 NB_OUTCOME_APPLIED,
	 {.threaded = &planned_napis}},
	{NB_KIND_XPS, {2, 0}, NB_REASON_XPS_FOLLOW, NB_OUTCOME_APPLIED, {.follow = &planned_xps}},
	{NB_KIND_THREAD,
	 {2, 0},
	 NB_REASON_THREAD_FOLLOW,
	 NB_OUTCOME_REFUSED,
	 {.follow = &planned_threads}},
	{NB_KIND_RFS,
	 {2, 0},
	 NB_REASON_CONFIGURED,
	 NB_OUTCOME_APPLIED,
	 {.setting = &planned_flows}},
	{NB_KIND_UDP_HASH,
	 {2, 0},
	 NB_REASON_CONFIGURED,
	 NB_OUTCOME_APPLIED,
	 {.setting = &planned_hash}},
	{NB_KIND_CHANNELS,
	 {2, 0},
	 NB_REASON_UNCONFIGURED,
	 NB_OUTCOME_APPLIED,
	 {.setting = &planned_channels}},
};
static struct nb_plan plan = {
	.verdict = NB_VERDICT_BALANCING,
	.hottest_cpu = 0,
	.hottest = 9310,
	.mean = 2410,
	.gain_needed = 500,
	.changes = changes,
	.n_changes = G_N_ELEMENTS(changes),
};

/* Rest and queues of each CPU, in basis points. */
static const uint32_t shares[8][2] = {
	{600, 8710}, {1200, 0}, {6100, 0}, {500, 35}, {0, 0}, {0, 0}, {100, 0}, {0, 0},
};

static void fill_cpus(void)
{
	for (unsigned i = 0; i < 8; i++) {
		cpus[i] = (struct nb_cpu){.id = i,
					  .core = i,
					  .llc = i < 4 ? 0 : 4,
					  .node = i / 4,
					  .capacity = NB_WHOLE};
		cpu_loads[i] = (struct nb_cpu_load){
			.id = i,
			.busy = shares[i][0] + shares[i][1],
			.queues = shares[i][1],
			.fixed = shares[i][0],
			.window_fixed = shares[i][0],
			.softirq = shares[i][1],
		};
		nb_cpumask_add(&machine.topology.online, i);
	}
	cpu_loads[0].dropped = 3;
	cpu_loads[0].squeezed = 17;
}

static void set_orders(struct canned *canned)
{
	canned->orders[0] = (struct nb_order){
		.id = 3,
		.target = {NB_TARGET_QUEUE, "eth1", 2},
		.exclusive = true,
		.owner = "kubelet",
		.since_realtime_usec = STARTED_USEC,
		.ends_nsec = NOW_NSEC + 60 * SEC,
		.ends_realtime_usec = STARTED_USEC + 60000000,
	};
	canned->orders[1] = (struct nb_order){
		.id = 4,
		.owner = "operator",
		.connection = ":1.7",
		.since_realtime_usec = STARTED_USEC + 5000000,
	};
	nb_cpumask_add(&canned->orders[0].cpus, 4);
	nb_cpumask_add(&canned->orders[0].cpus, 5);
	nb_cpumask_add(&canned->orders[1].cpus, 5);
	canned->status.orders = canned->orders;
	canned->status.n_orders = 2;
}

void canned_init(struct canned *canned)
{
	g_autoptr(nb_sysroot) nowhere = NULL;
	g_autofree char *error = NULL;
	g_autofree char *dir = g_dir_make_tmp("nicbalance-canned-XXXXXX", NULL);

	fill_cpus();
	nb_cpumask_add(&machine.topology.isolated, 7);
	nb_cpumask_add(&machine.topology.isolated_by[NB_ISOLATION_DOMAIN], 7);
	nb_cpumask_add(&rps[0].cpus, 2);
	nb_cpumask_add(&rps[0].cpus, 3);
	nb_cpumask_add(&planned_rps.to, 2);
	nb_cpumask_add(&planned_rps.to, 3);
	nb_cpumask_add(&planned_rss.queues, 0);
	nb_cpumask_add(&planned_rss.queues, 2);

	*canned = (struct canned){.recorder = nb_recorder_new()};
	g_assert_cmpint(nb_sysroot_open(dir, &nowhere), ==, 0);
	g_assert_cmpint(nb_config_load(nowhere, NULL, &canned->config, &error), ==, 0);
	nb_cpumask_add(&canned->config->policy.banned, 6);
	g_assert_cmpint(g_rmdir(dir), ==, 0);
	canned->status = (struct nb_status){
		.started_realtime_usec = STARTED_USEC,
		.cycles = 3600,
		.cpu_time_nsec = UINT64_C(1234567890),
		.start_cpu_time_nsec = UINT64_C(345678901),
		.recent_cpu_time_nsec = UINT64_C(30000000),
		.recent_nsec = UINT64_C(60000000000),
		.grade_reason = "the kernel has no BTF",
		.policy = &canned->config->policy,
		.banned_by = "/etc/default/irqbalance:3",
		.snapshot = &snapshot,
		.loads = &loads,
		.plan = &plan,
		.memory = &memory,
		.excluded_cpus = excluded_cpus,
		.n_excluded_cpus = G_N_ELEMENTS(excluded_cpus),
		.intrusions = intrusions,
		.n_intrusions = G_N_ELEMENTS(intrusions),
		.history = history,
		.n_history = G_N_ELEMENTS(history),
	};
	set_orders(canned);
}

void canned_make_full(struct canned *canned)
{
	snapshot.grade = NB_GRADE_MEASURED;
	cpu_loads[0].delay_known = true;
	cpu_loads[0].delay_usec = 5400;
	queue_loads[0].saturated = true;
	queue_loads[0].drops_known = true;
	queue_loads[0].dropped_per_sec = 3100;
	queue_loads[1].deferred = true;
	queue_loads[1].interrupts_per_sec = 0;
	queue_loads[2].threaded = 1234;
	nic_loads[0].dropped_per_sec = 4200;
	nic_loads[0].cause = NB_DROPS_FULL_CPU;
	canned->status.grade_reason = "eBPF times softirqs, interrupts and NAPI polls (tp_btf)";
	canned->status.probe_cost_nsec = UINT64_C(987654321);
	canned->n_watched = 1;
}

void canned_clear(struct canned *canned)
{
	nb_recorder_free(canned->recorder);
	nb_config_free(canned->config);
}

static void get_status(void *userdata, struct nb_status *ret)
{
	struct canned *canned = userdata;

	if (canned->before_first_cycle)
		*ret = (struct nb_status){.policy = canned->status.policy,
					  .started_realtime_usec = STARTED_USEC};
	else
		*ret = canned->status;
}

static const struct nb_config *get_config(void *userdata)
{
	struct canned *canned = userdata;

	return canned->config;
}

static int set_paused(void *userdata, bool paused, char **ret_error)
{
	struct canned *canned = userdata;

	if (canned->fails) {
		*ret_error = g_strdup("It is not the time for it.");
		return -EBUSY;
	}
	canned->status.paused = paused;
	return 0;
}

static int restore(void *userdata, unsigned *ret_n_restored, char **ret_error)
{
	struct canned *canned = userdata;

	(void)ret_error;
	canned->status.paused = true;
	nb_bus_emit_record(canned->bus, &history[0]);
	/* Without a sentence: the errno has to do. */
	if (canned->fails)
		return -EAGAIN;
	*ret_n_restored = 5;
	return 0;
}

static int reload(void *userdata, char **ret_error)
{
	const struct canned *canned = userdata;

	if (!canned->fails)
		return 0;
	*ret_error = g_strdup(CANNED_FAULT);
	return -EINVAL;
}

/* CPU 0 is about to wrap; on CPU 1 nothing happens. */
static const struct nb_delays first_delays[] = {
	{.cpu = 0, .counts = {[1] = UINT32_MAX - 999, [4] = 7}},
	{.cpu = 1, .counts = {[1] = 12}},
	{.cpu = 3, .counts = {0}},
};
static const struct nb_delays delays_growth[] = {
	{.cpu = 0, .counts = {[1] = 9000, [4] = 990, [10] = 10}},
	{.cpu = 1, .counts = {0}},
	{.cpu = 3, .counts = {[0] = 1, [NB_DELAYS - 1] = 1}},
};

static int watch_delays(void *userdata, char **ret_error)
{
	struct canned *canned = userdata;

	if (snapshot.grade != NB_GRADE_MEASURED) {
		*ret_error = g_strdup(CANNED_COUNTED);
		return -EOPNOTSUPP;
	}
	canned->n_watched++;
	return 0;
}

static void get_delays(void *userdata, GArray *delays)
{
	const struct canned *canned = userdata;

	for (unsigned i = 0; canned->n_watched > 0 && i < G_N_ELEMENTS(first_delays); i++) {
		struct nb_delays row = first_delays[i];

		for (unsigned j = 0; j < NB_DELAYS; j++)
			row.counts[j] += (canned->n_watched - 1) * delays_growth[i].counts[j];
		g_array_append_val(delays, row);
	}
}

static int deny(const struct canned *canned, struct nb_refusal *ret)
{
	if (!canned->fails)
		return 0;
	nb_refuse(-EBUSY, NB_REFUSAL_TAKEN, ret, "CPU 2 is taken by another.");
	nb_cpumask_add(&ret->cpus, 2);
	ret->other = canned->orders[0];
	return -EBUSY;
}

/* As order 7, in the place of the last one. What it was told is all in the document. */
static int order(void *userdata, const struct nb_order_request *wanted, uint64_t *ret_id,
		 char **ret_remains, struct nb_refusal *ret)
{
	struct canned *canned = userdata;
	struct nb_order *last = &canned->orders[2];

	if (deny(canned, ret) < 0)
		return -EBUSY;
	*last = (struct nb_order){.id = 7, .exclusive = wanted->exclusive};
	g_assert_cmpint(nb_cpumask_parse_list(wanted->cpus, strlen(wanted->cpus), &last->cpus), ==,
			0);
	g_strlcpy(last->owner, wanted->owner, sizeof(last->owner));
	if (wanted->target) {
		last->target.type = NB_TARGET_NIC;
		last->present = !g_str_equal(wanted->target, "eth9");
		g_strlcpy(last->target.nic, wanted->target, sizeof(last->target.nic));
	}
	if (wanted->connection)
		g_strlcpy(last->connection, wanted->connection, sizeof(last->connection));
	last->ends_nsec = wanted->lease_usec;
	last->ends_realtime_usec = STARTED_USEC + wanted->lease_usec;
	canned->status.n_orders = 3;
	*ret_id = last->id;
	*ret_remains = g_strdup(nb_cpumask_has(&last->cpus, 0) ? CANNED_REMAINS : "");
	return 0;
}

/* Of this owner the last one. */
static int unban(void *userdata, const char *cpu_list, const char *owner, struct nb_refusal *ret)
{
	struct canned *canned = userdata;

	(void)cpu_list;
	if (deny(canned, ret) < 0)
		return -EBUSY;
	g_assert_cmpstr(owner, ==, canned->orders[2].owner);
	canned->status.n_orders = 2;
	return 0;
}

static int release(void *userdata, const char *what, const char *owner, unsigned *ret_n,
		   struct nb_refusal *ret)
{
	struct canned *canned = userdata;

	*ret_n = g_str_equal(what, "all") ? 2 : 1;
	return unban(canned, what, owner, ret);
}

static char *describe_owners(void *userdata)
{
	const struct nb_owned rows[] = {
		{.tunable = NB_TUNABLE_DEFAULT,
		 .queue = -1,
		 .irq = -1,
		 .value = (char *)"0-7",
		 .writer = NB_WRITER_KERNEL},
		{.tunable = NB_TUNABLE_CHANNELS,
		 .nic = "eth0",
		 .queue = -1,
		 .irq = -1,
		 .value = (char *)"combined 4 of 8",
		 .writer = NB_WRITER_FOUND},
		{.tunable = NB_TUNABLE_AFFINITY,
		 .nic = "eth0",
		 .queue = 0,
		 .irq = 40,
		 .value = (char *)"2",
		 .writer = NB_WRITER_OURS,
		 .since_realtime_usec = STARTED_USEC},
		{.tunable = NB_TUNABLE_AFFINITY,
		 .nic = "eth0",
		 .queue = 1,
		 .irq = 41,
		 .value = (char *)"4-5",
		 .writer = NB_WRITER_CLAIM,
		 .owner = "kubelet"},
		{.tunable = NB_TUNABLE_RPS,
		 .nic = "eth0",
		 .queue = 0,
		 .irq = -1,
		 .value = (char *)"off",
		 .writer = NB_WRITER_KERNEL},
		{.tunable = NB_TUNABLE_RPS,
		 .nic = "eth0",
		 .queue = 1,
		 .irq = -1,
		 .value = (char *)"off",
		 .writer = NB_WRITER_KERNEL},
		{.tunable = NB_TUNABLE_RPS,
		 .nic = "eth0",
		 .queue = 2,
		 .irq = -1,
		 .value = (char *)"off",
		 .writer = NB_WRITER_FOREIGN},
		{.tunable = NB_TUNABLE_XPS,
		 .nic = "eth0",
		 .queue = 0,
		 .irq = -1,
		 .value = (char *)"0-3",
		 .writer = NB_WRITER_FOUND},
		{.tunable = NB_TUNABLE_XPS,
		 .nic = "eth0",
		 .queue = 2,
		 .irq = -1,
		 .value = (char *)"0-3",
		 .writer = NB_WRITER_FOUND},
		{.tunable = NB_TUNABLE_AFFINITY,
		 .queue = -1,
		 .irq = 50,
		 .value = (char *)"0-7",
		 .writer = NB_WRITER_FOUND},
	};

	(void)userdata;
	return nb_document_owners(rows, G_N_ELEMENTS(rows));
}

static void end_orders(void *userdata, const char *connection)
{
	struct canned *canned = userdata;

	if (g_str_equal(canned->orders[2].connection, connection))
		canned->status.n_orders = 2;
}

/* What a trace tells of interrupts of other devices: it must not tell the handlers. */
static const struct nb_record others[] = {
	{.event = NB_EVENT_MOVED,
	 .kind = NB_KIND_DEVICE_IRQ,
	 .reason = NB_REASON_DEVICE_CROWDED,
	 .key = {0, 50},
	 .handlers = "ahci",
	 .cpu_from = 0,
	 .cpu_to = 2},
	{.event = NB_EVENT_YIELDED,
	 .kind = NB_KIND_DEVICE_IRQ,
	 .reason = _NB_REASON_INVALID,
	 .key = {0, 51},
	 .handlers = "xhci_hcd",
	 .cpu_from = 3,
	 .cpu_to = -1},
};

/* A second passes before each call but the first. One that fails has forgotten all by the third. */
static void record(void *userdata, uint64_t cursor, struct nb_recorded *ret)
{
	struct canned *canned = userdata;
	struct nb_rules rules;

	if (canned->fails && canned->n_recorded == 2) {
		nb_recorder_free(canned->recorder);
		canned->recorder = nb_recorder_new();
	}
	loads.taken_nsec = NOW_NSEC + canned->n_recorded++ * SEC;
	if (cursor != 0) {
		loads.cpus[0].window_fixed += 123;
		if (canned->n_recorded == 2)
			for (unsigned i = 0; i < G_N_ELEMENTS(others); i++)
				nb_recorder_tell(canned->recorder, &others[i]);
		nb_rules_init(&rules, &snapshot, NULL, NULL);
		nb_recorder_add(canned->recorder, &snapshot, &rules, &loads, &plan);
	}
	nb_recorder_read(canned->recorder, cursor, loads.taken_nsec, ret);
}

const struct nb_handlers canned_handlers = {
	.get_status = get_status,
	.get_config = get_config,
	.set_paused = set_paused,
	.restore = restore,
	.reload = reload,
	.watch_delays = watch_delays,
	.get_delays = get_delays,
	.order = order,
	.unban = unban,
	.release = release,
	.end_orders = end_orders,
	.describe_owners = describe_owners,
	.record = record,
};
