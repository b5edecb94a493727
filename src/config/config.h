/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The configuration: etc/nicbalance/nicbalance.conf and its drop-ins, in systemd's order. */

#include "nicbalance/device.h"
#include "nicbalance/policy.h"
#include "nicbalance/status.h"
#include "sysroot/sysroot.h"

typedef struct nb_config {
	enum nb_mode mode;
	char *profile;                 /* as set; owned */
	const char *profile_used;      /* "none", or by its name; profile itself unless that is
					  auto, else a constant */
	const char *profile_sign;      /* auto: why that one; a constant */
	uint64_t interval_nsec;        /* between two cycles */
	uint64_t complete_sample_nsec; /* between two complete samples of all affinities */
	bool probe;                    /* measure with eBPF if possible */
	uint32_t probe_budget;         /* of all CPUs' time together, for that */
	bool delays;                   /* measure delays continuously */
	bool device_interrupts;        /* place device interrupts, too */
	bool irqbalance_config;        /* obey the files of irqbalance */
	struct nb_policy policy;
	bool banned_by_irqbalance; /* policy.banned is not ours, but from a file of irqbalance */
	struct nb_device_rules devices;
	GPtrArray *origins; /* per row of the settings table: "path:line" of its last assignment, or
			       NULL for the default; owned */
} nb_config;

void nb_config_free(struct nb_config *config);
void nb_interrupt_rules_clear(struct nb_interrupt_rules *rules);
void nb_device_rules_clear(struct nb_device_rules *devices);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(nb_config, nb_config_free)

/* Reads the profile (config/profile.h), if one is set by what follows, whose sections of devices
 * and interrupts come behind all others; the main file (file, or when NULL the first of etc/, run/,
 * usr/lib/nicbalance/nicbalance.conf), then the *.conf files of the nicbalance.conf.d beside each
 * of these three, sorted by name; a name in etc hides the same name in run, and that the one in
 * usr/lib; an empty file or a symlink to /dev/null hides without replacing. Missing files leave the
 * defaults, but a file that was named must exist. On failure nothing is returned but *ret_error:
 * one line for each fault, "path:line: what is wrong; what to write instead" (caller frees), and
 * -EINVAL or the errno of a read. */
int nb_config_load(struct nb_sysroot *root, const char *file, struct nb_config **ret,
		   char **ret_error);

/* The settings table, row by row, for `config` and for the checks that hold conf/ and man/ to it.
 */
unsigned nb_config_n_settings(void);
/* The row of a key, or -ENOENT. */
int nb_config_find(const char *section, const char *key);
const char *nb_config_section(unsigned row);
const char *nb_config_key(unsigned row);
const char *nb_config_default(unsigned row);
const char *nb_config_summary(unsigned row);
/* As it would stand in a file; of the sections [Device] and [Interrupt] "eth*: yes, tun0: yes",
 * those at the default left out. Caller frees. */
char *nb_config_value(const struct nb_config *config, unsigned row);
