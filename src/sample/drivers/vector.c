/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/drivers/vector.h"

#include <fnmatch.h>
#include <glib.h>
#include <string.h>

struct row {
	const char *driver; /* glob over the name of the driver in sysfs */
	const char *pattern;
	enum nb_vector_role role;
	enum nb_vector_numbering numbering;
};

#define RX NB_VECTOR_RX
#define TX NB_VECTOR_TX
#define PAIR NB_VECTOR_PAIR
#define BARE NB_VECTOR_BARE
#define SLOW NB_VECTOR_SLOW
#define RANK NB_NUMBERING_RANK
#define HALF NB_NUMBERING_HALF

/* The first row that fits counts: special before general, slow path before queues. Names are those
 * of the drivers' request_irq() in Linux 5.10 to 7.2. */
static const struct row rows[] = {
	/* mailbox, admin and link vectors */
	{"*", "{if}-unused", SLOW},
	{"*", "{if}-event-*", SLOW},
	{"*", "{if}-FWeventq", SLOW},
	{"*", "{if}-err", SLOW},
	{"*", "{if}-notify", SLOW},
	{"*", "{if}-mgmnt", SLOW},
	{"*", "{if}-Mailbox*", SLOW},
	{"*", "{if}:mac", SLOW},
	{"*", "{if}:wol", SLOW},
	{"*", "{if}:lpi", SLOW},
	{"*", "{if}:safety*", SLOW},
	{"*", "{if}:sfty*", SLOW},
	{"*", "{if}_g{n}_er", SLOW},
	{"*", "{dev}-config", SLOW},
	{"*", "*@pci:{pci}:async", SLOW},
	{"*", "*-async@*", SLOW},
	{"*", "*_async{n}@*", SLOW},
	{"*", "*_async@*", SLOW},
	{"mlx5_core*", "mlx5_async*", SLOW},
	{"mlx5_core*", "mlx5_ctrl*", SLOW},
	{"mlx5_core*", "mlx5_cmd*", SLOW},
	{"mlx5_core*", "mlx5_pages*", SLOW},
	{"mlx5_core*", "mlx5_sf_ctrl*", SLOW},
	{"*", "ena-mgmnt@*", SLOW},
	{"*", "gve-mgmnt@*", SLOW},
	{"*", "mana_hwc@*", SLOW},
	{"*", "*:misc", SLOW},
	{"*", "*:fdir*", SLOW},
	{"*", "*:ctrl-*", SLOW},
	{"*", "*:mbx", SLOW},
	{"ice", "*ll_ts*", SLOW},
	{"idpf", "*mailbox*", SLOW},
	{"idpf", "*Mailbox*", SLOW},
	{"hns3", "hclge*misc*", SLOW},
	{"ionic", "ionic-*-L{n}-admin*", SLOW},
	{"ionic", "ionic-*-L{n}-notif*", SLOW},

	/* the name holds the bus device */
	{"virtio_net", "{dev}-input.{n}", RX},
	{"virtio_net", "{dev}-output.{n}", TX},
	{"virtio_net", "{dev}-virtqueues", BARE},
	{"virtio_net", "{dev}", BARE},

	/* the name holds the PCI function */
	{"mlx5_core*", "mlx5_comp{n}@pci:{pci}", PAIR},
	{"mlx5_core*", "mlx5_comp{n}", PAIR},
	{"mlx5_core*", "mlx5_combined{n}*", PAIR},
	{"mlx5_core*", "mlx5_sf_comp{n}*", PAIR},
	{"mlx4_*", "mlx4-{n}@{pci}", PAIR, RANK},
	{"mlx4_*", "mlx4-{n}@pci:{pci}", PAIR, RANK},
	{"gve*", "gve-ntfy-blk{n}@pci:{pci}", PAIR, HALF},
	{"gvnic", "gve-ntfy-blk{n}@pci:{pci}", PAIR, HALF},
	{"gve*", "{if}-ntfy-block.{n}", PAIR, HALF},
	{"gvnic", "{if}-ntfy-block.{n}", PAIR, HALF},
	{"mana", "mana_q{n}@pci:{pci}", PAIR, RANK},
	/* the driver counts up twice for a vector of both rings (hns3_enet.c) */
	{"hns3", "hns3-{pci}-TxRx-{n}", PAIR, RANK},
	{"hns3", "hns3-{pci}-Rx-{n}", RX, RANK},
	{"hns3", "hns3-{pci}-Tx-{n}", TX, RANK},
	{"hns3", "hns3-{if}-TxRx-{n}", PAIR, RANK},
	{"hns3", "hns3-{if}-Rx-{n}", RX, RANK},
	{"hns3", "hns3-{if}-Tx-{n}", TX, RANK},

	/* driver and interface */
	{"*", "i40e-{if}-TxRx-{n}", PAIR},
	{"*", "i40e-{if}-rx-{n}", RX},
	{"*", "i40e-{if}-tx-{n}", TX},
	{"*", "ice-{if}-TxRx-{n}", PAIR},
	{"*", "ice-{if}-rx-{n}", RX},
	{"*", "ice-{if}-tx-{n}", TX},
	{"*", "iavf-{if}-TxRx-{n}", PAIR},
	{"*", "iavf-{if}-rx-{n}", RX},
	{"*", "iavf-{if}-tx-{n}", TX},
	/* the number is the vector's, and vector 0 is the mailbox's */
	{"*", "idpf-{if}-TxRx-{n}", PAIR, RANK},
	{"*", "idpf-{if}-Rx-{n}", RX, RANK},
	{"*", "idpf-{if}-Tx-{n}", TX, RANK},
	{"ionic", "ionic-{if}-L*-rx{n}", RX},
	{"ionic", "ionic-{if}-L*-tx{n}", TX},

	/* the number is the vector's */
	{"vmxnet3", "{if}-rxtx-{n}", PAIR, RANK},
	{"vmxnet3", "{if}-rx-{n}", RX, RANK},
	{"vmxnet3", "{if}-tx-{n}", TX, RANK},
	/* vector 0 has often no receive ring */
	{"tg3", "{if}-txrx-{n}", PAIR, RANK},
	{"tg3", "{if}-rx-{n}", RX, RANK},
	{"tg3", "{if}-tx-{n}", TX, RANK},
	{"tg3", "{if}-{n}", SLOW}, /* a vector with neither ring */
	/* Transmit vectors are numbered behind the receive ones. Before 6.12 a name has room for 17
	 * characters (struct bnxt_irq in bnxt.h), and the number or more is cut off. */
	{"bnxt_en", "{if}-TxRx-{n}", PAIR, RANK},
	{"bnxt_en", "{if}-rx-{n}", RX, RANK},
	{"bnxt_en", "{if}-tx-{n}", TX, RANK},
	{"bnxt_en", "{if}-T*", PAIR, RANK},
	{"bnxt_en", "{if}-rx*", RX, RANK},
	{"bnxt_en", "{if}-r", RX, RANK},
	{"bnxt_en", "{if}-tx*", TX, RANK},
	{"bnxt_en", "{if}-t", TX, RANK},

	/* the interface alone */
	{"*", "{if}-TxRx-{n}", PAIR},
	{"*", "{if}-Tx-Rx-{n}", PAIR},
	{"*", "{if}-rxtx-{n}", PAIR},
	{"*", "{if}-rxtx{n}", PAIR},
	{"*", "{if}-txrx-{n}", PAIR},
	{"*", "{if}-tx-*-rx-{n}", PAIR},
	{"*", "{if}-rx-{n}", RX},
	{"*", "{if}-tx-{n}", TX},
	{"*", "{if}-fp-{n}", PAIR},
	{"*", "{if}-q{n}-rx", RX},
	{"*", "{if}-q{n}-tx", TX},
	{"*", "{if}-q{n}", PAIR},
	{"*", "{if}-Rx{n}", RX},
	{"*", "{if}-rbdr-{n}", SLOW},
	{"*", "{if}-sq-{n}", TX},
	{"*", "{if}_rxq{n}", RX},
	{"*", "{if}_txq{n}", TX},
	{"*", "{if}:rx-{n}", RX},
	{"*", "{if}:tx-{n}", TX},
	{"*", "{if}_g{n}_rx", RX},
	{"*", "{if}_g{n}_tx", TX},
	{"*", "{if}[{n}]", PAIR},
	{"bnx2", "{if}-{n}", PAIR},
	{"sfc*", "{if}-{n}", PAIR},
	{"atlantic", "{if}-{n}", PAIR},
	{"rtase", "{if}-{n}", PAIR},
};

