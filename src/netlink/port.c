/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/port.h"
#include "netlink/error.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* The kernel fills datagrams of a dump up to the room it saw offered, 32 KiB at most
 * (net/netlink/af_netlink.c netlink_recvmsg()). */
#define DATAGRAM_MAX 32768

/* Room for a storm of a few thousand notifications. A limit, not an allocation. */
#define RECEIVE_BUFFER (4 * 1024 * 1024)

#define ATTEMPTS_MAX 4

struct nb_port {
	struct nl_sock *socket;
	struct nb_errand *errand; /* NULL: the caller makes the system calls */
	bool unfinished;          /* an answer was not read to its end */
	bool changes;             /* the request at hand is waited for to its end */
	/* Of the last or the present datagram, also for the thread that is still at it. */
	bool truncated;
	size_t len;
	_Alignas(struct nlmsghdr) char buffer[DATAGRAM_MAX];
};

/* SO_RCVBUFFORCE may exceed net.core.rmem_max, but takes CAP_NET_ADMIN. With a smaller buffer
 * changes are lost, and reported as lost, sooner. */
static void enlarge(int fd)
{
	int size = RECEIVE_BUFFER;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

/* The buffer is not cleared: most ports use little of it, and only that becomes resident. */
static struct nb_port *new_port(void)
{
	struct nb_port *port = g_malloc(sizeof(*port));

	port->socket = nl_socket_alloc();
	port->errand = NULL;
	port->unfinished = false;
	port->changes = false;
	return port;
}

int nb_port_open(int protocol, struct nb_port **ret)
{
	g_autoptr(nb_port) port = new_port();
	int r;

	if (!port->socket)
		return -ENOMEM;

	r = nb_nl_errno(nl_connect(port->socket, protocol));
	if (r < 0)
		return r;

	r = nb_nl_errno(nl_socket_set_nonblocking(port->socket));
	if (r < 0)
		return r;

	/* After nl_connect(), which sets 32 KiB. */
	enlarge(nb_port_fd(port));
	*ret = g_steal_pointer(&port);
	return 0;
}

void nb_port_free(struct nb_port *port)
{
	if (!port)
		return;
	nl_socket_free(port->socket);
	g_free(port);
}

int nb_port_fd(const struct nb_port *port)
{
	return nl_socket_get_fd(port->socket);
}

int nb_port_join(struct nb_port *port, unsigned group)
{
	return nb_nl_errno(nl_socket_add_membership(port->socket, (int)group));
}

void nb_port_use(struct nb_port *port, struct nb_errand *errand)
{
	port->errand = errand;
}

static int perform(struct nb_port *port, nb_errand_call call)
{
	if (!port->errand)
		return call(port);
	return port->changes ? nb_errand_see_through(port->errand, call, port)
			     : nb_errand_run(port->errand, call, port);
}

static int receive(void *userdata)
{
	struct nb_port *port = userdata;
	struct sockaddr_nl from = {0};
	struct iovec iov = {.iov_base = port->buffer, .iov_len = sizeof(port->buffer)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	do {
		msg.msg_name = &from;
		msg.msg_namelen = sizeof(from);
		n = recvmsg(nb_port_fd(port), &msg, 0);
	} while ((n < 0 && errno == EINTR) || (n >= 0 && from.nl_pid != 0));

	if (n < 0)
		return -errno;
	port->truncated = msg.msg_flags & MSG_TRUNC;
	port->len = (size_t)n;
	return 0;
}

int nb_port_receive(struct nb_port *port, void **ret_data, size_t *ret_len)
{
	int r = perform(port, receive);

	if (r < 0)
		return r;
	if (port->truncated)
		return -ENOBUFS;

	*ret_data = port->buffer;
	*ret_len = port->len;
	return 0;
}

/* The rest of an answer would block the next: the kernel allows one dump at a time on a socket.
 * -EAGAIN: that was all. */
static int drain(struct nb_port *port)
{
	void *data;
	size_t len;
	int r;

	do {
		r = nb_port_receive(port, &data, &len);
	} while (r == 0 || r == -ENOBUFS);
	return r;
}

static int read_answer(struct nb_port *port, uint32_t seq, const struct nb_sink *sink)
{
	struct nb_answer answer = {.seq = seq};
	void *data = NULL;
	size_t len = 0;
	int r;

	do {
		r = nb_port_receive(port, &data, &len);
		if (r < 0)
			return r;
		r = nb_answer_take(&answer, data, len, sink->message, sink->userdata);
	} while (r == 0);
	return r < 0 ? r : 0;
}

static int send_buffer(void *userdata)
{
	struct nb_port *port = userdata;

	return send(nb_port_fd(port), port->buffer, port->len, 0) < 0 ? -errno : 0;
}

/* From the buffer, which outlives the caller's message. */
static int send_message(struct nb_port *port, struct nl_msg *msg)
{
	const struct nlmsghdr *hdr = nlmsg_hdr(msg);

	nl_complete_msg(port->socket, msg);
	if (hdr->nlmsg_len > sizeof(port->buffer))
		return -EMSGSIZE;
	memcpy(port->buffer, hdr, hdr->nlmsg_len);
	port->len = hdr->nlmsg_len;
	return perform(port, send_buffer);
}

/* The socket need not block: the kernel answers within sendmsg() and prepares the next part of a
 * dump within recvmsg() (net/netlink/af_netlink.c). Both may wait for a lock there. */
static int attempt(struct nb_port *port, struct nl_msg *msg, const struct nb_sink *sink)
{
	int r = port->errand ? nb_errand_reserve(port->errand) : 0;

	if (r < 0)
		return r;
	r = port->unfinished ? drain(port) : -EAGAIN;
	if (r != -EAGAIN)
		return r;
	nlmsg_hdr(msg)->nlmsg_seq = NL_AUTO_SEQ;
	r = send_message(port, msg);
	if (r == 0)
		r = read_answer(port, nlmsg_hdr(msg)->nlmsg_seq, sink);
	port->unfinished = r < 0;
	return r;
}

int nb_port_request(struct nb_port *port, struct nl_msg *msg, const struct nb_sink *sink)
{
	int r;

	for (unsigned i = 0; i < ATTEMPTS_MAX; i++) {
		r = attempt(port, msg, sink);
		if (r != -EINTR)
			return r;
		if (sink->restart)
			sink->restart(sink->userdata);
	}
	return -EINTR;
}

static int ignore_message(struct nlmsghdr *hdr, void *userdata)
{
	(void)hdr;
	(void)userdata;
	return 0;
}

int nb_port_change(struct nb_port *port, struct nl_msg *msg)
{
	const struct nb_sink sink = {.message = ignore_message};
	int r;

	port->changes = true;
	r = attempt(port, msg, &sink);
	port->changes = false;
	return r;
}
