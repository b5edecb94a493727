/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* Sections and keys of a scenario: one table. Pure. */

#include "sim/scenario.h"

enum nb_sim_section {
	NB_SIM_SECTION_HOST,
	NB_SIM_SECTION_NIC,
	NB_SIM_SECTION_TRAFFIC,
	NB_SIM_SECTION_APPLICATION,
	NB_SIM_SECTION_EVENT,
	_NB_SIM_SECTION_MAX,
	_NB_SIM_SECTION_INVALID = -1,
};

/* What a section of the text says about; the application and the event with what only the text
 * knows. */
struct nb_sim_draft {
	struct nb_scenario *scenario; /* of [Host] */
	struct nb_sim_nic nic;
	struct nb_sim_traffic traffic;
	struct nb_sim_application application;
	unsigned n_applications;
	struct nb_sim_event event;
	unsigned n_listed; /* CPUs that nic.cpus holds */
	uint64_t seen;     /* bit of each key of the section that was given */
};

enum nb_sim_section nb_sim_section_from_string(const char *word);
const char *nb_sim_section_to_string(enum nb_sim_section section);

/* Puts one value into the draft. On failure "what is wrong; what to write instead" is appended to
 * fault, and -EINVAL returned. */
int nb_sim_key_set(struct nb_sim_draft *draft, enum nb_sim_section section, const char *name,
		   const char *value, GString *fault);

/* The first key that the section cannot do without and that was not given; NULL when there is
 * none. */
const char *nb_sim_key_missing(const struct nb_sim_draft *draft, enum nb_sim_section section);
