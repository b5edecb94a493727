/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* What the kernel answered to a write. An answer is data, not an error. Plain data. */

enum nb_outcome {
	NB_OUTCOME_APPLIED,
	NB_OUTCOME_UNCHANGED, /* the knob held that value already; nothing was written */
	NB_OUTCOME_REFUSED,   /* final: EPERM since 6.12, EIO before (managed); EACCES, EROFS */
	NB_OUTCOME_NO_VECTOR, /* ENOSPC: no free vector on that CPU */
	NB_OUTCOME_GONE,      /* ENOENT, ENODEV: the interrupt or the device no longer exists */
	NB_OUTCOME_BUSY,      /* EBUSY, EAGAIN, ENOMEM, ETIMEDOUT: try again */
	NB_OUTCOME_STALE,     /* EINVAL, EOVERFLOW, ERANGE: the host changed (a CPU went offline) */
	NB_OUTCOME_UNSAFE,    /* not written, because the original value could not be saved */
	NB_OUTCOME_FOREIGN,   /* not written: another program set it, or an administrator did */
	NB_OUTCOME_REHEARSED, /* not written: observe mode, or paused */
	_NB_OUTCOME_MAX,
	_NB_OUTCOME_INVALID = -1,
};
