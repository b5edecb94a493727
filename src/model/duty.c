/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/duty.h"

#include "nicbalance/units.h"

#include <glib.h>

/* Without a hot CPU for so long, nothing is attached until there is one. */
#define COOL_NSEC (60 * NB_NSEC_PER_SEC)
/* Three hot samples at the usual interval: enough to decide. */
#define SLICE_NSEC (3 * NB_NSEC_PER_SEC)
/* Tells what measuring costs here. */
#define TRIAL_NSEC (NB_NSEC_PER_SEC / 4)
/* From when a CPU becomes hot: long enough for some bursts, and with its period no more than WARM.
 */
#define ALERT_NSEC (15 * NB_NSEC_PER_SEC)
#define ALERT_PERIOD_NSEC (300 * NB_NSEC_PER_SEC)
/* With fewer hot CPUs than before for so long, what the last slice told is out of date: longer than
 * bursts leave between them. */
#define EASED_NSEC (10 * NB_NSEC_PER_SEC)
/* From one slice to the next: attaching patches the kernel's text and interrupts every CPU. */
#define LEAST_PERIOD_NSEC (20 * NB_NSEC_PER_SEC)
/* Of the time while a CPU is hot and nothing can be decided: a slice each minute. */
#define WARM (NB_WHOLE / 20)
/* With less, loads would be minutes old. */
#define LEAST WARM
/* A trial that met a hiccup of the host looks dear. One that is dear each time comes later and
 * later: traffic may be less then. */
#define DEAR_NSEC (60 * NB_NSEC_PER_SEC)
#define LONGEST_DEAR_NSEC (1800 * NB_NSEC_PER_SEC)

uint32_t nb_duty_share(const struct nb_duty_view *view, uint32_t cost)
{
	uint64_t allowed = cost ? (uint64_t)view->budget * NB_WHOLE / cost : WARM;

	if (view->everything || view->urgent)
		return NB_WHOLE;
	if (allowed < LEAST)
		return 0;
	return (uint32_t)MIN(allowed, view->deciding ? NB_WHOLE : WARM);
}

static bool has_cooled(struct nb_duty *duty, const struct nb_duty_view *view)
{
	if (view->everything || view->deciding || !view->known || view->n_hot > 0 || view->warm) {
		duty->cool_since_nsec = 0;
		return false;
	}
	if (duty->cool_since_nsec == 0)
		duty->cool_since_nsec = view->now_nsec;
	return view->now_nsec >= duty->cool_since_nsec + COOL_NSEC;
}

static enum nb_duty_stage detach(struct nb_duty *duty)
{
	duty->cool_since_nsec = 0;
	duty->cost = 0;
	return NB_DUTY_DETACHED;
}

static enum nb_duty_stage give_up(struct nb_duty *duty, const struct nb_duty_view *view)
{
	uint32_t cost = duty->cost;
	enum nb_duty_stage stage = detach(duty);

	duty->cost = cost;
	duty->dear_wait_nsec = CLAMP(2 * duty->dear_wait_nsec, DEAR_NSEC, LONGEST_DEAR_NSEC);
	duty->dear_until_nsec = view->now_nsec + duty->dear_wait_nsec;
	return stage;
}

static uint64_t period_nsec(uint32_t share)
{
	return MAX(SLICE_NSEC * NB_WHOLE / share, LEAST_PERIOD_NSEC);
}

static enum nb_duty_stage measure(struct nb_duty *duty, const struct nb_duty_view *view)
{
	uint32_t share = nb_duty_share(view, duty->cost);

	if (share == 0)
		return give_up(duty, view);
	duty->began_nsec = view->now_nsec;
	duty->until_nsec =
		view->now_nsec + (duty->cost ? period_nsec(share) * share / NB_WHOLE : TRIAL_NSEC);
	return share == NB_WHOLE ? NB_DUTY_FULL : NB_DUTY_SLICE;
}

