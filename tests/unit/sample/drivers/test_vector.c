/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/drivers/vector.h"
#include "support/support.h"

#define PCI "0000:3b:00.0"
#define RX NB_VECTOR_RX
#define TX NB_VECTOR_TX
#define PAIR NB_VECTOR_PAIR
#define BARE NB_VECTOR_BARE
#define SLOW NB_VECTOR_SLOW
#define INDEX NB_NUMBERING_INDEX
#define RANK NB_NUMBERING_RANK
#define HALF NB_NUMBERING_HALF

static const char *const others[] = {"eth1", NULL};

/* What a device of that driver makes of a handler's name. */
static bool classify(const char *driver, bool is_own, const char *handler, struct nb_vector *ret)
{
	struct nb_pattern_names names = {"eth0", PCI,
					 g_str_has_prefix(driver, "virtio_") ? "virtio2" : PCI,
					 is_own ? others : NULL};
	struct nb_vector_device device;
	bool known;

	nb_vector_device_init(&device, driver, &names, is_own);
	known = nb_vector_classify(&device, handler, ret);
	nb_vector_device_clear(&device);
	return known;
}

struct row {
	const char *driver;
	const char *handler;
	enum nb_vector_role role;
	unsigned number;
	enum nb_vector_numbering numbering;
};

