/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/cpu_files.h"
#include "sample/parse.h"

#include <unistd.h>

enum { STAT, SOFTIRQS, SOFTNET };

static const char *const paths[NB_CPU_FILES] = {
	[STAT] = "proc/stat",
	[SOFTIRQS] = "proc/softirqs",
	[SOFTNET] = "proc/net/softnet_stat",
};

int nb_cpu_files_open(struct nb_cpu_files *files, struct nb_sysroot *root)
{
	*files = (struct nb_cpu_files){.root = root};
	files->ticks_per_sec = (unsigned)sysconf(_SC_CLK_TCK);
	files->text = g_string_new(NULL);
	for (int i = 0; i < NB_CPU_FILES; i++)
		files->fds[i] = -1;
	for (int i = 0; i < NB_CPU_FILES && nb_sysroot_is_host(root); i++) {
		int r = nb_sysroot_open_file(root, paths[i], &files->fds[i]);

		if (r < 0) {
			nb_cpu_files_close(files);
			return r;
		}
	}
	return 0;
}

void nb_cpu_files_close(struct nb_cpu_files *files)
{
	if (!files->text)
		return;
	g_string_free(g_steal_pointer(&files->text), TRUE);
	for (int i = 0; i < NB_CPU_FILES; i++)
		if (files->fds[i] >= 0)
			close(files->fds[i]);
}

static int read_file(struct nb_cpu_files *files, int file)
{
	if (files->fds[file] >= 0)
		return nb_sysroot_pread(files->fds[file], files->text);
	return nb_sysroot_read_into(files->root, paths[file], files->text);
}

int nb_cpu_files_read_times(struct nb_cpu_files *files, struct nb_cpu_counters *cpus,
			    unsigned n_cpus)
{
	int r = read_file(files, STAT);

	return r < 0 ? r
		     : nb_parse_stat(files->text->str, files->text->len, files->ticks_per_sec, cpus,
				     n_cpus);
}

int nb_cpu_files_read_softirqs(struct nb_cpu_files *files, struct nb_cpu_counters *cpus,
			       unsigned n_cpus)
{
	int r = read_file(files, SOFTIRQS);

	return r < 0 ? r : nb_parse_softirqs(files->text->str, files->text->len, cpus, n_cpus);
}

int nb_cpu_files_read_softnet(struct nb_cpu_files *files, struct nb_cpu_counters *cpus,
			      unsigned n_cpus)
{
	int r = read_file(files, SOFTNET);

	return r < 0 ? r : nb_parse_softnet(files->text->str, files->text->len, cpus, n_cpus);
}
