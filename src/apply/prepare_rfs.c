/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flow tables of RFS: of each receive queue of a NIC, and of the host, without which no other is
 * used. Whoever writes the size of one empties it, be it the same (net/core/net-sysfs.c
 * store_rps_dev_flow_table_cnt(), net/core/sysctl_net_core.c rps_sock_flow_sysctl()). */
#include "apply/outcome.h"
#include "apply/prepare.h"
#include "apply/value.h"
#include "base/find.h"

#include <errno.h>

struct preparation {
	struct nb_transaction *transaction;
	const struct nb_access *access;
	const struct nb_baseline *baseline;
	const struct nb_machine *machine;
	const struct nb_nic *nic;
	const struct nb_setting_change *change;
};

/* As the kernel rounds what is written; or it would be written again and again. */
static uint64_t round_up(unsigned n)
{
	return n > 1 ? UINT64_C(1) << g_bit_storage(n - 1) : n;
}

/* 0 is nobody's: the kernel begins with it, also with a queue that was made anew. */
static bool is_foreign(const struct preparation *p, const struct nb_edit *edit)
{
	const struct nb_baseline_entry *entry = nb_baseline_lookup(p->baseline, &edit->knob);

	return entry && nb_value_number(edit->before) > 0 &&
	       !nb_baseline_entry_is_ours(entry, edit->before);
}

/* At least as large as it was found. */
static enum nb_outcome compare(const struct preparation *p, struct nb_edit *edit, uint64_t wanted)
{
	uint64_t found = nb_value_number(nb_edit_found(edit, p->baseline));

	edit->target = nb_value_of_number(MAX(found, wanted));
	if (!g_bytes_equal(edit->before, edit->target) && is_foreign(p, edit))
		return NB_OUTCOME_FOREIGN;
	return nb_edit_compare(edit, p->access);
}

static struct nb_edit *add_edit(const struct preparation *p)
{
	return &p->transaction->edits[p->transaction->n_edits++];
}

/* A kernel without RPS has no such file, nor have network namespaces but the first. */
static enum nb_outcome prepare_host(const struct preparation *p)
{
	struct nb_edit *edit = add_edit(p);
	int r;

	nb_knob_rfs_host(&edit->knob);
	r = nb_knob_read(p->access, &edit->knob, &edit->before);
	if (r < 0)
		return r == -ENOENT ? NB_OUTCOME_REFUSED : nb_outcome_from_errno(r);
	return compare(p, edit, round_up(p->change->to));
}

/* A queue that has gone since the last rescan leaves another share to the others. */
static enum nb_outcome prepare_queue(const struct preparation *p, unsigned index)
{
	struct nb_edit *edit = add_edit(p);
	unsigned n = p->nic->n_rx;
	int r;

	nb_knob_rfs((struct nb_queue_key){p->nic->ifindex, index}, p->nic->name, &edit->knob);
	r = nb_knob_read(p->access, &edit->knob, &edit->before);
	if (r < 0)
		return r == -ENOENT ? NB_OUTCOME_STALE : nb_outcome_from_errno(r);
	return compare(p, edit, round_up((p->change->to + n - 1) / n));
}

/* Other NICs go on using the table of the host. */
static bool is_shared(const struct preparation *p)
{
	for (unsigned i = 0; i < nb_baseline_count(p->baseline); i++) {
		const struct nb_knob *knob = &nb_baseline_get(p->baseline, i)->knob;

		if (knob->type == NB_KNOB_RFS && knob->queue.ifindex != p->nic->ifindex &&
		    nb_machine_find_nic(p->machine, knob->queue.ifindex))
			return true;
	}
	return false;
}

static enum nb_outcome prepare(const struct preparation *p)
{
	enum nb_outcome outcome = NB_OUTCOME_UNCHANGED;
	g_auto(nb_knob) nic = {0};
	int r;

	nb_knob_rfs((struct nb_queue_key){p->nic->ifindex, 0}, p->nic->name, &nic);
	r = nb_knob_find(p->access, &nic);
	if (r < 0)
		return nb_outcome_from_errno(r);
	p->transaction->edits = g_new0(struct nb_edit, p->nic->n_rx + 1);
	if (p->change->to || !is_shared(p))
		outcome = prepare_host(p);
	for (unsigned i = 0; i < p->nic->n_rx; i++)
		outcome = nb_outcome_worse(outcome, prepare_queue(p, i));
	return outcome;
}

void nb_transaction_prepare_rfs(struct nb_transaction *transaction, const struct nb_access *access,
				const struct nb_baseline *baseline,
				const struct nb_machine *machine, const struct nb_nic *nic,
				const struct nb_setting_change *change)
{
	const struct preparation p = {transaction, access, baseline, machine, nic, change};

	transaction->outcome = prepare(&p);
}
