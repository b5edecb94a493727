/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The numbers we use of the generic netlink family "netdev", as include/uapi/linux/netdev.h has
 * them; headers before Linux 6.3 have no such file, and those of 6.3 to 6.8 only a part. Behind
 * each group stands the kernel that brought it. Pure. */

#define NB_NETDEV_FAMILY "netdev" /* 6.3 */

enum nb_netdev_command {
	NB_NETDEV_QUEUE_GET = 10,  /* 6.8 */
	NB_NETDEV_NAPI_GET = 11,   /* 6.8 */
	NB_NETDEV_QSTATS_GET = 12, /* 6.9 */
	NB_NETDEV_NAPI_SET = 14,   /* 6.13 */
};

/* enum netdev_queue_type, 6.8 */
enum nb_netdev_queue_type { NB_NETDEV_QUEUE_TYPE_RX = 0, NB_NETDEV_QUEUE_TYPE_TX = 1 };

/* 6.8 */
enum nb_netdev_queue_attribute {
	NB_NETDEV_QUEUE_ID = 1,
	NB_NETDEV_QUEUE_IFINDEX = 2,
	NB_NETDEV_QUEUE_TYPE = 3,
	NB_NETDEV_QUEUE_NAPI_ID = 4, /* absent: the driver links no NAPI to the queue */
	NB_NETDEV_QUEUE_ATTRIBUTES = NB_NETDEV_QUEUE_NAPI_ID,
};

/* 6.8 */
enum nb_netdev_napi_attribute {
	NB_NETDEV_NAPI_IFINDEX = 1,
	NB_NETDEV_NAPI_ID = 2,
	NB_NETDEV_NAPI_IRQ = 3, /* absent: the driver links no interrupt to the NAPI */
	NB_NETDEV_NAPI_PID = 4, /* of its kernel thread; absent: softirqs poll it */
	/* 6.13 */
	NB_NETDEV_NAPI_DEFER_HARD_IRQS = 5,
	NB_NETDEV_NAPI_GRO_FLUSH_TIMEOUT = 6,
	NB_NETDEV_NAPI_IRQ_SUSPEND_TIMEOUT = 7,
	NB_NETDEV_NAPI_THREADED = 8, /* 6.17 */
	NB_NETDEV_NAPI_ATTRIBUTES = NB_NETDEV_NAPI_THREADED,
};

/* enum netdev_napi_threaded, 6.17; and one that never sleeps is 2, since 6.19 */
enum nb_netdev_napi_threaded {
	NB_NETDEV_NAPI_THREADED_DISABLED = 0,
	NB_NETDEV_NAPI_THREADED_ENABLED = 1,
};

/* 6.9. Numbers 5 to 7 are not used; each counter is absent where the driver does not count it. */
enum nb_netdev_qstats_attribute {
	NB_NETDEV_QSTATS_IFINDEX = 1,
	NB_NETDEV_QSTATS_QUEUE_TYPE = 2,
	NB_NETDEV_QSTATS_QUEUE_ID = 3,
	NB_NETDEV_QSTATS_SCOPE = 4,
	NB_NETDEV_QSTATS_RX_PACKETS = 8,
	NB_NETDEV_QSTATS_RX_BYTES = 9,
	NB_NETDEV_QSTATS_TX_PACKETS = 10,
	NB_NETDEV_QSTATS_TX_BYTES = 11,
	NB_NETDEV_QSTATS_RX_HW_DROPS = 13,         /* 6.10; for whatever reason */
	NB_NETDEV_QSTATS_RX_HW_DROP_OVERRUNS = 14, /* 6.10; part of those: no buffer was free */
	NB_NETDEV_QSTATS_ATTRIBUTES = NB_NETDEV_QSTATS_RX_HW_DROP_OVERRUNS,
};

/* enum netdev_qstats_scope, 6.9 */
#define NB_NETDEV_QSTATS_SCOPE_QUEUE 1
