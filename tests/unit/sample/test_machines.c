/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the sampler makes of machines that nobody had to own: those of tests/sysroots that were made
 * from the sources of their drivers, and one of 1024 CPUs. */

#include "base/cpumask_text.h"
#include "unit/sample/sampler_fixture.h"

struct expected {
	const char *name, *driver;
	int ifindex, master, node;
	enum nb_scope scope;
	unsigned n_rx, n_tx, n_slow_path;
	/* "INDEX[r][t]:IRQ[,IRQ]@CPU" for each queue, where the hardware delivers it; a channel is
	 * "c21" */
	const char *queues;
};

static char *describe_queues(const struct nb_snapshot *snapshot, int ifindex)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < snapshot->n_queues; i++) {
		const struct nb_queue *queue = &snapshot->machine->queues[i];

		if (queue->key.ifindex != ifindex)
			continue;
		g_string_append_printf(
			text, "%s%u%s%s:%s%u", text->len ? " " : "", queue->key.index,
			queue->has_rx ? "r" : "", queue->has_tx ? "t" : "",
			nb_queue_has_channel(queue) ? "c" : "", nb_irq_channel(queue->irqs[0]));
		if (queue->n_irqs == 2)
			g_string_append_printf(text, ",%u", queue->irqs[1]);
		g_string_append_printf(text, "@%d", snapshot->queues[i].effective_cpu);
	}
	return g_string_free(text, FALSE);
}

static void assert_nic(const struct nb_snapshot *snapshot, unsigned n,
		       const struct expected *expected)
{
	const struct nb_nic *nic = &snapshot->machine->nics[n];
	g_autofree char *queues = describe_queues(snapshot, expected->ifindex);

	assert_string_equal(nic->name, expected->name);
	assert_string_equal(nic->driver, expected->driver);
	assert_int_equal(nic->ifindex, expected->ifindex);
	assert_int_equal(nic->master, expected->master);
	assert_int_equal(nic->node, expected->node);
	assert_int_equal(nic->scope, expected->scope);
	assert_int_equal(nic->n_rx, expected->n_rx);
	assert_int_equal(nic->n_tx, expected->n_tx);
	assert_int_equal(nic->n_slow_path, expected->n_slow_path);
	assert_string_equal(queues, expected->queues);
	if (nic->scope == NB_SCOPE_IN)
		assert_int_equal(nic->mapping, g_str_equal(nic->driver, "hv_netvsc")
						       ? NB_MAPPING_VMBUS
						       : NB_MAPPING_NAMES);
}

static void assert_isolated(const struct nb_snapshot *snapshot, const char *list)
{
	g_autofree char *text = nb_cpumask_format_list(&snapshot->machine->topology.isolated);

	assert_string_equal(text, list);
}

static void assert_machine(const char *name, const char *isolated, const struct expected *nics,
			   unsigned n_nics)
{
	const struct nb_snapshot *snapshot;
	struct fixture f;

	open_stored(&f, name);
	snapshot = read_good(&f, SEC, true);
	assert_int_equal(snapshot->n_cpus, 8);
	assert_isolated(snapshot, isolated);
	assert_int_equal(snapshot->machine->n_nics, n_nics);
	for (unsigned i = 0; i < n_nics; i++)
		assert_nic(snapshot, i, &nics[i]);
	for (unsigned i = 0; i < snapshot->n_queues; i++) {
		assert_true(snapshot->queues[i].settable);
		assert_true(snapshot->queues[i].interrupts > 0);
	}
	close_machine(&f);
}

#define assert_nics(name, isolated, ...)                                  \
	do {                                                              \
		const struct expected nics[] = {__VA_ARGS__};             \
                                                                          \
		assert_machine(name, isolated, nics, G_N_ELEMENTS(nics)); \
	} while (0)

#define NONE NB_NODE_NONE
#define IN NB_SCOPE_IN

static void mlx5_vectors_belong_to_the_port_in_their_name(void **state)
{
	(void)state;
	assert_nics("mlx5", "6-7",
		    {"ens1f0np0", "mlx5_core", 2, 0, 0, IN, 3, 3, 1, "0rt:33@0 1rt:34@1 2rt:35@2"},
		    {"ens1f1np1", "mlx5_core", 3, 0, 0, IN, 4, 4, 1,
		     "0rt:38@0 1rt:39@1 2rt:40@2 3rt:41@3"});
}

/* What has no such counter is never read. */
static void packets_that_a_port_missed_are_read(void **state)
{
	const struct nb_snapshot *snapshot;
	struct fixture f;

	(void)state;
	open_stored(&f, "mlx5");
	snapshot = read_good(&f, SEC, true);
	assert_int_equal(snapshot->n_nics, 2);
	assert_int_equal(snapshot->nics[0].read_nsec, SEC);
	assert_int_equal(snapshot->nics[0].missed, 4711);
	assert_false(snapshot->nics[0].by_queue);
	assert_int_equal(snapshot->nics[1].read_nsec, 0);
	close_machine(&f);
}

static void i40e_keeps_the_flow_director_and_an_older_name(void **state)
{
	(void)state;
	assert_nics(
		"i40e", "",
		{"ens5f0", "i40e", 2, 0, 1, IN, 4, 4, 2, "0rt:49@4 1rt:50@5 2rt:51@6 3rt:52@7"});
}

