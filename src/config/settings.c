/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/settings.h"

#include <errno.h>
#include <string.h>

#define FIELD(struct_, field) offsetof(struct_, field), sizeof(((struct_ *)0)->field)
#define SETTING(section_, key_, type_, field_, least_, most_, initial_, summary_)   \
	{                                                                           \
		section_, key_, NB_SETTING_##type_, NB_SETTING_OF_CONFIG,           \
			FIELD(nb_config, field_), least_, most_, initial_, summary_ \
	}
#define PER_DEVICE(key_, type_, field_, initial_, summary_)                                  \
	{                                                                                    \
		"Device", key_, NB_SETTING_##type_, NB_SETTING_OF_DEVICE,                    \
			FIELD(struct nb_device_rule, field_), NULL, NULL, initial_, summary_ \
	}
#define PER_INTERRUPT(key_, type_, field_, initial_, summary_)                                  \
	{                                                                                       \
		"Interrupt", key_, NB_SETTING_##type_, NB_SETTING_OF_INTERRUPT,                 \
			FIELD(struct nb_interrupt_rule, field_), NULL, NULL, initial_, summary_ \
	}

G_STATIC_ASSERT(NB_CPUS_MAX == 8192); /* the bounds below are text */

/* The simulations mentioned below were run with 40 queues on 16 CPUs, three of them taken
 * to 60 to 75 % by an application, 15 minutes with one shift of the traffic and one of the
 * application, 20 seeds. */