static enum nb_duty_stage pause_slices(struct nb_duty *duty, const struct nb_duty_view *view,
				       uint32_t share)
{
	duty->until_nsec = view->now_nsec + period_nsec(share) * (NB_WHOLE - share) / NB_WHOLE;
	duty->n_hot = view->known ? view->n_hot : duty->n_hot;
	duty->eased_since_nsec = 0;
	return NB_DUTY_PAUSED;
}

static enum nb_duty_stage go_on(struct nb_duty *duty, const struct nb_duty_view *view)
{
	bool was_trial = duty->cost == 0;
	uint32_t share;

	if (view->cost)
		duty->cost = view->cost;
	share = nb_duty_share(view, duty->cost);
	if (share == 0)
		return give_up(duty, view);
	if (duty->cost)
		duty->dear_wait_nsec = 0;
	if (was_trial && duty->cost)
		return measure(duty, view);
	if (share == NB_WHOLE)
		return NB_DUTY_FULL;
	if (duty->stage == NB_DUTY_SLICE && view->now_nsec < duty->until_nsec)
		return NB_DUTY_SLICE;
	return pause_slices(duty, view, share);
}

/* Another number of CPUs is hot than when the pause began. */
static bool has_changed(struct nb_duty *duty, const struct nb_duty_view *view)
{
	if (view->n_hot >= duty->n_hot)
		duty->eased_since_nsec = 0;
	else if (duty->eased_since_nsec == 0)
		duty->eased_since_nsec = view->now_nsec;
	return view->n_hot > duty->n_hot || (duty->eased_since_nsec > 0 &&
					     view->now_nsec >= duty->eased_since_nsec + EASED_NSEC);
}

/* Nobody waits a minute for what is to be done, or for a status that still tells of a load that is
 * gone, unless that costs more than there is. */
static bool is_over(struct nb_duty *duty, const struct nb_duty_view *view)
{
	struct nb_duty_view urgent = *view;

	if (view->everything || view->rescan_due || view->now_nsec >= duty->until_nsec ||
	    view->now_nsec == duty->alert_nsec)
		return true;
	urgent.deciding = true;
	return view->known && has_changed(duty, view) &&
	       view->now_nsec >= duty->began_nsec + LEAST_PERIOD_NSEC &&
	       nb_duty_share(&urgent, duty->cost) >= NB_WHOLE / 5;
}

static enum nb_duty_stage wait_for_work(struct nb_duty *duty, const struct nb_duty_view *view)
{
	if (view->everything)
		return measure(duty, view);
	if (!view->known || (view->n_hot == 0 && !view->warm) ||
	    view->now_nsec < duty->dear_until_nsec)
		return NB_DUTY_DETACHED;
	duty->cost = 0;
	duty->dear_until_nsec = 0;
	return measure(duty, view);
}

static enum nb_duty_stage next(struct nb_duty *duty, const struct nb_duty_view *view)
{
	if (duty->stage == NB_DUTY_DETACHED)
		return wait_for_work(duty, view);
	if (has_cooled(duty, view))
		return detach(duty);
	if (duty->stage == NB_DUTY_PAUSED)
		return is_over(duty, view) ? measure(duty, view) : NB_DUTY_PAUSED;
	return go_on(duty, view);
}

static bool is_alert(struct nb_duty *duty, const struct nb_duty_view *view)
{
	if (view->known && view->n_hot > 0 &&
	    (duty->alert_nsec == 0 || view->now_nsec >= duty->alert_nsec + ALERT_PERIOD_NSEC) &&
	    !duty->was_hot)
		duty->alert_nsec = view->now_nsec;
	if (view->known)
		duty->was_hot = view->n_hot > 0;
	return duty->alert_nsec > 0 && view->now_nsec < duty->alert_nsec + ALERT_NSEC;
}

enum nb_duty_stage nb_duty_update(struct nb_duty *duty, const struct nb_duty_view *view)
{
	struct nb_duty_view wanted = *view;

	wanted.deciding |= is_alert(duty, view);
	duty->stage = next(duty, &wanted);
	return duty->stage;
}

void nb_duty_put_off(struct nb_duty *duty, uint64_t late_nsec)
{
	duty->began_nsec += late_nsec;
	duty->until_nsec += late_nsec;
}
