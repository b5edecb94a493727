/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf/probe_internal.h"

#include "bpf/probe.skel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* Twins of each program are in the object. */
static void choose(const struct probe_bpf *object, const char *flavour)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, object->obj) bpf_program__set_autoload(
		program, g_str_has_prefix(bpf_program__section_name(program), flavour));
}

static int set_sizes(struct nb_probe *probe)
{
	int r = libbpf_num_possible_cpus();

	if (r < 0)
		return r;
	probe->n_cpus = (unsigned)r;
	probe->max_napis = NB_PROBE_NAPIS_MAX;
	probe->max_irqs = NB_PROBE_IRQS_MAX;

	r = bpf_map__set_max_entries(probe->object->maps.cpus, probe->n_cpus);
	if (r < 0)
		return r;
	return bpf_map__set_max_entries(probe->object->maps.delays, probe->n_cpus);
}

/* Array maps are whole pages (kernel/bpf/arraymap.c array_map_alloc()). */
static size_t mapped_bytes(const struct bpf_map *map)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map);

	return (bytes + page - 1) / page * page;
}

int nb_probe_map(const struct bpf_map *map, void **ret)
{
	void *memory = mmap(NULL, mapped_bytes(map), PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);

	if (memory == MAP_FAILED)
		return -errno;
	*ret = memory;
	return 0;
}

void nb_probe_unmap(void *memory, const struct bpf_map *map)
{
	if (memory)
		munmap(memory, mapped_bytes(map));
}

static int map_counters(struct nb_probe *probe)
{
	const struct probe_bpf *object = probe->object;
	int r;

	r = nb_probe_map(object->maps.cpus, (void **)&probe->cpus);
	if (r < 0)
		return r;
	r = nb_probe_map(object->maps.napis, (void **)&probe->napis);
	if (r < 0)
		return r;
	r = nb_probe_map(object->maps.irqs, (void **)&probe->irqs);
	if (r < 0)
		return r;
	probe->n_napis = &object->bss->n_napis;
	probe->n_lost = &object->bss->n_lost;
	return 0;
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

static int attach(struct nb_probe *probe)
{
	struct bpf_program *program;
	unsigned n = 0;

	bpf_object__for_each_program(program, probe->object->obj)
	{
		if (!bpf_program__autoload(program) ||
		    program == probe->object->progs.softirq_raise_btf ||
		    program == probe->object->progs.softirq_raise_raw)
			continue;
		g_assert(n < NB_PROBE_LINKS);
		probe->links[n] = bpf_program__attach(program);
		if (!probe->links[n])
			return -errno;
		n++;
	}
	g_assert(n == NB_PROBE_LINKS);
	return 0;
}

int nb_probe_load(struct nb_probe *probe, const char *flavour, char *log, size_t size)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .kernel_log_buf = log, .kernel_log_size = size);
	int r;

	log[0] = '\0';
	probe->flavour = flavour;
	probe->object = probe_bpf__open_opts(&opts);
	if (!probe->object)
		return -errno;

	choose(probe->object, flavour);
	probe->object->rodata->own_netns = nb_probe_own_netns();
	r = set_sizes(probe);
	if (r < 0)
		return r;
	r = probe_bpf__load(probe->object);
	if (r < 0)
		return r;
	r = fill_free_napis(probe->object);
	if (r < 0)
		return r;
	r = map_counters(probe);
	if (r < 0)
		return r;
	return attach(probe);
}

void nb_probe_unload(struct nb_probe *probe)
{
	if (!probe->object)
		return;
	for (unsigned i = 0; i < NB_PROBE_LINKS; i++)
		bpf_link__destroy(g_steal_pointer(&probe->links[i]));
	bpf_link__destroy(g_steal_pointer(&probe->raise_link));
	nb_probe_unmap(g_steal_pointer(&probe->cpus), probe->object->maps.cpus);
	nb_probe_unmap(g_steal_pointer(&probe->napis), probe->object->maps.napis);
	nb_probe_unmap(g_steal_pointer(&probe->irqs), probe->object->maps.irqs);
	nb_probe_unmap(g_steal_pointer(&probe->delays), probe->object->maps.delays);
	g_clear_pointer(&probe->object, probe_bpf__destroy);
}
