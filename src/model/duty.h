/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How much of the time the probe measures. Pure: the caller brings the time, and carries it out. */

#include <stdbool.h>
#include <stdint.h>

/* The programs are attached in a slice and in full alone: entering a program that returns at once
 * is most of what it costs (bench/probe). */
enum nb_duty_stage {
	NB_DUTY_DETACHED, /* loads are estimated */
	NB_DUTY_PAUSED,   /* between two slices: what the last one told stands */
	NB_DUTY_SLICE,    /* measuring until until_nsec */
	NB_DUTY_FULL,     /* measuring */
};

/* A zeroed duty is detached. */
struct nb_duty {
	enum nb_duty_stage stage;
	uint64_t until_nsec;       /* end of the slice or pause */
	uint64_t began_nsec;       /* to measure, the last time */
	uint64_t alert_nsec;       /* when a CPU last became hot after a long time; 0: never */
	uint64_t cool_since_nsec;  /* 0: not cool, or not known to be */
	uint64_t eased_since_nsec; /* fewer CPUs are hot than when the pause began; 0: not */
	uint64_t dear_until_nsec;  /* too dear until then; 0: not */
	uint64_t dear_wait_nsec;   /* how long that was; 0: the last trial was cheap enough */
	bool was_hot;              /* a CPU was, when that was known last */
	uint32_t n_hot;            /* at the begin of the pause */
	uint32_t cost;             /* as in struct nb_duty_view, the last that was known */
};

/* Shares are basis points. */
struct nb_duty_view {
	uint64_t now_nsec;
	bool known;      /* enough was seen of the CPUs since the last call; else n_hot is not */
	uint32_t n_hot;  /* hot CPUs with network work worth a move */
	bool warm;       /* delays are wanted of a CPU with network work, though none is hot */
	bool deciding;   /* a change is being decided or verified */
	bool rescan_due; /* no pause may put it off */
	bool urgent;     /* of that something is set for a moment only: no pause until it is over */
	bool everything; /* someone records, or watches delays: no ceiling applies */
	uint32_t budget; /* of all CPUs' time together */
	uint32_t cost;   /* the same unit: of measuring all the time, as seen since the last call;
			    0: not known */
};

/* What to do from now on. Called after each cycle and idle check. */
enum nb_duty_stage nb_duty_update(struct nb_duty *duty, const struct nb_duty_view *view);

/* The slice begins, or one that is under way goes on, so much later: attaching took that. */
void nb_duty_put_off(struct nb_duty *duty, uint64_t late_nsec);

/* Share of the time that is measured at most; 0: measuring is too dear. */
uint32_t nb_duty_share(const struct nb_duty_view *view, uint32_t cost);
