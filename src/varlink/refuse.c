/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpumask_text.h"
#include "varlink/internal.h"

#define ERROR(name) NB_VARLINK_INTERFACE "." name

static int refuse_unavailable(sd_varlink *link, const struct nb_refusal *refusal)
{
	g_autofree char *cpus = nb_cpumask_format_list(&refusal->cpus);

	return sd_varlink_errorbo(link, ERROR("CPUsUnavailable"),
				  SD_JSON_BUILD_PAIR_STRING("cpus", cpus),
				  SD_JSON_BUILD_PAIR_STRING("message", refusal->text));
}

static int refuse_taken(sd_varlink *link, const struct nb_refusal *refusal)
{
	g_autofree char *cpus = nb_cpumask_format_list(&refusal->cpus);
	g_autoptr(sd_json_variant) order = NULL;
	int r;

	r = nb_varlink_order_json(&refusal->other, &order);
	if (r < 0)
		return r;
	return sd_varlink_errorbo(link, ERROR("CPUsTaken"), SD_JSON_BUILD_PAIR_STRING("cpus", cpus),
				  SD_JSON_BUILD_PAIR_VARIANT("order", order),
				  SD_JSON_BUILD_PAIR_STRING("message", refusal->text));
}

static int refuse_with(sd_varlink *link, const char *error, const struct nb_refusal *refusal)
{
	return sd_varlink_errorbo(link, error, SD_JSON_BUILD_PAIR_STRING("message", refusal->text));
}

int nb_varlink_refuse(sd_varlink *link, const struct nb_refusal *refusal)
{
	switch (refusal->cause) {
	case NB_REFUSAL_ARGUMENT:
		return sd_varlink_error_invalid_parameter_name(link, refusal->argument);
	case NB_REFUSAL_UNAVAILABLE:
		return refuse_unavailable(link, refusal);
	case NB_REFUSAL_TAKEN:
		return refuse_taken(link, refusal);
	case NB_REFUSAL_NO_CPU_LEFT:
		return refuse_with(link, ERROR("NoCPULeft"), refusal);
	case NB_REFUSAL_NO_ORDER:
		return refuse_with(link, ERROR("NoSuchOrder"), refusal);
	case NB_REFUSAL_NOT_NOW:
		return refuse_with(link, ERROR("NotNow"), refusal);
	}
	g_assert_not_reached();
}
