/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A netlink socket that talks to the kernel alone, with the buffer it reads into. */

#include "netlink/answer.h"
#include "netlink/errand.h"

typedef struct nb_port nb_port;

/* Opens a non-blocking socket of one NETLINK_… protocol, with a large receive buffer. */
int nb_port_open(int protocol, struct nb_port **ret);
void nb_port_free(struct nb_port *port);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_port, nb_port_free)

/* From now on it sends and receives by errand, which it borrows: requests may fail as
 * nb_errand_run() does. If one is still running, the port must not be freed. */
void nb_port_use(struct nb_port *port, struct nb_errand *errand);

int nb_port_fd(const struct nb_port *port);
/* Subscribes to a multicast group by its number. */
int nb_port_join(struct nb_port *port, unsigned group);

/* The next datagram from the kernel; what other processes send is passed over. *ret_data is valid
 * until the next call. -EAGAIN: nothing is waiting; -ENOBUFS: something was lost, go on reading. */
int nb_port_receive(struct nb_port *port, void **ret_data, size_t *ret_len);

/* Who takes the answer to a request. */
struct nb_sink {
	nb_answer_message message;
	/* Forget what was taken: the dump begins again. NULL: what was taken stays. */
	void (*restart)(void *userdata);
	void *userdata;
};

/* Sends msg and passes each message of the answer to sink. A dump that the kernel calls
 * inconsistent is requested again, a few times; then -EINTR. */
int nb_port_request(struct nb_port *port, struct nl_msg *msg, const struct nb_sink *sink);

/* Sends msg, which changes something, and waits for its end, however long that takes. */
int nb_port_change(struct nb_port *port, struct nl_msg *msg);
