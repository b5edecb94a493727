/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/bus/connect.h"
#include "ctl/ctl.h"
#include "nicbalance/interface.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

/* Where the trace goes. */
struct sink {
	const char *path; /* NULL: stdout */
	gzFile file;
};

static int say(const struct sink *sink, const char *what, int error)
{
	g_printerr("nicbalancectl: cannot %s %s: %s\n", what, sink->path ? sink->path : "stdout",
		   strerror(error));
	return -error;
}

/* Compressed if the name asks for it: T leaves the text as it is. */
static int open_sink(const char *path, struct sink *ret)
{
	const char *mode = path && g_str_has_suffix(path, ".gz") ? "wbe" : "wbTe";

	*ret = (struct sink){.path = path,
			     .file = path ? gzopen(path, mode) : gzdopen(STDOUT_FILENO, mode)};
	return ret->file ? 0 : say(ret, "open", errno);
}

/* What is recorded is on disk while it goes on, and can be read of a file that was cut. */
static int append(const struct sink *sink, const char *text)
{
	if (gzputs(sink->file, text) < 0 || gzflush(sink->file, Z_SYNC_FLUSH) != Z_OK)
		return say(sink, "write", errno);
	return 0;
}

static int close_sink(const struct sink *sink, int r)
{
	if (gzclose(sink->file) != Z_OK && r == 0)
		return say(sink, "write", errno);
	return r;
}

/* A signal to stop ends the wait, and the recording with what was seen until then. */
static void hold_signals(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGINT);
	sigaddset(ret, SIGTERM);
	sigaddset(ret, SIGHUP);
	sigprocmask(SIG_BLOCK, ret, NULL);
}

static bool wait_a_second(const sigset_t *signals)
{
	const struct timespec second = {.tv_sec = 1};

	return sigtimedwait(signals, NULL, &second) < 0;
}

static int fetch_next(const struct nb_ctl *ctl, const struct sink *sink, uint64_t *cursor)
{
	g_autoptr(sd_bus_message) reply = NULL;
	const char *text;
	int lost, r;

	r = nb_call_with(ctl->bus, "Record", &reply, "t", *cursor);
	if (r < 0)
		return r;
	r = sd_bus_message_read(reply, NB_BUS_RECORDED, cursor, &lost, &text);
	if (r < 0)
		return nb_answer_is_odd(r);
	if (lost)
		g_printerr("nicbalancectl: some seconds are lost: nicbalanced was restarted, or "
			   "nicbalancectl was suspended; continuing\n");
	return append(sink, text);
}

static int record(const struct nb_ctl *ctl, const struct sink *sink)
{
	uint64_t cursor = 0;
	sigset_t signals;
	bool goes_on = true;
	int r;

	hold_signals(&signals);
	r = fetch_next(ctl, sink, &cursor);
	for (unsigned second = 0; r == 0 && goes_on; second++) {
		if (ctl->seconds && second == ctl->seconds)
			break;
		goes_on = wait_a_second(&signals);
		r = fetch_next(ctl, sink, &cursor);
	}
	return r;
}

int nb_ctl_record(struct nb_ctl *ctl)
{
	struct sink sink;
	int r;

	r = open_sink(ctl->file, &sink);
	if (r < 0)
		return r;
	return close_sink(&sink, record(ctl, &sink));
}
