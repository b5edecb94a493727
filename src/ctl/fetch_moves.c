/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/fetch_rows.h"
#include "nicbalance/interface.h"

/* The fields of NB_BUS_MOVE before and behind its interrupts. */
#define BEFORE "tssssisu"
#define BEHIND "iissuuuusss"
G_STATIC_ASSERT(sizeof(NB_BUS_MOVE) == sizeof(BEFORE "au" BEHIND));

static int read_move(sd_bus_message *reply, void *row)
{
	struct nb_move_row *move = row;
	int r;

	r = sd_bus_message_enter_container(reply, 'r', NB_BUS_MOVE);
	if (r <= 0)
		return r;
	r = sd_bus_message_read(reply, BEFORE, &move->realtime_usec, &move->event, &move->reason,
				&move->outcome, &move->effect, &move->ifindex, &move->netdev,
				&move->index);
	if (r < 0)
		return r;
	r = nb_irqs_read(reply, &move->irqs);
	if (r < 0)
		return r;
	r = sd_bus_message_read(reply, BEHIND, &move->cpu_from, &move->cpu_to, &move->rps_from,
				&move->rps_to, &move->load, &move->before, &move->predicted,
				&move->measured, &move->what, &move->why, &move->result);
	if (r < 0)
		return r;
	r = sd_bus_message_exit_container(reply);
	return r < 0 ? r : 1;
}

int nb_fetch_moves(sd_bus *bus, nb_rows *ret)
{
	return nb_fetch_rows(bus, "ListMoves", NB_BUS_MOVE, sizeof(struct nb_move_row), read_move,
			     ret);
}
