/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Answers writes to interrupt affinities, RPS and XPS masks, flow tables, threaded NAPI, channels
 * of the VMBus and affinities of threads as the real kernel does (kernel/irq/proc.c,
 * arch/x86/kernel/apic/vector.c, net/core/net-sysfs.c, sysctl_net_core.c, drivers/hv/vmbus_drv.c,
 * kernel/sched/syscalls.c), over a machine made of files. */

#include "nicbalance/cpumask.h"
#include "sysroot/sysroot.h"

#include <stdint.h>

typedef struct nb_fake_kernel nb_fake_kernel;

enum nb_fake_release {
	NB_FAKE_6_1,  /* managed interrupts: mode 0644, EIO */
	NB_FAKE_6_12, /* mode 0444, EPERM */
};

/* Takes the place of every nb_sysroot_write() of root, whose directory is dir. CPUs 0 … n_cpus − 1
 * are online. Both are borrowed and must outlive it. */
struct nb_fake_kernel *nb_fake_kernel_new(struct nb_sysroot *root, const char *dir,
					  enum nb_fake_release release, unsigned n_cpus);
void nb_fake_kernel_free(struct nb_fake_kernel *kernel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_fake_kernel, nb_fake_kernel_free)

/* list is the mask, as "0-3". */
void nb_fake_kernel_add_irq(struct nb_fake_kernel *kernel, uint32_t irq, const char *handlers,
			    const char *list);
/* free_irq() and request_irq() by another driver, after the descriptor was freed in between. */
void nb_fake_kernel_reuse_irq(struct nb_fake_kernel *kernel, uint32_t irq, const char *handlers,
			      const char *list);
void nb_fake_kernel_remove_irq(struct nb_fake_kernel *kernel, uint32_t irq);
void nb_fake_kernel_manage_irq(struct nb_fake_kernel *kernel, uint32_t irq);
/* One that lands: only now a deferred move is carried out. */
void nb_fake_kernel_interrupt(struct nb_fake_kernel *kernel, uint32_t irq);
void nb_fake_kernel_add_queue(struct nb_fake_kernel *kernel, int ifindex, const char *ifname,
			      unsigned queue, const char *list);
/* One of a device with a single one has a mask that nobody may write. */
/* With all of its queues. */
void nb_fake_kernel_rename(struct nb_fake_kernel *kernel, const char *from, const char *to);
void nb_fake_kernel_add_tx_queue(struct nb_fake_kernel *kernel, int ifindex, const char *ifname,
				 unsigned queue, const char *list);

/* The channel with this id of a NIC of Hyper-V. */
void nb_fake_kernel_add_channel(struct nb_fake_kernel *kernel, int ifindex, const char *ifname,
				uint32_t id, unsigned queue, unsigned cpu);
/* Its NIC is about to be opened anew. */
void nb_fake_kernel_close_channel(struct nb_fake_kernel *kernel, uint32_t id);
unsigned nb_fake_kernel_channel(struct nb_fake_kernel *kernel, uint32_t id);
/* A kernel thread that began so many ticks after boot; another one of this pid is no more. */
void nb_fake_kernel_add_thread(struct nb_fake_kernel *kernel, uint32_t pid, const char *name,
			       uint64_t began, const char *list);
void nb_fake_kernel_remove_thread(struct nb_fake_kernel *kernel, uint32_t pid);

/* The masks as their files show them, as lists; caller frees. */
char *nb_fake_kernel_irq(struct nb_fake_kernel *kernel, uint32_t irq);
char *nb_fake_kernel_rps(struct nb_fake_kernel *kernel, const char *ifname, unsigned queue);
char *nb_fake_kernel_xps(struct nb_fake_kernel *kernel, const char *ifname, unsigned queue);
char *nb_fake_kernel_thread(struct nb_fake_kernel *kernel, uint32_t pid);
int nb_fake_kernel_effective(const struct nb_fake_kernel *kernel, uint32_t irq);
/* What another writer does: not counted, never made to fail. */
void nb_fake_kernel_set_irq(struct nb_fake_kernel *kernel, uint32_t irq, const char *list);
void nb_fake_kernel_set_rps(struct nb_fake_kernel *kernel, const char *ifname, unsigned queue,
			    const char *list);
void nb_fake_kernel_set_xps(struct nb_fake_kernel *kernel, const char *ifname, unsigned queue,
			    const char *list);
void nb_fake_kernel_set_channel(struct nb_fake_kernel *kernel, uint32_t id, unsigned cpu);
void nb_fake_kernel_set_thread(struct nb_fake_kernel *kernel, uint32_t pid, const char *list);

/* The size of a flow table: of a receive queue, or of the host (ifname NULL), which has none until
 * it is first set here. */
uint64_t nb_fake_kernel_flows(struct nb_fake_kernel *kernel, const char *ifname, unsigned queue);
void nb_fake_kernel_set_flows(struct nb_fake_kernel *kernel, const char *ifname, unsigned queue,
			      uint64_t n);

/* Threaded NAPI of a device, which is up then, or is not. */
uint64_t nb_fake_kernel_threaded(struct nb_fake_kernel *kernel, const char *ifname);
void nb_fake_kernel_set_threaded(struct nb_fake_kernel *kernel, const char *ifname, uint64_t n);
void nb_fake_kernel_set_up(struct nb_fake_kernel *kernel, const char *ifname, bool up);

/* Offlining the last CPU of a mask makes it all that are online, for good. */
void nb_fake_kernel_set_online(struct nb_fake_kernel *kernel, unsigned cpu, bool online);
/* isolcpus=, of managed interrupts too, or nohz_full=. */
void nb_fake_kernel_isolate(struct nb_fake_kernel *kernel, unsigned cpu);
/* All its vectors are used up, or are free again. */
void nb_fake_kernel_fill(struct nb_fake_kernel *kernel, unsigned cpu, bool full);
/* x86 without interrupt remapping: a write is kept until the next interrupt. */
void nb_fake_kernel_defer(struct nb_fake_kernel *kernel);
/* The writer lacks CAP_NET_ADMIN. */
void nb_fake_kernel_drop_net_admin(struct nb_fake_kernel *kernel);

/* Of the writes from now on, the first-th (from 1) and the count − 1 behind it answer error, a
 * negative errno, and change nothing. */
void nb_fake_kernel_fail(struct nb_fake_kernel *kernel, unsigned first, unsigned count, int error);
/* Writes seen since the last call of nb_fake_kernel_fail(), failed ones too. */
unsigned nb_fake_kernel_n_writes(const struct nb_fake_kernel *kernel);
