/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/follow.h"

#include "base/follow.h"
#include "base/memory.h"

bool nb_follow_look_at(struct nb_follow_view *view, unsigned i)
{
	if (i >= view->machine->n_nics)
		return false;
	view->nic = &view->machine->nics[i];
	view->row = nb_follow_find(view->rows, view->nic->ifindex);
	return true;
}

uint64_t nb_follow_add(uint64_t digest, uint64_t word)
{
	return (digest ^ word) * UINT64_C(1099511628211);
}

uint64_t nb_follow_end(uint64_t digest)
{
	return MAX(digest, NB_FOLLOW_RETURN + 1);
}

uint64_t nb_follow_carrier_changes(const struct nb_follow_view *view)
{
	for (unsigned i = 0; i < view->memory->n_nics; i++)
		if (view->memory->nics[i].ifindex == view->nic->ifindex)
			return view->memory->nics[i].carrier_changes;
	return 0;
}

bool nb_follow_was_reset(const struct nb_follow_view *view, unsigned n)
{
	return view->row && view->row->places &&
	       (view->row->n != n || view->row->carrier_changes != nb_follow_carrier_changes(view));
}

static bool is_rejected(const struct nb_follow_view *view)
{
	return nb_memory_is_rejected(&view->row->rejections, view->board->policy->cooldown_nsec,
				     view->board->now_nsec);
}

bool nb_follow_may_be_tried(const struct nb_follow_view *view, unsigned n)
{
	if (!view->wanted || view->nic->scope != NB_SCOPE_IN)
		return false;
	return !view->row || (!is_rejected(view) &&
			      (nb_follow_was_reset(view, n) || view->row->yielded_nsec == 0 ||
			       view->board->now_nsec >=
				       view->row->yielded_nsec + view->board->policy->yield_nsec));
}

bool nb_follow_is_done(const struct nb_follow_view *view, uint64_t places, unsigned n)
{
	return view->row && (view->row->rehearsed == places ||
			     (view->row->places == places && view->row->yielded_nsec == 0 &&
			      !nb_follow_was_reset(view, n)));
}

bool nb_follow_is_to_return(const struct nb_follow_view *view)
{
	return view->row && (view->row->ours || view->row->refused) &&
	       view->row->rehearsed != NB_FOLLOW_RETURN &&
	       (!view->wanted || view->nic->scope == NB_SCOPE_IGNORED) && !is_rejected(view);
}
