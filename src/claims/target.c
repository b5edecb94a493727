/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claims/target.h"

#include "base/find.h"
#include "base/rules.h"

#include <errno.h>
#include <glib.h>

/* net/core/dev.c dev_valid_name() */
static bool is_ifname(const char *name)
{
	return *name && strlen(name) < NB_IFNAME_MAX && !strpbrk(name, "/: \t\n\v\f\r") &&
	       !g_str_equal(name, ".") && !g_str_equal(name, "..");
}

static bool parse_number(const char *text, uint32_t *ret)
{
	guint64 number;

	if (!g_ascii_string_to_unsigned(text, 10, 0, UINT32_MAX, &number, NULL))
		return false;
	*ret = (uint32_t)number;
	return true;
}

int nb_target_parse(const char *text, struct nb_target *ret)
{
	g_auto(GStrv) parts = g_strsplit(text, ":", 2);
	struct nb_target target = {.type = NB_TARGET_IRQ};

	if (!parts[0])
		return -EINVAL;
	if (!parts[1] && parse_number(text, &target.number)) {
		*ret = target;
		return 0;
	}
	target.type = parts[1] ? NB_TARGET_QUEUE : NB_TARGET_NIC;
	if (!is_ifname(parts[0]))
		return -EINVAL;
	/* All queues have another form, and another index. */
	if (parts[1] &&
	    (!parse_number(parts[1], &target.number) || target.number == NB_EVERY_QUEUE))
		return -EINVAL;
	g_strlcpy(target.nic, parts[0], sizeof(target.nic));
	*ret = target;
	return 0;
}

char *nb_target_format(const struct nb_target *target)
{
	switch (target->type) {
	case NB_TARGET_NONE:
		break;
	case NB_TARGET_NIC:
		return g_strdup(target->nic);
	case NB_TARGET_QUEUE:
		return g_strdup_printf("%s:%u", target->nic, target->number);
	case NB_TARGET_IRQ:
		return g_strdup_printf("%u", target->number);
	}
	return NULL;
}

bool nb_target_equal(const struct nb_target *a, const struct nb_target *b)
{
	return a->type == b->type && a->number == b->number && g_str_equal(a->nic, b->nic);
}

static const struct nb_nic *find_nic(const struct nb_machine *machine, const char *name)
{
	for (unsigned i = 0; i < machine->n_nics; i++)
		if (g_str_equal(machine->nics[i].name, name))
			return &machine->nics[i];
	return NULL;
}

static bool find_irq(uint32_t irq, const struct nb_machine *machine, struct nb_queue_key *ret)
{
	*ret = nb_machine_key_of_irq(machine, irq);
	return !nb_key_is_device_irq(*ret) || nb_machine_find_device_irq(machine, irq);
}

static bool find_of_nic(const struct nb_target *target, const struct nb_machine *machine,
			struct nb_queue_key *ret)
{
	const struct nb_nic *nic = find_nic(machine, target->nic);
	struct nb_queue_key key;

	if (!nic)
		return false;
	key = (struct nb_queue_key){.ifindex = nic->ifindex, .index = target->number};
	if (target->type == NB_TARGET_NIC)
		key = nb_rules_every_queue(key);
	else if (!nb_machine_find_queue(machine, key))
		return false;
	*ret = key;
	return true;
}

bool nb_target_find(const struct nb_target *target, const struct nb_machine *machine,
		    struct nb_queue_key *ret)
{
	switch (target->type) {
	case NB_TARGET_NONE:
		break;
	case NB_TARGET_NIC:
	case NB_TARGET_QUEUE:
		return find_of_nic(target, machine, ret);
	case NB_TARGET_IRQ:
		return find_irq(target->number, machine, ret);
	}
	return false;
}