static const struct nb_setting table[] = {
	/* A host on which this daemon is installed wants it to act. */
	SETTING("Daemon", "Mode", MODE, mode, NULL, NULL, "balance",
		"balance, or observe: plan and log, but write nothing"),
	/* What a host is for is a guess, and the other defaults do well on each. */
	SETTING("Daemon", "Profile", PROFILE, profile, NULL, NULL, "none",
		"none, auto, or settings for a kind of host: lvs, db, router"),
	/* /proc/stat counts in ticks of USER_HZ, 10 ms (proc(5)): a second of them resolves 1 % of
	 * a CPU, the shortest interval allowed 4 %. */
	SETTING("Daemon", "IntervalSec", SPAN, interval_nsec, "250ms", "1min", "1s",
		"sampling interval"),
	/* A complete sample opens one file for each interrupt. Ten seconds are also the default
	 * interval of irqbalance. */
	SETTING("Daemon", "CompleteSampleSec", SPAN, complete_sample_nsec, "250ms", "1h", "10s",
		"interval between complete samples"),
	/* Ticks and packets are a guess beside it: on a kernel without IRQ_TIME_ACCOUNTING 231 ms
	 * of NET_RX showed as 40 in /proc/stat. */
	SETTING("Daemon", "Probe", BOOLEAN, probe, NULL, NULL, "yes",
		"measure interrupts and NAPI polls with eBPF"),
	/* Half a CPU of a hundred. At 200 000 softirqs a second, one packet each, the programs take
	 * 6 % of one CPU while they measure all the time: within this on 12 CPUs and more. */
	SETTING("Daemon", "ProbeBudget", SHARE, probe_budget, "0.01%", "100%", "0.5%",
		"maximum share of all CPUs' time that measuring may take"),
	/* DelayMax= is content with slices, and it adds a program to every raise of a softirq. */
	SETTING("Daemon", "Delays", BOOLEAN, delays, NULL, NULL, "no",
		"measure NET_RX softirq latency continuously"),

	/* The time in a queue grows with 1/(1 - load) (M/M/1): 3.3 times the service time at 70 %.
	 * Barbette et al., "RSS++" (CoNEXT 2019), find little to gain from balancing at half load
	 * and most of it shortly before saturation. */
	SETTING("Balance", "Hot", SHARE, policy.hot, "10%", "100%", "70%",
		"load above which a CPU is hot"),
	/* That a step gains MinimumGain is asked of each; the gap only spares the search for one.
	 * In simulation (bench/policy) 15 % leave the hottest of 16 CPUs with 40 queues at 1.13
	 * times the optimum, 4 % at 1.045. */
	SETTING("Balance", "Gap", SHARE, policy.gap, "1%", "100%", "4%",
		"how far the hottest CPU must be above the mean"),
	/* Ten times the service time (see Hot), and shortly before net_rx_action() runs out of
	 * net.core.netdev_budget_usecs and ksoftirqd has to compete with the application. */
	SETTING("Balance", "Panic", SHARE, policy.panic, "10%", "100%", "90%",
		"busy time above which one sample is enough"),
	/* A burst shorter than this moves nothing. In simulation 1 sample and 10 give a hottest CPU
	 * of 78 and 80 %. */
	SETTING("Balance", "ArmSamples", COUNT, policy.arm_samples, "1", "60", "3",
		"consecutive samples that must be hot and uneven before a move"),
	/* The one default that matters: in simulation (bench/policy) 4 % leave the hottest of 16
	 * CPUs with 40 queues at 1.05 times the optimum, 3.5 % at 1.045; 3 % gain little
	 * more. Zero is not allowed, because then measurement noise alone could move a queue to
	 * and fro. */
	SETTING("Balance", "MinimumGain", SHARE, policy.minimum_gain, "1%", "50%", "3.5%",
		"minimum by which a move must lower the load of the hotter of its two CPUs"),
	/* Four are two swaps. Few, because every further move of a cycle rests on a prediction, and
	 * greedy moves on stale loads herd (Mitzenmacher, "How Useful Is Old Information?", IEEE
	 * TPDS 2000). That few are enough: Aggarwal, Motwani and Zhu, "The Load Rebalancing
	 * Problem" (SPAA 2003). */
	SETTING("Balance", "MovesPerRound", COUNT, policy.moves_per_round, "1", "64", "4",
		"maximum number of queues moved in one cycle"),
	/* A move costs cold caches and may reorder what is in flight (Wu, DeMar and Crawford, "Why
	 * Can Some Advanced Ethernet NICs Cause Packet Reordering?", IEEE Communications Letters
	 * 2011). Thirty seconds bound that to a few packets an hour, and cost nothing against no
	 * dwell in simulation. */
	SETTING("Balance", "DwellSec", SPAN, policy.dwell_nsec, "1s", "1d", "30s",
		"minimum time that a queue stays on a CPU after a move"),
	/* Long enough for a move to show in the smoothed load before the next is decided. */
	SETTING("Balance", "CooldownSec", SPAN, policy.cooldown_nsec, "250ms", "1h", "5s",
		"minimum time between two cycles that move queues"),
	/* One interval: a CPU that drops packets cannot wait for the smoothed load. */
	SETTING("Balance", "PanicCooldownSec", SPAN, policy.panic_cooldown_nsec, "250ms", "1h",
		"1s", "the same in panic"),
	/* More than a run of NET_RX takes with 1000 ticks a second (net.core.netdev_budget_usecs is
	 * two of them), and half of what NET_RX waits for bursts of two queues of an emulated NIC
	 * on a CPU at 46 %: 9.7 ms, and 0.3 when they are apart. */
	SETTING("Balance", "DelayMax", SPAN, policy.delay_max_nsec, "0", "1s", "5ms",
		"p99 wait of NET_RX above which a queue leaves a CPU that is not hot; 0: never"),
	/* A program that writes the same file may write it again: one conflict an hour does no
	 * harm. */
	SETTING("Balance", "YieldSec", SPAN, policy.yield_nsec, "1min", "30d", "1h",
		"how long a setting that another program changed is left alone"),
	/* All queues on one CPU, as some drivers and irqbalance leave them, is what this daemon is
	 * installed to correct. */
	SETTING("Balance", "Found", FOUND, policy.keep_found, NULL, NULL, "correct",
		"correct, or keep: what limits an interrupt when it is first seen stays"),
	/* Two hardware threads of a core give 1.15 times the work of one by the kernel's old
	 * estimate (smt_gain, 1178/1024, include/linux/topology.h before 4.20), up to 1.3 measured:
	 * work beside a busy sibling takes 2/1.3 to 2/1.15 times as long, a weight of 54 to 74 %.
	 */
	SETTING("Balance", "SiblingWeight", SHARE, policy.sibling_weight, "0%", "100%", "65%",
		"share of a hardware thread sibling's load that is added to that of a CPU"),
	/* CPUs that the kernel isolates need not be named: they are always excluded. */
	SETTING("Balance", "BannedCPUs", CPUS, policy.banned, "0", "8191", "",
		"excluded CPUs, besides those that the kernel isolates"),
	/* Who replaces irqbalance has told it already, and container runtimes go on telling it. */
	SETTING("Balance", "IrqbalanceConfig", BOOLEAN, irqbalance_config, NULL, NULL, "yes",
		"obey the bans in the configuration files of irqbalance"),
	/* The unit stops irqbalance, which would have placed these as well. */
	SETTING("Balance", "DeviceInterrupts", BOOLEAN, device_interrupts, NULL, NULL, "yes",
		"also place device interrupts, once"),

	/* Off: a thread that the scheduler may move gets away from what else is on its CPU, and to
	 * bind it takes a capability that nothing else needs. */
	SETTING("Balance", "PlaceThreads", BOOLEAN, policy.threads, NULL, NULL, "no",
		"bind NAPI threads that nobody has bound to the CPU of their interrupt"),

	/* Nothing else helps a queue that fills its CPU, and it is removed when it no longer
	 * helps. */
	SETTING("RPS", "Enabled", BOOLEAN, policy.rps, NULL, NULL, "yes",
		"use Receive Packet Steering for a queue that is too much for one CPU"),
	/* It has been measured on veth alone, and what an administrator chose for a tunnel or a
	 * container he may have had a reason for. */
	SETTING("RPS", "Virtual", BOOLEAN, policy.rps_virtual, NULL, NULL, "no",
		"use it also for devices without hardware, such as WireGuard, that fill a CPU"),
	/* get_rps_cpu() (net/core/dev.c) scales the flow's hash to the number of CPUs in the mask,
	 * so that one CPU more sends most flows elsewhere, and nothing keeps them in order. */
	SETTING("RPS", "DwellSec", SPAN, policy.rps_dwell_nsec, "10s", "1d", "1min",
		"minimum time between two changes of an RPS mask"),
	/* Each steered packet costs an interrupt between CPUs and a second pass of NET_RX
	 * (Documentation/networking/scaling.rst): where no CPU time is left, RPS lowers the
	 * throughput. */
	SETTING("RPS", "NodeBusyMax", SHARE, policy.rps_node_busy, "10%", "100%", "85%",
		"mean busy time of the NUMA node above which RPS is not started or widened"),
	/* The planner takes no more than it needs (plan/spread.c says why 32 are enough). */
	SETTING("RPS", "WidthMax", COUNT, policy.rps_width, "0", "8192", "0",
		"maximum number of CPUs in an RPS mask; 0: as many as needed, up to 32"),

	/* RFS steers to where applications read, whatever their CPUs have to do, and costs RPS on
	 * hosts that forward. 16777216 take 64 MiB, and 128 or more of each NIC. */
	SETTING("RPS", "RfsFlows", COUNT, policy.rfs_flows, "0", "16777216", "0",
		"flows that Receive Flow Steering tells apart; 0: leave its tables alone"),

	/* For uneven queues that no placement evens out nothing else helps, and a table that
	 * somebody has set stays. Nor does anything for a NAPI whose driver work alone is more than
	 * its CPU can do, and that lasts a fraction of a second. */
	SETTING("RSS", "Enabled", BOOLEAN, policy.rss, NULL, NULL, "yes",
		"move entries of RSS tables; limit a table for a moment, so that NAPIs complete"),

	/* What it gains depends on where applications send from: an only sender has all its
	 * completions on its own CPU then, where a hash had shared them out. */
	SETTING("XPS", "Enabled", BOOLEAN, policy.xps, NULL, NULL, "no",
		"let XPS masks that nobody set follow the interrupts of transmit queues"),

	PER_DEVICE("Ignore", BOOLEAN, ignore, "no", "leave the interface alone"),
	PER_DEVICE("Interrupts", GLOB, interrupts, "",
		   "glob over the handler names of its queues, if not recognised"),
	PER_DEVICE("CPUs", CPUS, cpus, "", "the CPUs that its queues may use"),
	PER_DEVICE("Node", NODE, node, "", "its NUMA node, or any, instead of what it says itself"),
	/* Memory of another node is slower, and what applications there do nobody has asked. */
	PER_DEVICE("Spill", BOOLEAN, spill, "no", "use other nodes while its own is full"),
	/* A change takes the link of most NICs down for a moment. */
	PER_DEVICE("Channels", CHANNELS, channels, "keep", "how many channels it gets, once"),
	/* With ports the fragments of a datagram, which have none, may overtake it. */
	PER_DEVICE("UdpHash", UDP_HASH, udp_hash, "keep", "by what it chooses the queue of UDP"),
	/* A thread competes with applications for CPU time, and for all queues of the NIC. */
	PER_DEVICE("ThreadedNapi", BOOLEAN, threaded, "no",
		   "have kernel threads poll its queues, where nothing cheaper helps"),

	PER_INTERRUPT("Ignore", BOOLEAN, ignore, "no", "never move the interrupt"),
	PER_INTERRUPT("CPUs", CPUS, cpus, "", "the CPUs that the interrupt may use"),
};

unsigned nb_settings_count(void)
{
	return G_N_ELEMENTS(table);
}

const struct nb_setting *nb_settings_row(unsigned row)
{
	return &table[row];
}

int nb_settings_find(const char *section, const char *key)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(table); i++)
		if (g_str_equal(table[i].section, section) && g_str_equal(table[i].key, key))
			return (int)i;
	return -ENOENT;
}

bool nb_settings_has_section(const char *section)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(table); i++)
		if (g_str_equal(table[i].section, section))
			return true;
	return false;
}

enum nb_setting_record nb_settings_record(const char *section)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(table); i++)
		if (g_str_equal(table[i].section, section))
			return table[i].record;
	g_assert_not_reached();
}
