/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/irq_devices.h"
#include "sample/topology/topology.h"

#define BUS "sys/bus/pci/devices"
/* include/linux/pci_ids.h PCI_BASE_CLASS_NETWORK, in the highest of three bytes. */
#define IS_NETWORK(class) ((class) >> 16 == 0x02)

void nb_irq_devices_init(struct nb_irq_devices *devices, struct nb_sysroot *root,
			 const struct nb_topology *topology)
{
	*devices = (struct nb_irq_devices){.root = root, .topology = topology};
}

void nb_irq_devices_clear(struct nb_irq_devices *devices)
{
	g_clear_pointer(&devices->functions, g_strfreev);
	g_clear_pointer(&devices->by_irq, g_hash_table_unref);
}

/* False where the file is missing or holds no number. In decimal or, with 0x, in hex. */
static bool read_number(struct nb_sysroot *root, const char *path, int64_t *ret)
{
	g_autofree char *text = NULL;
	const char *digits;
	bool hex;
	size_t len;

	if (nb_sysroot_read(root, path, &text, &len) < 0)
		return false;
	hex = g_str_has_prefix(text, "0x");
	digits = g_strchomp(text) + (hex ? strlen("0x") : 0);
	return g_ascii_string_to_signed(digits, hex ? 16 : 10, INT32_MIN, UINT32_MAX, ret, NULL);
}

static void add(struct nb_irq_devices *devices, int64_t irq, char *function)
{
	if (irq > 0 && !g_hash_table_contains(devices->by_irq, GSIZE_TO_POINTER(irq)))
		g_hash_table_insert(devices->by_irq, GSIZE_TO_POINTER(irq), function);
}

/* Its message-signalled interrupts, or else its line, which several may share: then the first of
 * them. */
static void add_function(struct nb_irq_devices *devices, char *function)
{
	g_autofree char *vectors = g_strdup_printf(BUS "/%s/msi_irqs", function);
	g_autofree char *line = g_strdup_printf(BUS "/%s/irq", function);
	g_auto(GStrv) names = NULL;
	int64_t irq;

	if (nb_sysroot_list(devices->root, vectors, &names) == 0) {
		for (char **name = names; *name; name++)
			if (g_ascii_string_to_signed(*name, 10, 1, UINT32_MAX, &irq, NULL))
				add(devices, irq, function);
	} else if (read_number(devices->root, line, &irq)) {
		add(devices, irq, function);
	}
}

static void look_through_bus(struct nb_irq_devices *devices)
{
	devices->by_irq = g_hash_table_new(NULL, NULL);
	if (nb_sysroot_list(devices->root, BUS, &devices->functions) < 0)
		return;
	for (char **function = devices->functions; *function; function++)
		add_function(devices, *function);
}

static int read_node(struct nb_irq_devices *devices, const struct nb_device_irq *other)
{
	g_autofree char *path = *other->device ? g_strdup_printf(BUS "/%s/numa_node", other->device)
					       : g_strdup_printf("proc/irq/%u/node", other->irq);
	int64_t node;

	return read_number(devices->root, path, &node) && node >= 0 ? (int)node : NB_NODE_NONE;
}

static bool is_foreign(struct nb_irq_devices *devices, const char *function)
{
	g_autofree char *path = g_strdup_printf(BUS "/%s/class", function);
	int64_t class;

	return *function && read_number(devices->root, path, &class) && IS_NETWORK(class);
}

void nb_irq_devices_find(struct nb_irq_devices *devices, struct nb_device_irq *other)
{
	const char *function;

	if (!devices->by_irq)
		look_through_bus(devices);
	function = g_hash_table_lookup(devices->by_irq, GSIZE_TO_POINTER(other->irq));
	g_strlcpy(other->device, function ? function : "", sizeof(other->device));
	other->foreign = is_foreign(devices, other->device);
	other->node = nb_topology_nearest_node(devices->root, devices->topology,
					       read_node(devices, other));
}
