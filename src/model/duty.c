/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/duty.h"

#include "nicbalance/units.h"

#include <glib.h>

/* Attached from 85 % of Hot= on (59.5 % of 70): nothing is done below Hot=, and what grows gets
 * there later. Detached below 70 % of it (49 %) for five minutes, which a load that changes from
 * minute to minute never is. */
#define NEAR(hot) ((hot) / 100 * 85)
#define FAR(hot) ((hot) / 100 * 70)
#define CALM_NSEC (300 * NB_NSEC_PER_SEC)
/* What a slice leaves out at its begin and end, softirqs under way, is 2 ms each at most
 * (net.core.netdev_budget_usecs), so less than 2 % of it. */
#define SLICE_NSEC (NB_NSEC_PER_SEC / 4)
/* A slice ends with a cycle, and pauses take one interval or more; so above a fifth of the time it
 * is the slices that grow. */
#define PAUSE_NSEC NB_NSEC_PER_SEC
#define LONGEST_SLICE_NSEC (10 * NB_NSEC_PER_SEC)
/* Of the time while nothing is decided: a slice every five seconds. The planner has nothing to do
 * as long as no CPU is hot, which the kernel's own times tell. */
#define WARM (NB_WHOLE / 20)
/* With less, three hot samples would take a quarter of a minute and more. */
#define LEAST WARM
/* Traffic may be less then. */
#define DEAR_NSEC (1800 * NB_NSEC_PER_SEC)

uint32_t nb_duty_share(const struct nb_duty_view *view, uint32_t cost)
{
	uint64_t allowed = cost ? (uint64_t)view->budget * NB_WHOLE / cost : WARM;

	if (view->everything || view->urgent)
		return NB_WHOLE;
	if (allowed < LEAST)
		return 0;
	return (uint32_t)MIN(allowed, view->deciding ? NB_WHOLE : WARM);
}

static bool is_calm(struct nb_duty *duty, const struct nb_duty_view *view)
{
	if (view->everything || view->deciding || !view->known || view->busiest >= FAR(view->hot)) {
		duty->calm_since_nsec = 0;
		return false;
	}
	if (duty->calm_since_nsec == 0)
		duty->calm_since_nsec = view->now_nsec;
	return view->now_nsec >= duty->calm_since_nsec + CALM_NSEC;
}

static enum nb_duty_stage detach(struct nb_duty *duty)
{
	duty->calm_since_nsec = 0;
	duty->cost = 0;
	return NB_DUTY_DETACHED;
}

static enum nb_duty_stage give_up(struct nb_duty *duty, const struct nb_duty_view *view)
{
	uint32_t cost = duty->cost;
	enum nb_duty_stage stage = detach(duty);

	duty->cost = cost;
	duty->dear_until_nsec = view->now_nsec + DEAR_NSEC;
	return stage;
}

/* A slice of a share that needs pauses. */
static enum nb_duty_stage begin_slice(struct nb_duty *duty, uint64_t now_nsec, uint32_t share)
{
	uint64_t slice_nsec = PAUSE_NSEC * share / (NB_WHOLE - share);

	duty->until_nsec = now_nsec + CLAMP(slice_nsec, SLICE_NSEC, LONGEST_SLICE_NSEC);
	return NB_DUTY_SLICE;
}

static enum nb_duty_stage measure(struct nb_duty *duty, const struct nb_duty_view *view)
{
	uint32_t share = nb_duty_share(view, duty->cost);

	if (share == 0)
		return give_up(duty, view);
	return share == NB_WHOLE ? NB_DUTY_FULL : begin_slice(duty, view->now_nsec, share);
}

static enum nb_duty_stage pause_slices(struct nb_duty *duty, const struct nb_duty_view *view,
				       uint32_t share)
{
	uint64_t pause_nsec = SLICE_NSEC * (NB_WHOLE - share) / share;

	duty->until_nsec = view->now_nsec + MAX(pause_nsec, PAUSE_NSEC);
	duty->busiest = view->known ? view->busiest : duty->busiest;
	return NB_DUTY_PAUSED;
}

static enum nb_duty_stage end_slice(struct nb_duty *duty, const struct nb_duty_view *view)
{
	uint32_t share;

	if (view->cost)
		duty->cost = view->cost;
	share = nb_duty_share(view, duty->cost);
	if (share == 0)
		return give_up(duty, view);
	return share == NB_WHOLE ? NB_DUTY_FULL : pause_slices(duty, view, share);
}

/* A CPU that became hot in the pause: nobody waits for the next slice, unless that costs more than
 * there is. */
static bool is_over(const struct nb_duty *duty, const struct nb_duty_view *view)
{
	struct nb_duty_view urgent = *view;

	if (view->everything || view->now_nsec >= duty->until_nsec)
		return true;
	urgent.deciding = true;
	return view->known && view->busiest > view->hot && duty->busiest <= view->hot &&
	       nb_duty_share(&urgent, duty->cost) >= NB_WHOLE / 5;
}

static enum nb_duty_stage wait_for_work(struct nb_duty *duty, const struct nb_duty_view *view)
{
	if (view->everything)
		return measure(duty, view);
	if (!view->known || view->busiest < NEAR(view->hot) ||
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
	if (is_calm(duty, view))
		return detach(duty);
	switch (duty->stage) {
	case NB_DUTY_PAUSED:
		return is_over(duty, view) ? measure(duty, view) : NB_DUTY_PAUSED;
	case NB_DUTY_SLICE:
		if (view->everything)
			return NB_DUTY_FULL;
		return view->now_nsec >= duty->until_nsec ? end_slice(duty, view) : NB_DUTY_SLICE;
	case NB_DUTY_FULL:
	case NB_DUTY_DETACHED:
		return end_slice(duty, view);
	}
	return NB_DUTY_DETACHED;
}

enum nb_duty_stage nb_duty_update(struct nb_duty *duty, const struct nb_duty_view *view)
{
	duty->stage = next(duty, view);
	return duty->stage;
}
