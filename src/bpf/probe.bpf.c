/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs of the probe. Each has one clock read and one array lookup in the usual case, and
 * writes its own CPU's cache lines. An interrupt can come in the middle of any but those for
 * interrupts: hence irq_nsec is read before the clock where something ends and after it where
 * something begins, so that no interrupt is taken off that was not within. */

#include "bpf/buckets.bpf.h"
#include "bpf/napi.bpf.h"

/* What is booked where at the end of NET_RX: counters plus one, or one of these. */
#define NOBODY 0
#define BACKLOG 0xffffffffu
#define OTHER 0xfffffffeu
#define ONWARD 0xfffffffdu

char LICENSE[] SEC("license") = "GPL";

/* --- softirqs -------------------------------------------------------------------------------- */

static __always_inline __u64 elapsed(__u64 begin, __u64 begin_irq, __u64 end, __u64 end_irq)
{
	__s64 nsec = (end - begin) - (end_irq - begin_irq);

	return nsec > 0 ? nsec : 0;
}

static __always_inline void mark(struct nb_probe_cpu *cpu, __u64 now)
{
	cpu->state.mark_nsec = now;
	cpu->state.mark_irq_nsec = cpu->irq_nsec;
}

/* How many bits a number needs. BPF has no instruction for it. */
static __always_inline __u32 width(__u32 number)
{
	__u32 bits = 0;

#pragma unroll
	for (__u32 step = 16; step; step /= 2) {
		if (number >> step) {
			number >>= step;
			bits += step;
		}
	}
	return bits + number;
}

static __always_inline void book_delay(__u64 nsec)
{
	__u32 cpu = bpf_get_smp_processor_id(), usec = nsec / 1000, bucket = width(usec);
	struct nb_probe_delays *counts = bpf_map_lookup_elem(&delays, &cpu);

	if (!counts)
		return;
	if (usec > counts->max_usec)
		counts->max_usec = usec;
	if (bucket > NB_PROBE_DELAYS - 1)
		bucket = NB_PROBE_DELAYS - 1;
	counts->counts[bucket]++;
}

static __always_inline int on_softirq_entry(__u64 *ctx, __u32 slice, bool typed)
{
	struct nb_probe_cpu *cpu = this_cpu(slice);
	__u32 vector = ctx[0];
	__u64 now;

	if (!cpu)
		return 0;
	now = bpf_ktime_get_ns();
	cpu->state.settled = 1;
	cpu->state.vector = vector;
	cpu->state.entered_nsec = now;
	cpu->state.entered_irq_nsec = cpu->irq_nsec;
	if (vector != NB_PROBE_NET_RX)
		return 0;

	cpu->state.napi = NOBODY;
	cpu->state.put = 0;
	mark(cpu, now);
	if (cpu->state.raised_nsec) {
		book_delay(now - cpu->state.raised_nsec);
		cpu->state.raised_nsec = 0;
	}
	return 0;
}

/* The end of NET_RX (interrupts to other CPUs for RPS, what GRO held) goes with the last poll. That
 * NAPI may already be polled elsewhere. */
static __always_inline void end_net_rx(struct nb_probe_cpu *cpu, __u64 now, __u64 irq_nsec)
{
	__u64 nsec = elapsed(cpu->state.mark_nsec, cpu->state.mark_irq_nsec, now, irq_nsec);
	__u32 last = cpu->state.napi;
	struct nb_probe_napi *counters;

	cpu->net_rx++;
	if (last == NOBODY)
		return;
	if (last == BACKLOG) {
		cpu->backlog_nsec += nsec;
		return;
	}
	if (last == OTHER) {
		cpu->other_nsec += nsec;
		return;
	}
	if (last == ONWARD) {
		cpu->onward_nsec += nsec;
		return;
	}
	last--;
	counters = bpf_map_lookup_elem(&napis, &last);
	if (counters)
		__sync_fetch_and_add(&counters->poll_nsec, nsec);
}

/* The run that began at that time stands for all since the last one that was timed. */
static __always_inline void time_myself(struct nb_probe_cpu *cpu, __u64 begin, __u64 begin_irq)
{
	__u64 irq_nsec = cpu->irq_nsec, now = bpf_ktime_get_ns();
	__u64 nsec = elapsed(begin, begin_irq, now, irq_nsec);
	__u64 least_nsec = cpu->state.own_least_nsec;

	if (!least_nsec || nsec < least_nsec)
		cpu->state.own_least_nsec = least_nsec = nsec;
	if (nsec > NB_PROBE_OWN_MOST * least_nsec)
		nsec = NB_PROBE_OWN_MOST * least_nsec;
	cpu->state.own_nsec += nsec * cpu->state.runs;
	cpu->state.own_runs += cpu->state.runs;
	cpu->state.runs = 0;
}

