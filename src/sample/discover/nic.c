/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/discover/nic.h"
#include "nicbalance/topology.h"

#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>

/* GRE over IPv6 (linux/if_arp.h); glibc's header does not have it. */
#define ARPHRD_IP6GRE 823

/* Bus devices between a network device and the one that has its vectors: virtio and auxiliary
 * devices have one, USB has more. */
#define ANCESTORS_MAX 12

/* "sys/class/net/NAME/file"; caller frees. */
static char *path_of(const char *name, const char *file)
{
	return g_strdup_printf("sys/class/net/%s/%s", name, file);
}

/* A file of the nth parent of its device: ".." behind a link is the parent of the link's target. */
static char *ancestor_path(const char *name, unsigned n, const char *file)
{
	g_autoptr(GString) path = g_string_new(NULL);

	g_string_printf(path, "sys/class/net/%s/device/", name);
	for (unsigned i = 0; i < n; i++)
		g_string_append(path, "../");
	g_string_append(path, file);
	return g_string_free(g_steal_pointer(&path), FALSE);
}

/* A number in decimal or, with 0x, in hex. */
static int read_number(struct nb_sysroot *root, const char *path, long *ret)
{
	g_autofree char *text = NULL;
	char *end;
	size_t len;
	int r;

	r = nb_sysroot_read(root, path, &text, &len);
	if (r < 0)
		return r;
	errno = 0;
	*ret = strtol(text, &end, 0);
	return end == text || errno != 0 ? -EBADMSG : 0;
}

static int read_attribute(struct nb_sysroot *root, const char *name, const char *file, long *ret)
{
	g_autofree char *path = path_of(name, file);

	return read_number(root, path, ret);
}

static bool has(struct nb_sysroot *root, const char *name, const char *file)
{
	g_autofree char *path = path_of(name, file);

	return nb_sysroot_exists(root, path);
}

/* The value of one line KEY=value of a device's uevent file; caller frees, NULL when there is none.
 */
static char *read_uevent(struct nb_sysroot *root, const char *path, const char *key)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	size_t len;

	if (nb_sysroot_read(root, path, &text, &len) < 0)
		return NULL;
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++)
		if (g_str_has_prefix(*line, key) && (*line)[strlen(key)] == '=')
			return g_strdup(*line + strlen(key) + 1);
	return NULL;
}

static void read_link(struct nb_sysroot *root, const char *name, const char *file, char *ret,
		      size_t size)
{
	g_autofree char *path = path_of(name, file);
	g_autofree char *target = NULL;

	*ret = '\0';
	if (nb_sysroot_link_name(root, path, &target) == 0)
		g_strlcpy(ret, target, size);
}

/* "%04x:%02x:%02x.%d" (drivers/pci/probe.c pci_setup_device()). */
static bool is_pci_address(const char *name)
{
	for (const char *end = "::.";; end++) {
		size_t n = strspn(name, "0123456789abcdef");

		if (n == 0 || name[n] != *end)
			return false;
		if (*end == '\0')
			return true;
		name += n + 1;
	}
}

static void read_pci(struct nb_sysroot *root, struct nb_nic_facts *facts)
{
	if (is_pci_address(facts->device)) {
		g_strlcpy(facts->pci, facts->device, sizeof(facts->pci));
		return;
	}
	for (unsigned n = 0; n < ANCESTORS_MAX; n++) {
		g_autofree char *path = ancestor_path(facts->nic.name, n, "uevent");
		g_autofree char *address = read_uevent(root, path, "PCI_SLOT_NAME");

		if (address) {
			g_strlcpy(facts->pci, address, sizeof(facts->pci));
			return;
		}
	}
}

/* A bond gives all its ports one address, and keeps their own (drivers/net/bonding/
 * bond_sysfs_slave.c perm_hwaddr_show()). */
static void read_mac(struct nb_sysroot *root, struct nb_nic_facts *facts)
{
	static const char *const files[] = {"bonding_slave/perm_hwaddr", "address"};

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = path_of(facts->nic.name, files[i]);
		g_autofree char *text = NULL;
		size_t len;

		if (nb_sysroot_read(root, path, &text, &len) < 0)
			continue;
		g_strlcpy(facts->mac, g_strstrip(text), sizeof(facts->mac));
		return;
	}
}

