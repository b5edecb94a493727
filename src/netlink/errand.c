/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/errand.h"

#include <errno.h>
#include <signal.h>

#define FOREVER G_MAXUINT64

struct nb_errand {
	GThread *thread; /* NULL before the first run */
	uint64_t patience_usec;
	unsigned given_up;
	GMutex mutex; /* for all below */
	GCond changed;
	nb_errand_call call; /* NULL: nothing to do */
	void *userdata;
	int result; /* of the last call */
	bool ended;
};

struct nb_errand *nb_errand_new(void)
{
	struct nb_errand *errand = g_new0(struct nb_errand, 1);

	errand->patience_usec = FOREVER;
	g_mutex_init(&errand->mutex);
	g_cond_init(&errand->changed);
	return errand;
}

bool nb_errand_free(struct nb_errand *errand)
{
	if (!nb_errand_is_free(errand))
		return false;
	if (errand->thread) {
		g_mutex_lock(&errand->mutex);
		errand->ended = true;
		g_cond_broadcast(&errand->changed);
		g_mutex_unlock(&errand->mutex);
		g_thread_join(errand->thread);
	}
	g_mutex_clear(&errand->mutex);
	g_cond_clear(&errand->changed);
	g_free(errand);
	return true;
}

static void make_call(struct nb_errand *errand)
{
	int r;

	g_mutex_unlock(&errand->mutex);
	r = errand->call(errand->userdata);
	g_mutex_lock(&errand->mutex);
	errand->result = r;
	errand->call = NULL;
	g_cond_broadcast(&errand->changed);
}

static void *work(void *userdata)
{
	struct nb_errand *errand = userdata;

	g_mutex_lock(&errand->mutex);
	while (!errand->ended)
		if (errand->call)
			make_call(errand);
		else
			g_cond_wait(&errand->changed, &errand->mutex);
	g_mutex_unlock(&errand->mutex);
	return NULL;
}

/* Signals are for the owner's thread. */
static bool start(struct nb_errand *errand)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	errand->thread = g_thread_try_new("errand", work, errand, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return errand->thread != NULL;
}

static bool wait_for_end(struct nb_errand *errand, uint64_t patience_usec)
{
	int64_t now_usec = g_get_monotonic_time();
	int64_t end_usec = patience_usec < (uint64_t)(G_MAXINT64 - now_usec)
				   ? now_usec + (int64_t)patience_usec
				   : G_MAXINT64;

	while (errand->call)
		if (!g_cond_wait_until(&errand->changed, &errand->mutex, end_usec))
			return !errand->call;
	return true;
}

static int hand_over(struct nb_errand *errand, nb_errand_call call, void *userdata,
		     uint64_t patience_usec)
{
	if (errand->call)
		return -EBUSY;
	errand->call = call;
	errand->userdata = userdata;
	g_cond_broadcast(&errand->changed);
	return wait_for_end(errand, patience_usec) ? errand->result : -ETIMEDOUT;
}

static int run(struct nb_errand *errand, nb_errand_call call, void *userdata,
	       uint64_t patience_usec)
{
	int r;

	if (!errand->thread && !start(errand))
		return -EAGAIN;
	g_mutex_lock(&errand->mutex);
	r = hand_over(errand, call, userdata, patience_usec);
	if (errand->call)
		errand->given_up++;
	g_mutex_unlock(&errand->mutex);
	return r;
}

int nb_errand_run(struct nb_errand *errand, nb_errand_call call, void *userdata)
{
	return run(errand, call, userdata, errand->patience_usec);
}

int nb_errand_see_through(struct nb_errand *errand, nb_errand_call call, void *userdata)
{
	return run(errand, call, userdata, FOREVER);
}

void nb_errand_set_patience(struct nb_errand *errand, uint64_t patience_usec)
{
	errand->patience_usec = patience_usec;
}

bool nb_errand_is_free(struct nb_errand *errand)
{
	bool is_free;

	g_mutex_lock(&errand->mutex);
	is_free = !errand->call;
	g_mutex_unlock(&errand->mutex);
	return is_free;
}

int nb_errand_reserve(struct nb_errand *errand)
{
	if (nb_errand_is_free(errand))
		return 0;
	errand->given_up++;
	return -EBUSY;
}

unsigned nb_errand_given_up(struct nb_errand *errand)
{
	return errand->given_up;
}