static const struct row rows[] = {
	{"ixgbe", "eth0-TxRx-3", PAIR, 3, INDEX},
	{"ixgbevf", "eth0-TxRx-3", PAIR, 3, INDEX},
	{"ngbe", "eth0-TxRx-3", PAIR, 3, INDEX},
	{"igb", "eth0-TxRx-3", PAIR, 3, INDEX},
	{"igc", "eth0-TxRx-3", PAIR, 3, INDEX},
	{"igb", "eth0-rx-1", RX, 1, INDEX},
	{"igb", "eth0-tx-2", TX, 2, INDEX},
	{"igb", "eth0", BARE, 0, RANK},
	{"igb", "eth0-unused", SLOW, 0, INDEX},
	{"e1000e", "eth0-rx-0", RX, 0, INDEX},
	{"e1000e", "eth0-tx-0", TX, 0, INDEX},
	{"e1000e", "eth0", BARE, 0, RANK},
	{"i40e", "i40e-eth0-TxRx-12", PAIR, 12, INDEX},
	{"i40e", "i40e-" PCI ":misc", SLOW, 0, INDEX},
	{"i40e", "i40e-" PCI ":fdir-TxRx-0", SLOW, 0, INDEX},
	{"ice", "ice-eth0-TxRx-12", PAIR, 12, INDEX},
	{"ice", "ice-eth0-rx-12", RX, 12, INDEX},
	{"ice", "ice-eth0-tx-12", TX, 12, INDEX},
	{"ice", "ice-" PCI ":misc", SLOW, 0, INDEX},
	{"ice", "ice-" PCI ":ll_ts", SLOW, 0, INDEX},
	{"ice", "ice-" PCI ":ctrl-TxRx-0", SLOW, 0, INDEX},
	{"iavf", "iavf-eth0-TxRx-2", PAIR, 2, INDEX},
	{"iavf", "iavf-" PCI ":mbx", SLOW, 0, INDEX},
	{"idpf", "idpf-eth0-TxRx-3", PAIR, 3, RANK},
	{"idpf", "idpf-eth0-Rx-3", RX, 3, RANK},
	{"idpf", "idpf-eth0-Tx-3", TX, 3, RANK},
	{"idpf", "idpf-" PCI "-Mailbox-0", SLOW, 0, INDEX},
	{"fbnic", "eth0-TxRx-0", PAIR, 0, INDEX},
	{"mlx5_core", "mlx5_comp7@pci:" PCI, PAIR, 7, INDEX},
	{"mlx5_core", "mlx5_combined7", PAIR, 7, INDEX},
	{"mlx5_core.sf", "mlx5_sf_comp4@pci:" PCI, PAIR, 4, INDEX},
	{"mlx5_core.sf", "mlx5_sf_ctrl1@pci:" PCI, SLOW, 0, INDEX},
	{"mlx5_core", "mlx5_async0@pci:" PCI, SLOW, 0, INDEX},
	{"mlx4_core", "mlx4-5@" PCI, PAIR, 5, RANK},
	{"mlx4_core", "mlx4-async@pci:" PCI, SLOW, 0, INDEX},
	{"bnx2", "eth0-0", PAIR, 0, INDEX},
	{"bnx2x", "eth0-fp-3", PAIR, 3, INDEX},
	{"qede", "eth0-fp-3", PAIR, 3, INDEX},
	{"bnx2x", "eth0", BARE, 0, RANK},
	{"bnxt_en", "eth0-TxRx-5", PAIR, 5, RANK},
	{"bnxt_en", "eth0-rx-5", RX, 5, RANK},
	{"bnxt_en", "eth0-tx-5", TX, 5, RANK},
	{"bnxt_en", "enp1s0f0np0-TxRx-", PAIR, 0, RANK},
	{"bnxt_en", "enp129s0f0np0-TxR", PAIR, 0, RANK},
	{"bnxt_en", "enp129s0f0np0v1-T", PAIR, 0, RANK},
	{"bnxt_en", "enp129s0f0np0-rx-", RX, 0, RANK},
	{"bnxt_en", "enp129s0f0np0v1-t", TX, 0, RANK},
	{"tg3", "eth0-txrx-1", PAIR, 1, RANK},
	{"tg3", "eth0-rx-1", RX, 1, RANK},
	{"tg3", "eth0-tx-0", TX, 0, RANK},
	{"tg3", "eth0-0", SLOW, 0, INDEX},
	{"ena", "eth0-Tx-Rx-6", PAIR, 6, INDEX},
	{"ena", "ena-mgmnt@pci:" PCI, SLOW, 0, INDEX},
	{"gvnic", "gve-ntfy-blk4@pci:" PCI, PAIR, 4, HALF},
	{"gvnic", "gve-mgmnt@pci:" PCI, SLOW, 0, INDEX},
	{"gvnic", "eth0-ntfy-block.4", PAIR, 4, HALF},
	{"gvnic", "eth0-mgmnt", SLOW, 0, INDEX},
	{"mana", "mana_q3@pci:" PCI, PAIR, 3, RANK},
	{"mana", "mana_hwc@pci:" PCI, SLOW, 0, INDEX},
	{"vmxnet3", "eth0-rxtx-2", PAIR, 2, RANK},
	{"vmxnet3", "eth0-rx-1", RX, 1, RANK},
	{"vmxnet3", "eth0-tx-0", TX, 0, RANK},
	{"vmxnet3", "eth0-event-4", SLOW, 0, INDEX},
	{"virtio_net", "virtio2-input.3", RX, 3, INDEX},
	{"virtio_net", "virtio2-output.3", TX, 3, INDEX},
	{"virtio_net", "virtio2-config", SLOW, 0, INDEX},
	{"virtio_net", "virtio2-virtqueues", BARE, 0, INDEX},
	{"virtio_net", "virtio2", BARE, 0, INDEX},
	{"xen_netfront", "eth0-q2-rx", RX, 2, INDEX},
	{"xen_netfront", "eth0-q2-tx", TX, 2, INDEX},
	{"hns3", "hns3-" PCI "-TxRx-14", PAIR, 14, RANK},
	{"hns3", "hns3-" PCI "-Rx-14", RX, 14, RANK},
	{"qlcnic", "eth0-tx-0-rx-3", PAIR, 3, INDEX},
	{"qlcnic", "eth0-rx-1", RX, 1, INDEX},
	{"netxen_nic", "eth0[2]", PAIR, 2, INDEX},
	{"sfc", "eth0-4", PAIR, 4, INDEX},
	{"sfc", "eth0-rx-4", RX, 4, INDEX},
	{"be2net", "eth0-q1", PAIR, 1, INDEX},
	{"cxgb4", "eth0-Rx5", RX, 5, INDEX},
	{"cxgb4", "eth0-FWeventq", SLOW, 0, INDEX},
	{"enic", "eth0-rx-0", RX, 0, INDEX},
	{"enic", "eth0-err", SLOW, 0, INDEX},
	{"enic", "eth0-notify", SLOW, 0, INDEX},
	{"nfp", "eth0-rxtx-3", PAIR, 3, INDEX},
	{"rvu_nicpf", "eth0-rxtx-3", PAIR, 3, INDEX},
	{"fsl_enetc", "eth0-rxtx3", PAIR, 3, INDEX},
	{"thunder-nicvf", "eth0-rxtx-1", PAIR, 1, INDEX},
	{"thunder-nicvf", "eth0-sq-1", TX, 1, INDEX},
	{"thunder-nicvf", "eth0-rbdr-1", SLOW, 1, INDEX},
	{"hinic", "eth0_rxq2", RX, 2, INDEX},
	{"hinic", "eth0_txq2", TX, 2, INDEX},
	{"ionic", "ionic-eth0-L0-rx3", RX, 3, INDEX},
	{"ionic", "ionic-eth0-L0-tx3", TX, 3, INDEX},
	{"ionic", "ionic-" PCI "-L0-admin", SLOW, 0, INDEX},
	{"stmmaceth", "eth0:rx-1", RX, 1, INDEX},
	{"stmmaceth", "eth0:tx-1", TX, 1, INDEX},
	{"stmmaceth", "eth0:mac", SLOW, 0, INDEX},
	{"stmmaceth", "eth0:wol", SLOW, 0, INDEX},
	{"stmmaceth", "eth0:lpi", SLOW, 0, INDEX},
	{"stmmaceth", "eth0:safety-ce", SLOW, 0, INDEX},
	{"fsl-gianfar", "eth0_g1_rx", RX, 1, INDEX},
	{"fsl-gianfar", "eth0_g1_tx", TX, 1, INDEX},
	{"fsl-gianfar", "eth0_g1_er", SLOW, 1, INDEX},
	{"mvpp2", "eth0", BARE, 0, RANK},
};