static bool is_on_vmbus(struct nb_sysroot *root, const char *name)
{
	char bus[16];

	read_link(root, name, "device/subsystem", bus, sizeof(bus));
	return g_str_equal(bus, "vmbus");
}

/* On the VMBus it would be that of the CPU of the first channel (drivers/hv/vmbus_drv.c
 * numa_node_show()): a consequence of where channels are, which no queue is to follow. */
static void read_node(struct nb_sysroot *root, struct nb_nic_facts *facts)
{
	for (unsigned n = 0; n < ANCESTORS_MAX; n++) {
		g_autofree char *path = ancestor_path(facts->nic.name, n, "numa_node");
		long node;

		if (read_number(root, path, &node) == 0) {
			facts->nic.node = node < 0 ? NB_NODE_NONE : (int)node;
			return;
		}
	}
}

static bool add_irqs(struct nb_sysroot *root, const char *path, GArray *irqs)
{
	g_auto(GStrv) names = NULL;

	if (nb_sysroot_list(root, path, &names) < 0)
		return false;
	for (char **name = names; *name; name++) {
		uint64_t value;
		uint32_t irq;

		if (!g_ascii_string_to_unsigned(*name, 10, 1, UINT32_MAX, &value, NULL))
			continue;
		irq = (uint32_t)value;
		g_array_append_val(irqs, irq);
	}
	return irqs->len > 0;
}

/* The vectors of the first device upwards that has some, but not beyond its PCI function: a port's
 * own vectors (hot plug, errors) are not the network's. Auxiliary devices list theirs since 6.11.
 * Those of a USB controller are those of all its devices. */
static void read_own_irqs(struct nb_sysroot *root, struct nb_nic_facts *facts)
{
	for (unsigned n = 0; n < ANCESTORS_MAX; n++) {
		g_autofree char *vectors = ancestor_path(facts->nic.name, n, "msi_irqs");
		g_autofree char *auxiliary = ancestor_path(facts->nic.name, n, "irqs");
		g_autofree char *subsystem = ancestor_path(facts->nic.name, n, "subsystem");
		g_autofree char *bus = NULL;

		if (add_irqs(root, vectors, facts->own_irqs) ||
		    add_irqs(root, auxiliary, facts->own_irqs))
			return;
		if (nb_sysroot_link_name(root, subsystem, &bus) == 0 &&
		    (g_str_equal(bus, "pci") || g_str_equal(bus, "usb")))
			return;
	}
}

static void count_queues(struct nb_sysroot *root, struct nb_nic *nic)
{
	g_autofree char *path = path_of(nic->name, "queues");
	g_auto(GStrv) names = NULL;

	if (nb_sysroot_list(root, path, &names) < 0)
		return;
	for (char **queue = names; *queue; queue++) {
		nic->n_rx += g_str_has_prefix(*queue, "rx-");
		nic->n_tx += g_str_has_prefix(*queue, "tx-");
	}
}

static bool has_lower_device(struct nb_sysroot *root, const char *name)
{
	g_autofree char *path = path_of(name, "");
	g_auto(GStrv) names = NULL;

	if (nb_sysroot_list(root, path, &names) == 0)
		for (char **entry = names; *entry; entry++)
			if (g_str_has_prefix(*entry, "lower_"))
				return true;
	return false;
}

/* Made of other devices: by its own directory, its kind, or (team, macvlan) by what is below it. */
static bool is_stacked(struct nb_sysroot *root, const char *name)
{
	static const char *const kinds[] = {"bond", "bridge", "vlan", "team", "macvlan"};
	g_autofree char *path = path_of(name, "uevent");
	g_autofree char *kind = NULL;

	if (has(root, name, "bonding") || has(root, name, "bridge"))
		return true;
	kind = read_uevent(root, path, "DEVTYPE");
	for (unsigned i = 0; kind && i < G_N_ELEMENTS(kinds); i++)
		if (g_str_equal(kind, kinds[i]))
			return true;
	return !has(root, name, "device") && has_lower_device(root, name);
}

