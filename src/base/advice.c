/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/advice.h"

#include "base/find.h"
#include "base/follow.h"
#include "base/rules.h"
#include "base/spells.h"

#include <glib.h>

/* Of one CPU. A queue with less does no harm where it is, however uneven they are. */
#define BIG_QUEUE_BASIS_POINTS 5000u

#define LOPSIDED_GAP_NSEC (60 * NB_NSEC_PER_SEC)
/* A burst is none. */
#define LOPSIDED_LASTS_NSEC (5 * NB_NSEC_PER_SEC)

/* As many as it could have and the CPUs that it may use can serve. */
static unsigned useful_channels(const struct nb_nic *nic, unsigned n_allowed_cpus)
{
	return MIN(nic->most_channels, n_allowed_cpus);
}

/* Of a queue that RPS relieves, the packets tell how big it would be. */
static uint64_t size_of(const struct nb_queue_load *queue, bool steered)
{
	return steered ? queue->rx_packets_per_sec : queue->time;
}

/* Has more than all others of its NIC together. */
static bool is_big(const struct nb_snapshot *snapshot, const struct nb_queue_load *queue,
		   const uint64_t all[2])
{
	bool steered = nb_snapshot_find_rps(snapshot, queue->key) != NULL;
	uint64_t size = size_of(queue, steered);

	return (steered || queue->time >= BIG_QUEUE_BASIS_POINTS) && size > all[steered] - size;
}

/* The queues of a NIC are neighbours, see struct nb_loads. */
static unsigned end_of_nic(const struct nb_loads *loads, unsigned first, uint64_t ret_all[2])
{
	int ifindex = loads->queues[first].key.ifindex;
	unsigned i = first;

	ret_all[false] = ret_all[true] = 0;
	for (; i < loads->n_queues && loads->queues[i].key.ifindex == ifindex; i++) {
		ret_all[false] += size_of(&loads->queues[i], false);
		ret_all[true] += size_of(&loads->queues[i], true);
	}
	return i;
}

void nb_advice_look(struct nb_memory *memory, const struct nb_snapshot *snapshot,
		    const struct nb_loads *loads)
{
	uint64_t all[2];

	for (unsigned i = 0, end; i < loads->n_queues; i = end) {
		end = end_of_nic(loads, i, all);
		for (unsigned k = i; k < end; k++)
			if (is_big(snapshot, &loads->queues[k], all))
				nb_spells_note(&memory->lopsided, loads->queues[k].key.ifindex,
					       snapshot->taken_nsec);
	}
	nb_spells_expire(&memory->lopsided, snapshot->taken_nsec, LOPSIDED_GAP_NSEC);
	nb_spells_expire(&memory->tunnelled, snapshot->taken_nsec, LOPSIDED_GAP_NSEC);
}

void nb_advice_note_tunnel(struct nb_memory *memory, int ifindex, uint64_t now_nsec)
{
	nb_spells_note(&memory->tunnelled, ifindex, now_nsec);
}

static bool is_lopsided(const struct nb_nic *nic, const struct nb_memory *memory)
{
	return nic->n_rx > 1 && memory &&
	       nb_spells_last_nsec(&memory->lopsided, nic->ifindex, LOPSIDED_LASTS_NSEC) > 0;
}

static bool is_tunnelled(const struct nb_nic *nic, const struct nb_memory *memory)
{
	return *nic->tunnel &&
	       nb_spells_last_nsec(&memory->tunnelled, nic->ifindex, LOPSIDED_LASTS_NSEC) > 0;
}

static bool has_refused_threads(const struct nb_nic *nic, const struct nb_memory *memory)
{
	const struct nb_follow_memory *row =
		memory ? nb_follow_find(&memory->threads, nic->ifindex) : NULL;

	return row && row->refused;
}

bool nb_advice_applies(enum nb_advice advice, const struct nb_nic *nic, unsigned n_allowed_cpus,
		       const struct nb_memory *memory)
{
	switch (advice) {
	case NB_ADVICE_CHANNELS:
		return nic->channels_asked == NB_CHANNELS_KEEP && nic->n_channels > 0 &&
		       nic->n_channels < useful_channels(nic, n_allowed_cpus);
	case NB_ADVICE_UDP_HASH:
		return nic->udp_hash_asked == NB_UDP_HASH_UNKNOWN &&
		       nic->udp_hash == NB_UDP_HASH_ADDRESSES && is_lopsided(nic, memory) &&
		       !is_tunnelled(nic, memory);
	case NB_ADVICE_TUNNEL:
		return is_lopsided(nic, memory) && is_tunnelled(nic, memory);
	case NB_ADVICE_THREADS:
		return has_refused_threads(nic, memory);
	case _NB_ADVICE_MAX:
	case _NB_ADVICE_INVALID:
		break;
	}
	return false;
}

void nb_advice_foreach(const struct nb_snapshot *snapshot, const struct nb_policy *policy,
		       const struct nb_memory *memory, nb_advice_tell tell, void *data)
{
	struct nb_rules rules;

	nb_rules_init(&rules, snapshot, policy, memory);
	for (unsigned i = 0; i < snapshot->machine->n_nics; i++) {
		const struct nb_nic *nic = &snapshot->machine->nics[i];
		struct nb_allowed allowed;
		unsigned n_allowed;

		if (nic->scope != NB_SCOPE_IN)
			continue;
		nb_rules_allow(&rules, (struct nb_queue_key){nic->ifindex, NB_EVERY_QUEUE},
			       &allowed);
		n_allowed = nb_cpumask_count(&allowed.cpus);
		for (int k = 0; k < _NB_ADVICE_MAX; k++)
			if (nb_advice_applies((enum nb_advice)k, nic, n_allowed, memory))
				tell(data, nic, n_allowed, (enum nb_advice)k);
	}
}

char *nb_advice_text(enum nb_advice advice, const struct nb_nic *nic, unsigned n_allowed_cpus)
{
	unsigned n = useful_channels(nic, n_allowed_cpus);

	if (advice == NB_ADVICE_TUNNEL)
		return g_strdup_printf(
			"most packets are of tunnel %s, and have one queue, as their "
			"outer addresses are the same; RPS looks inside GRE and "
			"IP in IP, but not ERSPAN",
			nic->tunnel);
	if (advice == NB_ADVICE_THREADS)
		return g_strdup("NAPI threads are not placed: the daemon may not set their "
				"affinity; for what it needs see PlaceThreads= in "
				"nicbalance.conf(5)");
	if (advice == NB_ADVICE_CHANNELS)
		return g_strdup_printf("%u of %u channels in use: ethtool -L %s %s %u",
				       nic->n_channels, nic->most_channels, nic->name,
				       nic->combines_channels ? "combined" : "rx", n);
	return g_strdup_printf("UDP is not hashed by ports: ethtool -N %s rx-flow-hash udp4 sdfn",
			       nic->name);
}
