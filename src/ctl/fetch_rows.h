/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Reading of an array of structs, for fetch_*.c. */

#include "ctl/fetch.h"

/* Reads one struct: positive, 0 at the end of the array, or a negative errno. */
typedef int (*nb_read_row)(sd_bus_message *reply, void *row);

/* signature is that of one struct, without its brackets. */
int nb_rows_read(sd_bus_message *reply, const char *signature, size_t row_size, nb_read_row read,
		 GArray **ret);
/* "au"; the numbers belong to the message. */
int nb_irqs_read(sd_bus_message *reply, struct nb_irq_list *ret);
/* Says that the answer makes no sense, which is a daemon of another version. Returns r. */
int nb_answer_is_odd(int r);

/* A method whose answer is one array of structs. */
int nb_fetch_rows(sd_bus *bus, const char *method, const char *signature, size_t row_size,
		  nb_read_row read, nb_rows *ret);
