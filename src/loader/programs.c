/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/layout.h"
#include "loader/loader.h"

#include "bpf/probe.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <glib.h>

typedef struct probe_bpf probe_bpf;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(probe_bpf, probe_bpf__destroy)

/* Programs that tell what the others cost. */
static bool is_for_costs(const struct probe_bpf *object, const struct bpf_program *program)
{
	return program == object->progs.time_clock || program == object->progs.enter;
}

/* The object has each program in two flavours. */
static void choose(const struct probe_bpf *object, const char *flavour)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, object->obj) bpf_program__set_autoload(
		program, g_str_has_prefix(bpf_program__section_name(program), flavour) ||
				 is_for_costs(object, program));
}

static int set_sizes(const struct probe_bpf *object, unsigned n_cpus)
{
	int r = bpf_map__set_max_entries(object->maps.cpus, n_cpus);

	return r < 0 ? r : bpf_map__set_max_entries(object->maps.delays, n_cpus);
}

static int fill_free_napis(const struct probe_bpf *object)
{
	int fd = bpf_map__fd(object->maps.free_napis);

	for (uint32_t position = 0; position < NB_PROBE_NAPIS_MAX; position++) {
		int r = bpf_map_update_elem(fd, NULL, &position, 0);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Programs that are attached only while someone wants to know what they tell. */
struct on_demand {
	const struct bpf_program *raise, *gro_receive, *gro_frags;
};

static struct on_demand on_demand_of(const struct probe_bpf *object, bool typed)
{
	if (typed)
		return (struct on_demand){
			.raise = object->progs.softirq_raise_btf,
			.gro_receive = object->progs.napi_gro_receive_entry_btf,
			.gro_frags = object->progs.napi_gro_frags_entry_btf,
		};
	return (struct on_demand){
		.raise = object->progs.softirq_raise_raw,
		.gro_receive = object->progs.napi_gro_receive_entry_raw,
		.gro_frags = object->progs.napi_gro_frags_entry_raw,
	};
}

static bool is_on_demand(const struct on_demand *on_demand, const struct bpf_program *program)
{
	return program == on_demand->raise || program == on_demand->gro_receive ||
	       program == on_demand->gro_frags;
}

static void list_programs(const struct probe_bpf *object, const struct on_demand *on_demand,
			  int *fds)
{
	struct bpf_program *program;
	unsigned n = 0;

	bpf_object__for_each_program(program, object->obj)
	{
		if (!bpf_program__autoload(program) || is_on_demand(on_demand, program) ||
		    is_for_costs(object, program))
			continue;
		g_assert(n < NB_PROBE_PROGRAMS);
		fds[n++] = bpf_program__fd(program);
	}
	g_assert(n == NB_PROBE_PROGRAMS);
}

/* The shortest of so many runs: interrupts come between, and softirqs with them, for as long as
 * milliseconds. */
#define CLOCK_RUNS 16u

/* 0: not known. */
static uint32_t time_clock(const struct probe_bpf *object)
{
	uint32_t shortest = 0;

	for (unsigned i = 0; i < CLOCK_RUNS; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts);

		if (bpf_prog_test_run_opts(bpf_program__fd(object->progs.time_clock), &opts) < 0)
			return 0;
		if (i == 0 || opts.retval < shortest)
			shortest = opts.retval;
	}
	return shortest;
}

static void list_fds(const struct probe_bpf *object, const struct on_demand *on_demand, int *fds)
{
	fds[NB_ARRAY_CPUS] = bpf_map__fd(object->maps.cpus);
	fds[NB_ARRAY_NAPIS] = bpf_map__fd(object->maps.napis);
	fds[NB_ARRAY_IRQS] = bpf_map__fd(object->maps.irqs);
	fds[NB_ARRAY_TOTALS] = bpf_map__fd(object->maps.bss);
	fds[NB_ARRAY_CONTROL] = bpf_map__fd(object->maps.data);
	fds[NB_ARRAY_DELAYS] = bpf_map__fd(object->maps.delays);
	fds[NB_ARRAY_BUCKETS] = bpf_map__fd(object->maps.buckets);
	fds[NB_ARRAY_CPUSTAT] = -1;
	fds[NB_FD_NAPI_POSITIONS] = bpf_map__fd(object->maps.napi_positions);
	fds[NB_FD_DEVICES] = bpf_map__fd(object->maps.devices);
	fds[NB_FD_IRQS_IN_SCOPE] = bpf_map__fd(object->maps.irqs_in_scope);
	fds[NB_FD_SOFTIRQ_RAISE] = bpf_program__fd(on_demand->raise);
	fds[NB_FD_GRO_RECEIVE] = bpf_program__fd(on_demand->gro_receive);
	fds[NB_FD_GRO_FRAGS] = bpf_program__fd(on_demand->gro_frags);
	fds[NB_FD_READ_CPUSTAT] = -1;
	list_programs(object, on_demand, &fds[NB_FD_PROGRAMS]);
}

int nb_loader_load(bool typed, struct nb_loaded *ret, char *log, size_t size)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .kernel_log_buf = log, .kernel_log_size = size);
	struct nb_loaded loaded = {.typed = typed};
	g_autoptr(probe_bpf) object = NULL;
	struct on_demand on_demand;
	int r;

	log[0] = '\0';
	object = probe_bpf__open_opts(&opts);
	if (!object)
		return -errno;

	on_demand = on_demand_of(object, typed);
	choose(object, typed ? "tp_btf" : "raw_tp");
	object->rodata->own_netns = nb_loader_own_netns();
	object->rodata->reads_memory =
		libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_probe_read_kernel,
					NULL) > 0;
	r = nb_loader_read_cpu_ids();
	if (r < 0)
		return r;
	loaded.n_cpus = (uint32_t)r;
	r = set_sizes(object, loaded.n_cpus);
	if (r < 0)
		return r;
	r = probe_bpf__load(object);
	if (r < 0)
		return r;
	r = fill_free_napis(object);
	if (r < 0)
		return r;
	loaded.clock_nsec = time_clock(object);
	loaded.entering_nsec = nb_loader_time_entering(bpf_program__fd(object->progs.enter));
	list_fds(object, &on_demand, loaded.fds);
	*ret = loaded;
	g_steal_pointer(&object); /* descriptors are closed with it */
	return 0;
}
