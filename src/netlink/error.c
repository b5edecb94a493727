/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/error.h"

#include <errno.h>
#include <glib.h>
#include <netlink/errno.h>

/* NLE_… counts from 1 in libnl's own order (lib/error.c) and only looks like an errno. Where it
 * folds several errnos into one number, the commonest stands here. */
static const int errnos[] = {
	[NLE_FAILURE] = EIO,
	[NLE_INTR] = EINTR,
	[NLE_BAD_SOCK] = EBADF,
	[NLE_AGAIN] = EAGAIN,
	[NLE_NOMEM] = ENOMEM,
	[NLE_EXIST] = EEXIST,
	[NLE_INVAL] = EINVAL,
	[NLE_RANGE] = ERANGE,
	[NLE_MSGSIZE] = EMSGSIZE,
	[NLE_OPNOTSUPP] = EOPNOTSUPP,
	[NLE_AF_NOSUPPORT] = EAFNOSUPPORT,
	[NLE_OBJ_NOTFOUND] = ENOENT,
	[NLE_NOATTR] = ENODATA,
	[NLE_MISSING_ATTR] = EBADMSG,
	[NLE_AF_MISMATCH] = EAFNOSUPPORT,
	[NLE_SEQ_MISMATCH] = EPROTO,
	[NLE_MSG_OVERFLOW] = ENOBUFS,
	[NLE_MSG_TRUNC] = EBADMSG,
	[NLE_NOADDR] = EADDRNOTAVAIL,
	[NLE_SRCRT_NOSUPPORT] = EOPNOTSUPP,
	[NLE_MSG_TOOSHORT] = EBADMSG,
	[NLE_MSGTYPE_NOSUPPORT] = EOPNOTSUPP,
	[NLE_OBJ_MISMATCH] = EINVAL,
	[NLE_NOCACHE] = EINVAL,
	[NLE_BUSY] = EBUSY,
	[NLE_PROTO_MISMATCH] = EPROTONOSUPPORT,
	[NLE_NOACCESS] = EACCES,
	[NLE_PERM] = EPERM,
	[NLE_PKTLOC_FILE] = EIO,
	[NLE_PARSE_ERR] = EBADMSG,
	[NLE_NODEV] = ENODEV,
	[NLE_IMMUTABLE] = EPERM,
	[NLE_DUMP_INTR] = EINTR,
	[NLE_ATTRSIZE] = EMSGSIZE,
};

int nb_nl_errno(int result)
{
	if (result >= 0)
		return result;
	/* A later libnl may know more numbers than we do. */
	if (result <= -(int)G_N_ELEMENTS(errnos))
		return -EIO;
	return -errnos[-result];
}