/* The deferral acts if both are set (net/core/dev.c napi_complete_done()). */
static bool defers_interrupts(struct nb_sysroot *root, const char *name)
{
	long polls = 0, timeout_nsec = 0;

	(void)read_attribute(root, name, "napi_defer_hard_irqs", &polls);
	(void)read_attribute(root, name, "gro_flush_timeout", &timeout_nsec);
	return polls > 0 && timeout_nsec > 0;
}

static enum nb_scope scope_of(struct nb_sysroot *root, const struct nb_nic_facts *facts, long flags)
{
	if (is_stacked(root, facts->nic.name))
		return NB_SCOPE_STACKED;
	if (*facts->device == '\0')
		return NB_SCOPE_VIRTUAL;
	return flags & IFF_UP ? NB_SCOPE_IN : NB_SCOPE_DOWN;
}

/* GRE, IP in IP, and PPP, which comes over Ethernet, GRE or L2TP. */
static bool is_tunnel(long type)
{
	static const long types[] = {ARPHRD_PPP, ARPHRD_TUNNEL, ARPHRD_TUNNEL6,
				     ARPHRD_SIT, ARPHRD_IPGRE,  ARPHRD_IP6GRE};

	for (unsigned i = 0; i < G_N_ELEMENTS(types); i++)
		if (type == types[i])
			return true;
	return false;
}

/* Tunnels of no type of their own, but which name what they are (net_device.dev.type). */
static bool is_overlay(struct nb_sysroot *root, const char *name)
{
	static const char *const types[] = {"vxlan", "geneve", "macsec", "bareudp", "amt", NULL};
	g_autofree char *path = path_of(name, "uevent");
	g_autofree char *type = read_uevent(root, path, "DEVTYPE");

	return type && g_strv_contains(types, type);
}

/* GRE that carries Ethernet (gretap, ERSPAN) has the type of Ethernet. Bound to no device it has no
 * link (net/ipv4/ip_tunnel.c ip_tunnel_get_iflink()), where others have themselves, and a veth its
 * peer. */
static bool is_ethernet_tunnel(struct nb_sysroot *root, const char *name, long type)
{
	long link;

	return type == ARPHRD_ETHER && read_attribute(root, name, "iflink", &link) == 0 &&
	       link == 0;
}

int nb_nic_facts_read(struct nb_sysroot *root, const char *name, struct nb_nic_facts *ret)
{
	struct nb_nic_facts facts = {0};
	long ifindex, flags, type, master = 0;

	if (strlen(name) >= NB_IFNAME_MAX)
		return -EINVAL;
	if (read_attribute(root, name, "ifindex", &ifindex) < 0 ||
	    read_attribute(root, name, "flags", &flags) < 0 ||
	    read_attribute(root, name, "type", &type) < 0 || ifindex <= 0)
		return -ENOENT;
	(void)read_attribute(root, name, "master/ifindex", &master);

	g_strlcpy(facts.nic.name, name, sizeof(facts.nic.name));
	facts.nic.ifindex = (int)ifindex;
	facts.nic.master = (int)master;
	facts.loopback = type == ARPHRD_LOOPBACK;
	facts.tunnel = is_tunnel(type) && flags & IFF_UP;
	count_queues(root, &facts.nic);
	facts.nic.node = NB_NODE_NONE;
	facts.own_irqs = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	read_link(root, name, "device", facts.device, sizeof(facts.device));
	if (*facts.device) {
		read_link(root, name, "device/driver", facts.nic.driver, sizeof(facts.nic.driver));
		read_pci(root, &facts);
		read_mac(root, &facts);
		facts.vmbus = is_on_vmbus(root, name);
		if (!facts.vmbus)
			read_node(root, &facts);
		read_own_irqs(root, &facts);
		facts.defers = defers_interrupts(root, name);
	} else if ((type == ARPHRD_ETHER || type == ARPHRD_NONE) && flags & IFF_UP) {
		facts.overlay = is_overlay(root, name);
		facts.tunnel = !facts.overlay && is_ethernet_tunnel(root, name, type);
	}
	facts.nic.scope = scope_of(root, &facts, flags);

	*ret = facts;
	return 0;
}

void nb_nic_facts_clear(struct nb_nic_facts *facts)
{
	g_clear_pointer(&facts->own_irqs, g_array_unref);
}