static void ice_names_a_vector_after_the_rings_it_has(void **state)
{
	(void)state;
	assert_nics("ice", "3",
		    {"ens1f0", "ice", 2, 0, 0, IN, 4, 2, 3, "0rt:62@0 1rt:63@1 2r:64@2 3r:65@3"});
}

static void ena_has_a_queue_for_each_cpu(void **state)
{
	(void)state;
	assert_nics("ena", "",
		    {"ens5", "ena", 2, 0, NONE, IN, 8, 8, 1,
		     "0rt:28@0 1rt:29@1 2rt:30@2 3rt:31@3 4rt:32@4 5rt:33@5 6rt:34@6 7rt:35@7"});
}

static void bnxt_queues_are_told_apart_without_their_numbers(void **state)
{
	(void)state;
	assert_nics("bnxt", "",
		    {"enp129s0f0np0", "bnxt_en", 2, 0, 1, IN, 4, 4, 0,
		     "0rt:70@4 1rt:71@5 2rt:72@6 3rt:73@7"},
		    {"enp129s0f1np1", "bnxt_en", 3, 0, 1, IN, 2, 2, 0, "0rt:76,78@4 1rt:77,79@5"});
}

/* Its node would be that of the CPU of its first channel. */
static void hv_netvsc_has_channels_beside_its_virtual_function(void **state)
{
	(void)state;
	assert_nics("hv_netvsc", "",
		    {"eth0", "hv_netvsc", 2, 0, NONE, IN, 4, 4, 0,
		     "0rt:c21@1 1rt:c22@3 2rt:c23@5 3rt:c24@7"},
		    {"enP41441s1", "mlx5_core", 3, 2, 0, IN, 4, 4, 1,
		     "0rt:25@0 1rt:26@2 2rt:27@4 3rt:28@6"});
}

static void virtio_vectors_of_inactive_queues_and_of_disks_are_left_out(void **state)
{
	(void)state;
	assert_nics("virtio", "0",
		    {"eth0", "virtio_net", 2, 0, 1, IN, 6, 6, 1,
		     "0rt:25,26@0 1rt:27,28@1 2rt:29,30@2 3rt:31,32@3 4rt:33,34@4 5rt:35,36@5"},
		    {"eth1", "virtio_net", 3, 0, NONE, IN, 4, 4, 1, "0rt:42@3"});
}

static void dpaa_has_portals_instead_of_queues(void **state)
{
	(void)state;
	assert_nics("dpaa", "6-7",
		    {"fm1-mac3", "fsl_dpa", 2, 0, NONE, NB_SCOPE_FIXED, 8, 8, 0, ""});
}

/* 64 cores on each of 8 nodes; CPU c and c + 512 are one core. */
static void a_thousand_cpus_are_read_whole(void **state)
{
	const struct nb_topology *topology;
	const struct nb_snapshot *snapshot;
	struct fixture f;

	(void)state;
	open_machine(&f, nb_machine("wide-1024"));
	snapshot = read_good(&f, SEC, true);
	topology = &snapshot->machine->topology;
	assert_int_equal(topology->n_possible, 1024);
	assert_int_equal(snapshot->n_cpus, 1024);
	for (unsigned i = 0; i < 1024; i++) {
		assert_int_equal(snapshot->cpus[i].id, i);
		assert_int_equal(snapshot->cpus[i].net_rx, i * 1000 + 7);
		assert_int_equal(topology->cpus[i].core, i % 512);
		assert_int_equal(topology->cpus[i].node, i % 512 / 64);
		assert_int_equal(topology->cpus[i].llc, i % 512 / 64 * 64);
	}
	assert_isolated(snapshot, "500-511,1012-1023");

	/* A queue for each CPU of node 7, those behind 32 words of a mask among them. */
	assert_int_equal(snapshot->machine->nics[0].node, 7);
	assert_int_equal(snapshot->n_queues, 128);
	for (unsigned i = 0; i < 128; i++) {
		int cpu = (int)(i < 64 ? 448 + i : 960 + i - 64);

		assert_int_equal(snapshot->machine->queues[i].irqs[0], 25 + i);
		assert_int_equal(snapshot->queues[i].affinity_cpu, cpu);
		assert_int_equal(snapshot->queues[i].effective_cpu, cpu);
		assert_int_equal(snapshot->queues[i].interrupts, (25 + i) * 1000);
	}
	close_machine(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mlx5_vectors_belong_to_the_port_in_their_name),
		cmocka_unit_test(packets_that_a_port_missed_are_read),
		cmocka_unit_test(i40e_keeps_the_flow_director_and_an_older_name),
		cmocka_unit_test(ice_names_a_vector_after_the_rings_it_has),
		cmocka_unit_test(ena_has_a_queue_for_each_cpu),
		cmocka_unit_test(bnxt_queues_are_told_apart_without_their_numbers),
		cmocka_unit_test(hv_netvsc_has_channels_beside_its_virtual_function),
		cmocka_unit_test(virtio_vectors_of_inactive_queues_and_of_disks_are_left_out),
		cmocka_unit_test(dpaa_has_portals_instead_of_queues),
		cmocka_unit_test(a_thousand_cpus_are_read_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
