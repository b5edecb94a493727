/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/probe_internal.h"
#include "version.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct nb_probe_loading {
	pid_t pid;
	int fd; /* from which the answer comes */
};

/* --- in the process of its own ---------------------------------------------------------------- */

void nb_probe_run_module(struct nb_loaded *ret)
{
	void *module = dlopen(NB_LOADER_MODULE(NB_VERSION), RTLD_NOW);
	nb_loader_fn *run = NULL;

	/* POSIX lets a symbol be called, ISO C no pointer to data. */
	if (module)
		*(void **)&run = dlsym(module, NB_LOADER_FUNCTION);
	if (run) {
		run(ret);
		return;
	}
	ret->result = -ELIBACC;
	g_snprintf(ret->reason, sizeof(ret->reason),
		   "the loader of eBPF programs cannot be used: %s", dlerror());
}

/* Descriptors travel in the order of their places; where one is missing the place says so. */
static int send_answer(int fd, const struct nb_loaded *loaded)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(loaded->fds))] = {0};
	struct iovec iov = {(void *)loaded, sizeof(*loaded)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control};
	struct cmsghdr *header = (struct cmsghdr *)(void *)control;
	int *fds = (int *)(void *)CMSG_DATA(header);
	size_t n = 0;

	for (unsigned i = 0; i < _NB_FD_MAX; i++)
		if (loaded->fds[i] >= 0)
			fds[n++] = loaded->fds[i];
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(n * sizeof(int));
	msg.msg_controllen = n ? CMSG_SPACE(n * sizeof(int)) : 0;
	return sendmsg(fd, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static _Noreturn void work(pid_t parent, int fd, nb_loader_fn *load)
{
	struct nb_loaded loaded = {0};

	memset(loaded.fds, -1, sizeof(loaded.fds));
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* gone before that */
		_exit(EXIT_FAILURE);
	load(&loaded);
	_exit(send_answer(fd, &loaded) < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* --- in this process -------------------------------------------------------------------------- */

int nb_probe_loading_new(nb_loader_fn *load, struct nb_probe_loading **ret)
{
	pid_t pid, parent = getpid();
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		work(parent, fds[1], load);
	close(fds[1]);
	if (pid < 0) {
		int r = -errno;

		close(fds[0]);
		return r;
	}
	*ret = g_new0(struct nb_probe_loading, 1);
	**ret = (struct nb_probe_loading){pid, fds[0]};
	return 0;
}

void nb_probe_loading_kill(const struct nb_probe_loading *loading)
{
	kill(loading->pid, SIGKILL);
}

void nb_probe_loading_free(struct nb_probe_loading *loading)
{
	if (!loading)
		return;
	nb_probe_loading_kill(loading);
	while (waitpid(loading->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(loading->fd);
	g_free(loading);
}

static void take_fds(struct msghdr *msg, struct nb_loaded *loaded)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(msg);
	const int *fds = header ? (const int *)(void *)CMSG_DATA(header) : NULL;
	size_t n = header ? (header->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;

	for (unsigned i = 0; i < _NB_FD_MAX; i++) {
		if (loaded->fds[i] < 0)
			continue;
		loaded->fds[i] = n ? *fds++ : -1;
		n -= n > 0;
	}
}

int nb_probe_loading_answer(const struct nb_probe_loading *loading, struct nb_loaded *ret)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(ret->fds))];
	struct iovec iov = {ret, sizeof(*ret)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(loading->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < 0)
		return errno == EAGAIN ? -EINPROGRESS : -errno;
	if (n != sizeof(*ret))
		return -EPIPE;
	take_fds(&msg, ret);
	return 0;
}
