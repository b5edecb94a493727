/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Which rule of the configuration counts for a device or for an interrupt. */

#include "nicbalance/device.h"
#include "sample/discover/nic.h"

/* What an interrupt is matched by. */
struct nb_interrupt_facts {
	uint32_t irq;
	char *const *handlers; /* NULL-terminated; may be NULL */
	const char *driver;    /* of its device; "" when unknown */
};

/* The first rule for the device, or NULL. rules may be NULL. */
const struct nb_device_rule *nb_device_rules_find(const struct nb_device_rules *rules,
						  const struct nb_nic_facts *facts);

/* Whether there is any rule for interrupts: what they are matched by need not be read without. */
bool nb_interrupt_rules_exist(const struct nb_device_rules *rules);
/* The first rule for the interrupt, or NULL. */
const struct nb_interrupt_rule *nb_interrupt_rules_find(const struct nb_device_rules *rules,
							const struct nb_interrupt_facts *facts);