static void every_known_name_has_its_row(void **state)
{
	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct nb_vector vector = {.irq = 77};

		if (!classify(rows[i].driver, true, rows[i].handler, &vector) ||
		    vector.role != rows[i].role || vector.numbering != rows[i].numbering ||
		    (vector.role != SLOW && vector.number != rows[i].number))
			fail_msg("%s %s: role %d, number %u", rows[i].driver, rows[i].handler,
				 vector.role, vector.number);
		assert_int_equal(vector.irq, 77);
	}
}

/* Where no list of the bus says whose an interrupt is, its name must. */
static void names_that_tell_no_device_need_the_list_of_the_bus(void **state)
{
	struct nb_vector vector;

	(void)state;
	assert_false(classify("ice", false, "ice-0000:af:00.0:misc", &vector));
	assert_false(classify("ice", false, "enp1s0-TxRx-0", &vector));
	assert_false(classify("mlx5_core", false, "mlx5_comp0@pci:0000:af:00.0", &vector));
	assert_false(classify("mlx5_core", false, "mlx5_combined7", &vector));
	assert_true(classify("ice", false, "ice-eth0-TxRx-0", &vector));
	assert_true(classify("mlx5_core", false, "mlx5_comp0@pci:" PCI, &vector));
}

static void strangers_fit_no_row(void **state)
{
	static const char *const strangers[] = {
		"nvme0q1",
		"i8042",
		"ahci[0000:00:1f.2]",
		"virtio3-input.0",
		"eth1",
		"xhci_hcd",
		"virtio2-req.0",
		"eth1-TxRx-0",
		"",
		"PCIe PME, aerdrv, x",
		"eth0-TxRx-",
	};

	(void)state;
	for (unsigned i = 0; i < G_N_ELEMENTS(strangers); i++) {
		struct nb_vector vector;

		if (classify("igb", true, strangers[i], &vector))
			fail_msg("%s fits", strangers[i]);
	}
}

/* They are among the vectors of the NIC's own function. */
static void vectors_for_rdma_are_no_queues(void **state)
{
	struct nb_vector vector;

	(void)state;
	assert_false(classify("bnxt_en", true, "bnxt_qplib_nq-0", &vector));
	assert_false(classify("bnxt_en", true, "bnxt_qplib_creq", &vector));
	assert_false(classify("bnxt_en", true, "bnxt_re-nq-0@pci:" PCI, &vector));
	assert_false(classify("i40e", true, "irdma-" PCI "-AEQCEQ-0", &vector));
	assert_false(classify("ice", true, "irdma-" PCI "-CEQ-1", &vector));
}

static void virtio_names_belong_to_virtio_net_alone(void **state)
{
	struct nb_vector vector;

	(void)state;
	assert_true(classify("virtio_net", true, "virtio2-input.0", &vector));
	assert_false(classify("virtio_blk", true, "virtio2-input.0", &vector));
}

static void portals_are_bound_to_their_cpus(void **state)
{
	(void)state;
	assert_true(nb_vector_driver_is_fixed("fsl_dpa"));
	assert_true(nb_vector_driver_is_fixed("fsl_dpaa2_eth"));
	assert_false(nb_vector_driver_is_fixed("fsl_enetc"));
	assert_false(nb_vector_driver_is_fixed(""));
	assert_true(nb_vector_handler_is_fixed("QMan portal 3"));
	assert_true(nb_vector_handler_is_fixed("BMan portal 0"));
	assert_true(nb_vector_handler_is_fixed("dpio.5"));
	assert_true(nb_vector_handler_is_fixed("usdpaa_irq"));
	assert_true(nb_vector_handler_is_fixed("vfio-irq[48](dpio.5)"));
	assert_false(nb_vector_handler_is_fixed("vfio-irq[48](dpni.5)"));
	assert_false(nb_vector_handler_is_fixed("eth0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_known_name_has_its_row),
		cmocka_unit_test(names_that_tell_no_device_need_the_list_of_the_bus),
		cmocka_unit_test(strangers_fit_no_row),
		cmocka_unit_test(vectors_for_rdma_are_no_queues),
		cmocka_unit_test(virtio_names_belong_to_virtio_net_alone),
		cmocka_unit_test(portals_are_bound_to_their_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
