/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* How much of the time the probe measures. Pure: the caller brings the time, and carries it out. */

#include <stdbool.h>
#include <stdint.h>

enum nb_duty_stage {
	NB_DUTY_DETACHED, /* nothing hangs on a tracepoint: loads are estimated */
	NB_DUTY_PAUSED,   /* attached; the programs return at once */
	NB_DUTY_SLICE,    /* measuring until until_nsec */
	NB_DUTY_FULL,     /* measuring */
};

/* A zeroed duty is detached. */
struct nb_duty {
	enum nb_duty_stage stage;
	uint64_t until_nsec;      /* end of the slice or pause */
	uint64_t calm_since_nsec; /* 0: not calm, or not known to be */
	uint64_t dear_until_nsec; /* too dear until then; 0: not */
	uint32_t busiest;         /* at the end of the last slice */
	uint32_t cost;            /* as in struct nb_duty_view, the last that was known */
};

/* Shares are basis points. */
struct nb_duty_view {
	uint64_t now_nsec;
	uint32_t hot;     /* a load above this is hot */
	bool known;       /* enough was seen of the CPUs since the last call; else busiest is not */
	uint32_t busiest; /* load of the busiest CPU with network work worth a move; 0: none */
	bool deciding;    /* a change is being decided or verified */
	bool urgent;     /* of that something is set for a moment only: no pause until it is over */
	bool everything; /* someone records, or watches delays: no ceiling applies */
	uint32_t budget; /* of all CPUs' time together */
	uint32_t cost;   /* the same unit: of measuring all the time, as seen in the last slice;
			    0: no slice has ended */
};

/* What to do from now on. Called after each cycle and idle check. */
enum nb_duty_stage nb_duty_update(struct nb_duty *duty, const struct nb_duty_view *view);

/* Share of the time that is measured at most; 0: measuring is too dear. */
uint32_t nb_duty_share(const struct nb_duty_view *view, uint32_t cost);
