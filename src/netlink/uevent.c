/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/uevent.h"

#include <string.h>

static bool is_number(const char *text)
{
	return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* "…/net/eth0/queues/rx-3", where net/core/net-sysfs.c puts the queues of each device. */
static bool parse_queue(const char *devpath, struct nb_uevent *ret)
{
	static const char virtual[] = "/devices/virtual/", net[] = "/net/", queues[] = "/queues/";
	const char *queue = g_strrstr(devpath, queues);
	const char *name;
	size_t len;

	/* Without a parent (drivers/base/core.c get_device_parent()): no hardware, no interrupts.
	 */
	if (!queue || g_str_has_prefix(devpath, virtual))
		return false;
	name = g_strrstr_len(devpath, queue - devpath, net);
	queue += strlen(queues);
	if (!name || !(g_str_has_prefix(queue, "rx-") || g_str_has_prefix(queue, "tx-")) ||
	    !is_number(queue + strlen("rx-")))
		return false;

	name += strlen(net);
	len = strcspn(name, "/");
	if (len == 0 || len >= sizeof(ret->ifname) || name + len + strlen(queues) != queue)
		return false;

	*ret = (struct nb_uevent){.change = NB_NOTICE_QUEUES};
	memcpy(ret->ifname, name, len);
	return true;
}

/* drivers/base/core.c device_online() and device_offline(). */
static bool parse_cpu(const char *devpath, struct nb_uevent *ret)
{
	static const char cpu[] = "/devices/system/cpu/cpu";

	if (!g_str_has_prefix(devpath, cpu) || !is_number(devpath + strlen(cpu)))
		return false;
	*ret = (struct nb_uevent){.change = NB_NOTICE_CPUS};
	return true;
}

bool nb_uevent_parse(const char *buffer, size_t len, struct nb_uevent *ret)
{
	const char *devpath;

	if (!memchr(buffer, '\0', len))
		return false;
	devpath = strchr(buffer, '@');
	if (!devpath)
		return false;
	devpath++;

	if (g_str_has_prefix(buffer, "add@") || g_str_has_prefix(buffer, "remove@"))
		return parse_queue(devpath, ret);
	if (g_str_has_prefix(buffer, "online@") || g_str_has_prefix(buffer, "offline@"))
		return parse_cpu(devpath, ret);
	return false;
}
