/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Parts of nb_transaction_prepare(), for the files of this folder only. */

#include "apply/transaction.h"

/* What can be said without writing, once both values are known: UNCHANGED, why it would fail, or
 * APPLIED. */
enum nb_outcome nb_edit_compare(struct nb_edit *edit, const struct nb_access *access);

/* What was found before our first write, unless another program has written since: then that is.
 * Borrowed. */
GBytes *nb_edit_found(const struct nb_edit *edit, const struct nb_baseline *baseline);

/* Before Linux 7 whoever reads or writes a file of a NIC that wants the RTNL lock spins while
 * another holds it (net/core/net-sysfs.c, rtnl_trylock() and restart_syscall()). ethtool waits for
 * the same lock, in a thread and not for long. */
bool nb_is_locked(const struct nb_access *access, const char *ifname);

/* The flow tables of a NIC and of the host. */
void nb_transaction_prepare_rfs(struct nb_transaction *transaction, const struct nb_access *access,
				const struct nb_baseline *baseline,
				const struct nb_machine *machine, const struct nb_nic *nic,
				const struct nb_setting_change *change);
/* UNCHANGED where each of its edits holds its target. */
void nb_transaction_compare(struct nb_transaction *transaction, const struct nb_access *access);

/* The NAPI threads of a NIC. */
void nb_transaction_prepare_threads(struct nb_transaction *transaction,
				    const struct nb_access *access,
				    const struct nb_baseline *baseline,
				    const struct nb_follow_change *change);

/* The XPS masks of a NIC. */
void nb_transaction_prepare_xps(struct nb_transaction *transaction, const struct nb_access *access,
				const struct nb_baseline *baseline,
				const struct nb_machine *machine, const struct nb_nic *nic,
				const struct nb_follow_change *change);
