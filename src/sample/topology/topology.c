/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/topology/topology.h"
#include "sample/topology/capacity.h"
#include "sample/topology/isolation.h"
#include "sysroot/cpus.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#define CPUS "sys/devices/system/cpu"
#define NODES "sys/devices/system/node"
#define UNKNOWN UINT_MAX

/* The names below a directory that are prefix and number; none when there is no directory. */
static char **list_numbered(struct nb_sysroot *root, const char *path, const char *prefix)
{
	g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
	g_auto(GStrv) names = NULL;

	if (nb_sysroot_list(root, path, &names) == 0)
		for (char **name = names; *name; name++)
			if (g_str_has_prefix(*name, prefix) &&
			    g_ascii_isdigit((*name)[strlen(prefix)]))
				g_ptr_array_add(found, g_strdup(*name));
	g_ptr_array_add(found, NULL);
	return (char **)g_ptr_array_steal(found, NULL);
}

/* 3 of "node3". */
static int node_number(const char *name)
{
	return (int)strtol(name + strlen("node"), NULL, 10);
}

static void read_nodes(struct nb_sysroot *root, struct nb_topology *topology)
{
	g_auto(GStrv) names = list_numbered(root, NODES, "node");

	for (char **name = names; *name; name++) {
		g_autofree char *path = g_strdup_printf(NODES "/%s/cpulist", *name);
		struct nb_cpumask members;

		if (nb_sysroot_read_cpulist(root, path, &members) < 0)
			continue;
		for (unsigned i = 0; i < topology->n_cpus; i++)
			if (nb_cpumask_has(&members, topology->cpus[i].id))
				topology->cpus[i].node = node_number(*name);
	}
}

/* The hardware threads of one core. Ids of cores repeat in other packages, so a core is known by
 * who shares it. thread_siblings_list is the older name of core_cpus_list, and still there. */
static void read_siblings(struct nb_sysroot *root, unsigned cpu, struct nb_cpumask *ret)
{
	g_autofree char *path = g_strdup_printf(CPUS "/cpu%u/topology/thread_siblings_list", cpu);

	/* Gone when the CPU went offline meanwhile; then the next sample asks for a rescan. */
	if (nb_sysroot_read_cpulist(root, path, ret) < 0)
		nb_cpumask_clear(ret);
	nb_cpumask_add(ret, cpu);
}

static void read_cores(struct nb_sysroot *root, struct nb_topology *topology)
{
	for (unsigned i = 0; i < topology->n_cpus; i++) {
		struct nb_cpumask members;

		if (topology->cpus[i].core != UNKNOWN)
			continue;
		read_siblings(root, topology->cpus[i].id, &members);
		for (unsigned k = i; k < topology->n_cpus; k++)
			if (nb_cpumask_has(&members, topology->cpus[k].id))
				topology->cpus[k].core = topology->cpus[i].id;
	}
}

/* Who shares the cache of the highest level. index numbers and levels differ between machines. */
static bool read_cache(struct nb_sysroot *root, unsigned cpu, struct nb_cpumask *ret)
{
	g_autofree char *dir = g_strdup_printf(CPUS "/cpu%u/cache", cpu);
	g_auto(GStrv) names = list_numbered(root, dir, "index");
	unsigned highest = 0;

	for (char **name = names; *name; name++) {
		g_autofree char *level_path = g_strdup_printf("%s/%s/level", dir, *name);
		g_autofree char *list_path = g_strdup_printf("%s/%s/shared_cpu_list", dir, *name);
		struct nb_cpumask members;
		uint64_t level;

		if (nb_sysroot_read_number(root, level_path, UINT_MAX, &level) < 0 ||
		    level <= highest || nb_sysroot_read_cpulist(root, list_path, &members) < 0)
			continue;
		highest = (unsigned)level;
		*ret = members;
	}
	return highest > 0;
}