static __always_inline int on_softirq_exit(__u64 *ctx, __u32 slice, bool typed)
{
	struct nb_probe_cpu *cpu = this_cpu(slice);
	__u32 vector = ctx[0];
	__u64 now, irq_nsec;

	if (!cpu || vector >= NB_PROBE_VECTORS)
		return 0;
	cpu->state.settled = 1;
	if (!cpu->state.entered_nsec)
		return 0;
	irq_nsec = cpu->irq_nsec;
	now = bpf_ktime_get_ns();
	cpu->softirq_nsec[vector] +=
		elapsed(cpu->state.entered_nsec, cpu->state.entered_irq_nsec, now, irq_nsec);
	cpu->state.entered_nsec = 0;
	cpu->softirqs++;
	cpu->state.runs += 2;
	if (vector == NB_PROBE_NET_RX)
		end_net_rx(cpu, now, irq_nsec);
	if (cpu->softirqs % NB_PROBE_OWN_EVERY == 0)
		time_myself(cpu, now, irq_nsec);
	return 0;
}

static __always_inline int on_softirq_raise(__u64 *ctx, __u32 slice, bool typed)
{
	struct nb_probe_cpu *cpu;

	if (ctx[0] != NB_PROBE_NET_RX)
		return 0;
	cpu = this_cpu(slice);
	if (!cpu)
		return 0;
	cpu->state.runs++;
	if (!cpu->state.raised_nsec)
		cpu->state.raised_nsec = bpf_ktime_get_ns();
	return 0;
}

/* --- interrupts ------------------------------------------------------------------------------ */

