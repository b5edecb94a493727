/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apply/outcome.h"

#include <errno.h>

/* kernel/irq/proc.c write_irq_affinity(), kernel/irq/manage.c irq_set_affinity_locked(),
 * arch/x86/kernel/apic/vector.c, net/core/net-sysfs.c store_rps_map() and
 * kernel/sched/syscalls.c sched_setaffinity(). */
enum nb_outcome nb_outcome_from_errno(int error)
{
	switch (-error) {
	case 0:
		return NB_OUTCOME_APPLIED;
	case ENOSPC:
		return NB_OUTCOME_NO_VECTOR;
	case ENOENT:
	case ENODEV:
	case ESRCH:
		return NB_OUTCOME_GONE;
	case EBUSY:
	case EAGAIN:
	case EINTR:
	case ENOMEM:
	case EMFILE:
	case ENFILE:
	case ETIMEDOUT: /* a lock that others hold (nb_netlink_set_patience()) */
		return NB_OUTCOME_BUSY;
	case EINVAL:
	case EOVERFLOW:
	case ERANGE:
		return NB_OUTCOME_STALE;
	default:
		return NB_OUTCOME_REFUSED;
	}
}

/* net/ethtool/ioctl.c ethtool_set_rxfh(), and what drivers answer to their set_rxfh(). */
enum nb_outcome nb_outcome_from_ethtool(int error)
{
	enum nb_outcome outcome = nb_outcome_from_errno(error);

	if (outcome == NB_OUTCOME_STALE || outcome == NB_OUTCOME_NO_VECTOR)
		return NB_OUTCOME_REFUSED;
	return outcome;
}

static unsigned rank(enum nb_outcome outcome)
{
	switch (outcome) {
	case NB_OUTCOME_UNCHANGED:
		return 0;
	case NB_OUTCOME_APPLIED:
		return 1;
	case NB_OUTCOME_REHEARSED:
		return 2;
	case NB_OUTCOME_BUSY:
		return 3;
	case NB_OUTCOME_NO_VECTOR:
		return 4;
	case NB_OUTCOME_STALE:
		return 5;
	case NB_OUTCOME_REFUSED:
		return 6;
	case NB_OUTCOME_FOREIGN:
		return 7;
	case NB_OUTCOME_GONE:
		return 8;
	case NB_OUTCOME_UNSAFE:
		return 9;
	case _NB_OUTCOME_MAX:
	case _NB_OUTCOME_INVALID:
		break;
	}
	return 10;
}

enum nb_outcome nb_outcome_worse(enum nb_outcome a, enum nb_outcome b)
{
	return rank(a) >= rank(b) ? a : b;
}