static bool names_device(const char *pattern)
{
	return strstr(pattern, "{if}") || strstr(pattern, "{pci}") || strstr(pattern, "{dev}");
}

void nb_vector_device_init(struct nb_vector_device *device, const char *driver,
			   const struct nb_pattern_names *names, bool is_own)
{
	device->names = *names;
	device->rows = g_ptr_array_new();
	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
		if (fnmatch(rows[i].driver, driver, 0) == 0 &&
		    (is_own || names_device(rows[i].pattern)))
			g_ptr_array_add(device->rows, (gpointer)&rows[i]);
}

void nb_vector_device_clear(struct nb_vector_device *device)
{
	g_clear_pointer(&device->rows, g_ptr_array_unref);
}

bool nb_vector_classify(const struct nb_vector_device *device, const char *handler,
			struct nb_vector *ret)
{
	unsigned number;

	/* Exactly, for any text could be an older name of the interface. */
	if (g_str_equal(handler, device->names.ifname)) {
		ret->role = NB_VECTOR_BARE;
		ret->numbering = NB_NUMBERING_RANK;
		ret->number = 0;
		return true;
	}

	for (unsigned i = 0; i < device->rows->len; i++) {
		const struct row *row = device->rows->pdata[i];

		if (!nb_pattern_match(row->pattern, handler, &device->names, &number))
			continue;
		ret->role = row->role;
		ret->numbering = row->numbering;
		ret->number = number;
		return true;
	}
	return false;
}

bool nb_vector_driver_is_fixed(const char *driver)
{
	/* fsl_dpa (dpaa_eth) and fsl_dpaa2_eth */
	return fnmatch("fsl_dpa*", driver, 0) == 0;
}

bool nb_vector_handler_is_fixed(const char *handler)
{
	static const char *const portals[] = {
		"QMan portal *", "BMan portal *", "dpio.*",
		/* Of applications: fsl_usdpaa_irq.c map_irq() in NXP's kernels, and
		 * drivers/vfio/fsl-mc/vfio_fsl_mc_intr.c vfio_set_trigger(). */
		"usdpaa_irq", "vfio-irq\\[*\\](dpio.*)"};

	for (unsigned i = 0; i < G_N_ELEMENTS(portals); i++)
		if (fnmatch(portals[i], handler, 0) == 0)
			return true;
	return false;
}