/* Without caches to see, as in many guests: the node, or the package. */
static void read_llc_members(struct nb_sysroot *root, const struct nb_topology *topology,
			     const struct nb_cpu *cpu, struct nb_cpumask *ret)
{
	g_autofree char *package =
		g_strdup_printf(CPUS "/cpu%u/topology/core_siblings_list", cpu->id);

	nb_cpumask_clear(ret);
	if (!read_cache(root, cpu->id, ret)) {
		if (cpu->node != NB_NODE_NONE) {
			for (unsigned i = 0; i < topology->n_cpus; i++)
				if (topology->cpus[i].node == cpu->node)
					nb_cpumask_add(ret, topology->cpus[i].id);
		} else if (nb_sysroot_read_cpulist(root, package, ret) < 0) {
			*ret = topology->online;
		}
	}
	nb_cpumask_add(ret, cpu->id);
}

static void read_llcs(struct nb_sysroot *root, struct nb_topology *topology)
{
	for (unsigned i = 0; i < topology->n_cpus; i++) {
		struct nb_cpumask members;

		if (topology->cpus[i].llc != UNKNOWN)
			continue;
		read_llc_members(root, topology, &topology->cpus[i], &members);
		for (unsigned k = i; k < topology->n_cpus; k++)
			if (nb_cpumask_has(&members, topology->cpus[k].id))
				topology->cpus[k].llc = topology->cpus[i].id;
	}
}

static unsigned width_of(const struct nb_cpumask *mask)
{
	unsigned width = 0;

	NB_CPUMASK_FOREACH (cpu, mask)
		width = cpu + 1;
	return width;
}

int nb_topology_read(struct nb_sysroot *root, struct nb_topology *ret,
		     struct nb_cpumask *ret_possible)
{
	struct nb_topology topology = {0};
	struct nb_cpumask possible;
	int r;

	r = nb_sysroot_read_cpulist(root, CPUS "/online", &topology.online);
	if (r < 0)
		return r;
	if (nb_cpumask_empty(&topology.online))
		return -EBADMSG;
	if (nb_sysroot_read_cpulist(root, CPUS "/possible", &possible) < 0)
		possible = topology.online;
	nb_cpumask_or(&possible, &topology.online);
	topology.n_possible = width_of(&possible);

	topology.cpus = g_new0(struct nb_cpu, nb_cpumask_count(&topology.online));
	NB_CPUMASK_FOREACH (cpu, &topology.online)
		topology.cpus[topology.n_cpus++] =
			(struct nb_cpu){cpu, UNKNOWN, UNKNOWN, NB_NODE_NONE, NB_WHOLE};
	read_nodes(root, &topology);
	read_cores(root, &topology);
	read_llcs(root, &topology);
	nb_capacity_read(root, &topology);
	r = nb_isolation_read(root, &topology);
	if (r < 0) {
		g_free(topology.cpus);
		return r;
	}

	*ret = topology;
	*ret_possible = possible;
	return 0;
}

static bool node_has_cpus(const struct nb_topology *topology, int node)
{
	for (unsigned i = 0; i < topology->n_cpus; i++)
		if (topology->cpus[i].node == node)
			return true;
	return false;
}

int nb_topology_nearest_node(struct nb_sysroot *root, const struct nb_topology *topology, int node)
{
	g_autofree char *path = g_strdup_printf(NODES "/node%d/distance", node);
	g_autofree char *text = NULL;
	g_auto(GStrv) distances = NULL, names = NULL;
	int nearest = NB_NODE_NONE;
	long least = LONG_MAX;
	size_t len;

	if (node < 0)
		return NB_NODE_NONE;
	if (node_has_cpus(topology, node))
		return node;
	if (nb_sysroot_read(root, path, &text, &len) < 0)
		return NB_NODE_NONE;

	/* One number for each online node, ascending (drivers/base/node.c node_read_distance()). */
	distances = g_strsplit(g_strchomp(text), " ", -1);
	names = list_numbered(root, NODES, "node");
	for (unsigned i = 0; distances[i] && names[i]; i++) {
		int candidate = node_number(names[i]);
		long distance = strtol(distances[i], NULL, 10);

		if (node_has_cpus(topology, candidate) && distance < least) {
			least = distance;
			nearest = candidate;
		}
	}
	return nearest;
}
