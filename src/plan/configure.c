/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/configure.h"

#include "base/memory.h"
#include "base/written.h"

/* Of a NIC, at most, while its channels change: a link that is down for three seconds loses some
 * thousand packets. */
#define IDLE_PACKETS_PER_SEC 1000u

static bool may_be_tried(const struct nb_board *board, const struct nb_setting_memory *known)
{
	return !known || !nb_memory_is_rejected(&known->rejections, board->policy->cooldown_nsec,
						board->now_nsec);
}

/* What was done for the configuration as it is, was refused, or is as it is to be: once. */
static bool is_done(const struct nb_board *board, const struct nb_memory *memory, enum nb_kind kind,
		    int ifindex, unsigned asked)
{
	const struct nb_setting_memory *known = nb_memory_find_setting(memory, kind, ifindex);
	bool forgotten = known && kind == NB_KIND_UDP_HASH && known->ours &&
			 nb_written_is_unsteady(memory, ifindex, board->now_nsec);

	return asked && known && known->asked == asked && !forgotten;
}

static bool ask(const struct nb_board *board, struct nb_memory *memory, enum nb_kind kind,
		int ifindex, struct nb_setting_change *change)
{
	change->reason = NB_REASON_CONFIGURED;
	if (change->from == change->to) {
		nb_memory_get_setting(memory, kind, ifindex)->asked = change->asked;
		return false;
	}
	return may_be_tried(board, nb_memory_find_setting(memory, kind, ifindex));
}

/* Nothing is asked any more. What another program set since is not taken back. */
static bool take_back(const struct nb_board *board, struct nb_memory *memory, enum nb_kind kind,
		      int ifindex, struct nb_setting_change *change)
{
	const struct nb_setting_memory *known = nb_memory_find_setting(memory, kind, ifindex);

	change->reason = NB_REASON_UNCONFIGURED;
	if (known && known->ours == change->from && change->from)
		return !known->rehearsed && may_be_tried(board, known);
	nb_memory_drop_setting(memory, kind, ifindex);
	return false;
}

static bool differs(const struct nb_board *board, struct nb_memory *memory, enum nb_kind kind,
		    int ifindex, struct nb_setting_change *change)
{
	change->key.ifindex = ifindex;
	return change->asked ? ask(board, memory, kind, ifindex, change)
			     : take_back(board, memory, kind, ifindex, change);
}

void nb_configure_hashes(const struct nb_board *board, const struct nb_machine *machine,
			 struct nb_memory *memory, GArray *changes)
{
	for (unsigned i = 0; i < machine->n_nics; i++) {
		const struct nb_nic *nic = &machine->nics[i];
		struct nb_setting_change change = {
			.from = nic->udp_hash,
			.to = nic->udp_hash_asked,
			.asked = nic->udp_hash_asked,
		};

		/* With a single queue there is nothing to choose. */
		if (nic->scope == NB_SCOPE_IN && nic->n_rx > 1 &&
		    !is_done(board, memory, NB_KIND_UDP_HASH, nic->ifindex, change.asked) &&
		    differs(board, memory, NB_KIND_UDP_HASH, nic->ifindex, &change))
			g_array_append_val(changes, change);
	}
}

static bool is_rfs_done(const struct nb_setting_memory *known,
			const struct nb_setting_change *change)
{
	if (change->asked)
		return known && known->asked == change->asked && known->n_rx == change->n_rx;
	return !known || !known->ours || known->rehearsed;
}

void nb_configure_rfs(const struct nb_board *board, const struct nb_machine *machine,
		      const struct nb_memory *memory, GArray *changes)
{
	unsigned asked = board->policy->rfs_flows;

	for (unsigned i = 0; i < machine->n_nics && (asked || memory->n_settings > 0); i++) {
		const struct nb_nic *nic = &machine->nics[i];
		const struct nb_setting_memory *known =
			nb_memory_find_setting(memory, NB_KIND_RFS, nic->ifindex);
		const struct nb_setting_change change = {
			.key.ifindex = nic->ifindex,
			.reason = asked ? NB_REASON_CONFIGURED : NB_REASON_UNCONFIGURED,
			.to = asked,
			.asked = asked,
			.n_rx = nic->n_rx,
		};

		if (nic->scope != NB_SCOPE_IN || nic->n_rx == 0 || is_rfs_done(known, &change) ||
		    !may_be_tried(board, known))
			continue;
		g_array_append_val(changes, change);
		return;
	}
}

static unsigned resolve(const struct nb_board *board, const struct nb_nic *nic)
{
	struct nb_allowed allowed;
	unsigned n = nic->channels_asked;

	if (n == NB_CHANNELS_KEEP)
		return 0;
	if (n == NB_CHANNELS_MAX) {
		nb_rules_allow(&board->rules, (struct nb_queue_key){nic->ifindex, NB_EVERY_QUEUE},
			       &allowed);
		n = nb_cpumask_count(&allowed.cpus);
	}
	/* One that does not say how many it has is asked when it is to be changed. */
	return CLAMP(n, 1, MAX(nic->most_channels, 1));
}

static bool is_idle(const struct nb_board *board, int ifindex)
{
	uint64_t packets_per_sec = 0;

	for (unsigned i = 0; i < board->n_queues; i++)
		if (board->queues[i].key.ifindex == ifindex)
			packets_per_sec += board->queues[i].packets_per_sec;
	return packets_per_sec < IDLE_PACKETS_PER_SEC;
}

/* Its RSS table is the original one, too: ours would name channels that are gone, or leave out new
 * ones. */
static bool may_lose_its_link(const struct nb_board *board, const struct nb_memory *memory,
			      int ifindex)
{
	const struct nb_rss_memory *rss = nb_memory_find_rss(memory, ifindex);

	return (nb_memory_is_starting(memory, board->now_nsec) || is_idle(board, ifindex)) &&
	       !(rss && (rss->spread || !nb_cpumask_empty(&rss->queues)));
}

void nb_configure_channels(const struct nb_board *board, const struct nb_machine *machine,
			   struct nb_memory *memory, GArray *changes)
{
	for (unsigned i = 0; i < machine->n_nics; i++) {
		const struct nb_nic *nic = &machine->nics[i];
		struct nb_setting_change change = {.from = nic->n_channels,
						   .asked = nic->channels_asked};

		if (nic->scope != NB_SCOPE_IN ||
		    is_done(board, memory, NB_KIND_CHANNELS, nic->ifindex, change.asked))
			continue;
		change.to = resolve(board, nic);
		if (differs(board, memory, NB_KIND_CHANNELS, nic->ifindex, &change) &&
		    may_lose_its_link(board, memory, nic->ifindex))
			g_array_append_val(changes, change);
	}
}