static __always_inline int on_irq_handler_entry(__u64 *ctx, __u32 slice, bool typed)
{
	struct nb_probe_cpu *cpu = this_cpu(slice);

	if (cpu)
		cpu->state.irq_entered_nsec = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int on_irq_handler_exit(__u64 *ctx, __u32 slice, bool typed)
{
	struct irqaction *action = (void *)ctx[1];
	struct nb_probe_cpu *cpu = this_cpu(slice);
	__u32 irq = ctx[0], *position;
	struct nb_probe_irq *counters;
	__u64 nsec;

	if (!cpu || !cpu->state.irq_entered_nsec)
		return 0;
	nsec = bpf_ktime_get_ns() - cpu->state.irq_entered_nsec;
	cpu->state.irq_entered_nsec = 0;
	cpu->irq_nsec += nsec;
	cpu->interrupts++;
	cpu->state.runs += 2;

	position = bpf_map_lookup_elem(&irqs_in_scope, &irq);
	if (!position)
		return 0;
	counters = bpf_map_lookup_elem(&irqs, position);
	if (!counters)
		return 0;
	cpu->scope_irq_nsec += nsec;
	counters->irq_nsec += nsec;
	counters->count++;
	counters->cpu = bpf_get_smp_processor_id();
	if ((int)ctx[2] == IRQ_NONE)
		return 0;
	cpu->state.irq = irq;
	cpu->state.n_irqs++;
	cpu->state.dev_id = (__u64)GET(typed, action, dev_id);
	counters->dev_id = cpu->state.dev_id;
	return 0;
}

/* --- NAPI ------------------------------------------------------------------------------------ */

/* Of polls in softirq and by the thread of the NAPI. An application that polls does so on its own
 * CPU, and with a budget of its own (net/core/dev.c BUSY_POLL_BUDGET, 8), which it often exhausts:
 * neither tells where the queue is served, nor whether that CPU keeps up. A poll is counted here
 * first and among all last: who reads in the opposite order misses none of the exhausted ones. */
static __always_inline void serve(struct nb_probe_napi *counters, bool exhausted)
{
	counters->exhausted += exhausted;
	counters->goes_on = exhausted;
	counters->cpu = bpf_get_smp_processor_id();
}

/* Packets that came by a device polled here are on the backlog of this CPU. */
static __always_inline void feed(struct nb_probe_cpu *cpu, __u32 packets)
{
	__u32 fed = cpu->state.fed + packets;

	cpu->state.fed = fed < NB_PROBE_FED_MAX ? fed : NB_PROBE_FED_MAX;
}

/* A poll that does not use its budget leaves the backlog empty, with what it put there itself
 * (net/core/dev.c process_backlog()); that goes on with what it came from. */
static __always_inline void poll_backlog(struct nb_probe_cpu *cpu, __u64 nsec, __u32 work,
					 bool exhausted)
{
	__u32 put = exhausted ? 0 : cpu->state.put, fed = cpu->state.fed;
	__u32 came = work > put ? work - put : 1;
	__u64 onward;

	if (fed > came)
		fed = came;
	onward = nsec * fed / came;
	cpu->onward_nsec += onward;
	cpu->backlog_nsec += nsec - onward;
	cpu->state.napi = 2 * fed > came ? ONWARD : BACKLOG;
	if (exhausted) {
		cpu->state.fed -= fed;
		feed(cpu, (__u64)cpu->state.put * fed / came);
	} else {
		cpu->state.fed = 0;
	}
}

/* Majority vote, as in count_vote(). */
static __always_inline void vote_for(struct nb_probe_cpu *cpu, __u32 ifindex, __u64 nsec)
{
	cpu->untold_nsec += nsec;
	if (cpu->untold_ifindex == ifindex) {
		cpu->untold_lead_nsec += nsec;
		if (cpu->untold_lead_nsec > NB_PROBE_LEAD_MAX_NSEC)
			cpu->untold_lead_nsec = NB_PROBE_LEAD_MAX_NSEC;
	} else if (cpu->untold_lead_nsec > nsec) {
		cpu->untold_lead_nsec -= nsec;
	} else {
		cpu->untold_ifindex = ifindex;
		cpu->untold_lead_nsec = nsec;
	}
}

static __always_inline void poll_other(struct nb_probe_cpu *cpu, struct net_device *dev,
				       __u32 ifindex, __u32 kind, __u64 nsec, __u32 work,
				       bool exhausted, bool typed)
{
	__u32 position = kind - NB_PROBE_VIRTUAL;

	cpu->other_nsec += nsec;
	cpu->state.napi = OTHER;
	if (!control.watches_virtuals)
		return;
	if (position < NB_PROBE_VIRTUALS_MAX) {
		cpu->virtuals[position].nsec += nsec;
		cpu->virtuals[position].packets += work;
		cpu->virtuals[position].exhausted += exhausted;
		cpu->virtuals[position].polls++;
	} else if (!kind && is_in_own_netns(dev, typed)) {
		vote_for(cpu, ifindex, nsec);
	}
}

static __always_inline void poll_out_of_scope(struct nb_probe_cpu *cpu, struct net_device *dev,
					      __u64 nsec, __u32 work, bool exhausted, bool typed)
{
	__u32 ifindex = 0, kind = 0;

	if (control.n_tunnels || control.watches_virtuals) {
		ifindex = GET(typed, dev, ifindex);
		kind = kind_of(dev, ifindex, typed);
	}
	if (kind == NB_PROBE_TUNNEL) {
		cpu->onward_nsec += nsec;
		cpu->state.napi = ONWARD;
		feed(cpu, cpu->state.put);
	} else {
		poll_other(cpu, dev, ifindex, kind, nsec, work, exhausted, typed);
	}
}

static __always_inline void poll_in_softirq(struct nb_probe_cpu *cpu, struct napi_struct *napi,
					    struct net_device *dev, struct nb_probe_napi *counters,
					    __u64 nsec, __u32 work, bool exhausted, bool typed)
{
	if (!dev) {
		poll_backlog(cpu, nsec, work, exhausted);
	} else if (!counters) {
		poll_out_of_scope(cpu, dev, nsec, work, exhausted, typed);
	} else {
		__sync_fetch_and_add(&counters->poll_nsec, nsec);
		cpu->state.napi = counters->position + 1;
		feed(cpu, cpu->state.put);
		find_irq(cpu, counters, napi, typed);
		serve(counters, exhausted);
	}
	cpu->state.put = 0;
}

static __always_inline void poll_by_thread(struct nb_probe_napi *counters, __u32 pid,
					   __u64 runtime_nsec)
{
	if (counters->pid == pid && runtime_nsec > counters->runtime_nsec)
		counters->threaded_nsec += runtime_nsec - counters->runtime_nsec;
	counters->pid = pid;
	counters->runtime_nsec = runtime_nsec;
	counters->threaded_polls++;
}

/* Threads of NAPIs are kernel threads; whoever else polls waits for his own packets. */
static __always_inline void poll_by_task(struct nb_probe_napi *counters, struct task_struct *task,
					 bool exhausted, bool typed)
{
	if (!(GET(typed, task, flags) & PF_KTHREAD)) {
		counters->busy_polls++;
		return;
	}
	serve(counters, exhausted);
	poll_by_thread(counters, GET(typed, task, pid), GET(typed, task, se.sum_exec_runtime));
}

static __always_inline int on_napi_poll(__u64 *ctx, __u32 slice, bool typed)
{
	struct napi_struct *napi = (void *)ctx[0];
	int work = ctx[1], budget = ctx[2];
	struct nb_probe_napi *counters = NULL;
	struct nb_probe_cpu *cpu = this_cpu(slice);
	struct net_device *dev;
	__u64 now, irq_nsec, nsec;

	/* netpoll polls with no budget, from within anything: its time is that of its host. Before
	 * a softirq began or ended in this slice nobody knows whether this is within one. */
	if (!cpu || !budget || !cpu->state.settled)
		return 0;
	irq_nsec = cpu->irq_nsec;
	now = bpf_ktime_get_ns();
	nsec = elapsed(cpu->state.mark_nsec, cpu->state.mark_irq_nsec, now, irq_nsec);
	mark(cpu, now);
	cpu->polls++;
	cpu->state.runs++;
	dev = GET(typed, napi, dev);
	if (dev)
		counters = find_napi(napi, dev, typed);
	if (counters && counters->slice != slice) {
		counters->slice = slice;
		counters->pid = 0;
		counters->goes_on = 1;
	}

	if (cpu->state.entered_nsec && cpu->state.vector == NB_PROBE_NET_RX) {
		poll_in_softirq(cpu, napi, dev, counters, nsec, work, work == budget, typed);
	} else if (counters) {
		if (typed &&
		    bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf))
			poll_by_task(counters, bpf_get_current_task_btf(), work == budget, true);
		else
			poll_by_task(counters, (void *)bpf_get_current_task(), work == budget,
				     false);
	}
	if (!counters)
		return 0;
	counters->packets += work;
	counters->polls++;
	return 0;
}

