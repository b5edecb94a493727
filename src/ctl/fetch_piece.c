/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/connect.h"
#include "ctl/fetch_rows.h"
#include "nicbalance/interface.h"

void nb_piece_clear(nb_piece *piece)
{
	sd_bus_message_unref(piece->reply);
	*piece = (nb_piece){0};
}

int nb_fetch_piece(sd_bus *bus, uint64_t cursor, nb_piece *ret)
{
	g_auto(nb_piece) piece = {0};
	int lost, r;

	r = nb_call_number(bus, "Record", cursor, &piece.reply);
	if (r < 0)
		return r;
	r = sd_bus_message_read(piece.reply, NB_BUS_RECORDED, &piece.cursor, &lost, &piece.text);
	if (r < 0)
		return nb_answer_is_odd(r);
	*ret = (nb_piece){
		.cursor = piece.cursor,
		.lost = lost,
		.text = piece.text,
		.reply = g_steal_pointer(&piece.reply),
	};
	return 0;
}
