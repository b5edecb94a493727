/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* A thread for system calls that may wait for long, so that its owner need not. Most requests of
 * this folder take the RTNL lock, which a driver may hold for many seconds while it resets a
 * device, or a mutex of the driver; no signal ends such a wait (net/core/rtnetlink.c rtnl_lock()).
 */

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct nb_errand nb_errand;

/* The thread begins with the first run. */
struct nb_errand *nb_errand_new(void);
/* If a call is still running, nothing that it uses may be freed, nor is this: false. */
bool nb_errand_free(struct nb_errand *errand);

/* How long a run waits; at first, as long as it takes. */
void nb_errand_set_patience(struct nb_errand *errand, uint64_t patience_usec);

/* Makes system calls, and takes no lock that a fork() would need. Returns 0 or a negative errno. */
typedef int (*nb_errand_call)(void *userdata);

/* Has the thread make a call, and returns what it returns. -ETIMEDOUT: patience ended first. The
 * call goes on then, and what it uses must be left alone until nb_errand_is_free(). -EBUSY: one
 * goes on; nothing was done. -EAGAIN: there is no thread to be had. */
int nb_errand_run(struct nb_errand *errand, nb_errand_call call, void *userdata);
/* The same without -ETIMEDOUT: for what must not take effect unnoticed. */
int nb_errand_see_through(struct nb_errand *errand, nb_errand_call call, void *userdata);
bool nb_errand_is_free(struct nb_errand *errand);
/* Before what a call uses is changed: 0, or -EBUSY, which counts as a call not made. */
int nb_errand_reserve(struct nb_errand *errand);
/* How many calls were not waited for to the end, or not made for that reason. */
unsigned nb_errand_given_up(struct nb_errand *errand);