/* Packets of a device without a NAPI, put on the backlog of this CPU: in NET_RX by whatever is
 * polled, elsewhere by whoever sends. If RPS is set on that device they go elsewhere, and as many
 * others of the next poll are taken for them. */
static __always_inline int on_netif_rx(__u64 *ctx, __u32 slice, bool typed)
{
	struct nb_probe_cpu *cpu = this_cpu(slice);

	if (!cpu || !cpu->state.entered_nsec || cpu->state.vector != NB_PROBE_NET_RX)
		return 0;
	cpu->state.put++;
	cpu->state.runs++;
	return 0;
}

/* Each in two flavours, of which user space loads one. Outside of a slice they end with their first
 * test: no clock, no map. */
#define PROGRAM(tracepoint)                                            \
	SEC("tp_btf/" #tracepoint)                                     \
	int tracepoint##_btf(__u64 *ctx)                               \
	{                                                              \
		__u32 slice = control.slice;                           \
                                                                       \
		return slice ? on_##tracepoint(ctx, slice, true) : 0;  \
	}                                                              \
	SEC("raw_tp/" #tracepoint)                                     \
	int tracepoint##_raw(__u64 *ctx)                               \
	{                                                              \
		__u32 slice = control.slice;                           \
                                                                       \
		return slice ? on_##tracepoint(ctx, slice, false) : 0; \
	}

PROGRAM(softirq_entry)
PROGRAM(softirq_exit)
PROGRAM(softirq_raise)
PROGRAM(irq_handler_entry)
PROGRAM(irq_handler_exit)
PROGRAM(napi_poll)
PROGRAM(netif_rx)

/* Attached for a moment to a tracepoint that user space can pass: the way from there to where a
 * program reads the clock for the first time, which it cannot time itself. */
SEC("raw_tp")
int enter(__u64 *ctx)
{
	return this_cpu(control.slice) != NULL;
}

/* Few, so that most runs pass without an interrupt. */
#define CLOCK_READS 64

/* Run a few times, attached to nothing: what reading the clock takes on this host, in nanoseconds.
 */
SEC("raw_tp")
int time_clock(__u64 *ctx)
{
	__u64 begin = bpf_ktime_get_ns(), end = begin;

	for (__u32 i = 0; i < CLOCK_READS; i++)
		end = bpf_ktime_get_ns();
	return (end - begin) / CLOCK_READS;
}
