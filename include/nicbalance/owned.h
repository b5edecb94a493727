/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Who wrote the settings of the kernel that say where packets are processed. Plain data. */

#include "nicbalance/netdev.h"
#include "nicbalance/order.h"

enum nb_tunable {
	NB_TUNABLE_AFFINITY,   /* of an interrupt: a CPU list */
	NB_TUNABLE_RPS,        /* of a receive queue: a CPU list */
	NB_TUNABLE_XPS,        /* of a transmit queue: a CPU list */
	NB_TUNABLE_THREAD,     /* the kernel thread that polls a queue: a CPU list */
	NB_TUNABLE_RFS,        /* of a receive queue, or of the host: entries of a flow table */
	NB_TUNABLE_RSS,        /* of a NIC: its indirection table */
	NB_TUNABLE_CHANNELS,   /* of a NIC: how many queues it has */
	NB_TUNABLE_UDP_HASH,   /* of a NIC: by what it chooses the queue of UDP */
	NB_TUNABLE_COALESCING, /* of a NIC: how long an interrupt may wait */
	NB_TUNABLE_DEFAULT,    /* of the host: the affinity of new interrupts */
	_NB_TUNABLE_MAX,
	_NB_TUNABLE_INVALID = -1,
};

/* Whoever is not known to have written a value has not: it was found. */
enum nb_writer {
	NB_WRITER_FOUND,
	NB_WRITER_OURS,
	NB_WRITER_CLAIM,   /* ours, for a claim */
	NB_WRITER_FOREIGN, /* another program, while we were looking */
	NB_WRITER_DRIVER,  /* it is what the driver asks for */
	NB_WRITER_KERNEL,  /* it is the kernel's default, or the kernel lets nobody write it */
	_NB_WRITER_MAX,
	_NB_WRITER_INVALID = -1,
};

struct nb_owned {
	enum nb_tunable tunable;
	char nic[NB_IFNAME_MAX]; /* "": of the host, or of a device interrupt */
	int queue;               /* -1: of none */
	int64_t irq;             /* -1: of none */
	char *value;             /* for people, "off" for none; owned */
	enum nb_writer writer;
	char owner[NB_OWNER_MAX];     /* of the claim */
	uint64_t since_realtime_usec; /* when it was written; 0: that cannot be told */
};
