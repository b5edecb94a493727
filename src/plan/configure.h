/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Settings of a NIC as a whole, which its [Device] section names (Channels=, UdpHash=), and
 * RfsFlows=. Pure. */

#include "plan/board.h"

/* Appends struct nb_setting_change for NICs that are otherwise than they are to be, or were made so
 * and need not be any more. Each is done once: what another program sets afterwards stays, but for
 * the hash after a reset of the NIC, which may forget it. Channels change only while the daemon
 * starts, or next to nothing is received: that interrupts the traffic. Notes in memory what is as
 * it is to be. */
void nb_configure_hashes(const struct nb_board *board, const struct nb_machine *machine,
			 struct nb_memory *memory, GArray *changes);
/* Flow tables are not read for this: apply looks at them. Of one NIC, since they share that of the
 * host. They are asked for again when the number of receive queues changes: the kernel makes those
 * that are new without one. */
void nb_configure_rfs(const struct nb_board *board, const struct nb_machine *machine,
		      const struct nb_memory *memory, GArray *changes);
void nb_configure_channels(const struct nb_board *board, const struct nb_machine *machine,
			   struct nb_memory *memory, GArray *changes);
