/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The little that the programs know of the kernel: fields that libbpf finds in the running kernel's
 * own types, and the two ways of reading them. */

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net; /* CONFIG_NET_NS */
} possible_net_t;

struct net_device {
	int ifindex;
	possible_net_t nd_net;
};

struct napi_struct {
	struct net_device *dev; /* NULL: a CPU's backlog */
	unsigned int napi_id;
	int irq; /* since 6.8; 0 or -1 where the driver does not tell */
};

struct sk_buff {
	struct net_device *dev;
	unsigned int len, data_len; /* of all, and of what is in pages */
	__u32 hash;                 /* 0: the NIC did not tell */
	__u16 queue_mapping;        /* on receive, the queue plus one (skb_record_rx_queue()) */
	__u16 protocol;             /* in the order of the network */
	unsigned char *data;
};

struct irqaction {
	void *dev_id;
};

struct sched_entity {
	__u64 sum_exec_runtime;
};

struct task_struct {
	unsigned int flags;
	int pid;
	struct sched_entity se;
};

#pragma clang attribute pop

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */
#define IRQ_NONE 0            /* include/linux/irqreturn.h */

/* A field as the flavour of the program may read it. tp_btf programs have pointers of a type that
 * the verifier knows and load through them: no call, and permitted even where lockdown forbids
 * reading kernel memory. raw_tp programs have numbers, and need a helper. */
#define GET(typed, pointer, field) ((typed) ? (pointer)->field : BPF_CORE_READ(pointer, field))
