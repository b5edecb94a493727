/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/bus_internal.h"

/* sd-bus's own check asks for CAP_SYS_ADMIN and answers in no words: ours is in bus_change.c. */
#define RETURNS(member, names, result, handler) \
	SD_BUS_METHOD_WITH_NAMES(member, NULL, , result, names, handler, SD_BUS_VTABLE_UNPRIVILEGED)
#define CHANGE(member, handler) \
	SD_BUS_METHOD(member, NULL, NULL, handler, SD_BUS_VTABLE_UNPRIVILEGED)

#define ROWS(member, signature, handler) \
	RETURNS(member, SD_BUS_PARAM(rows), "a(" signature ")", handler)

#define TEXT(name) SD_BUS_PROPERTY(name, "s", nb_bus_property_text, 0, 0)
#define TEXT_CONST(name) \
	SD_BUS_PROPERTY(name, "s", nb_bus_property_text, 0, SD_BUS_VTABLE_PROPERTY_CONST)
#define TEXT_CHANGES(name) \
	SD_BUS_PROPERTY(name, "s", nb_bus_property_text, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE)
#define U64(name) SD_BUS_PROPERTY(name, "t", nb_bus_property_u64, 0, 0)
#define U64_CONST(name) \
	SD_BUS_PROPERTY(name, "t", nb_bus_property_u64, 0, SD_BUS_VTABLE_PROPERTY_CONST)
#define U32(name) SD_BUS_PROPERTY(name, "u", nb_bus_property_u32, 0, 0)

/* clang-format off */
static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),

	TEXT_CONST("Version"),
	TEXT_CHANGES("Mode"),
	SD_BUS_PROPERTY("Paused", "b", nb_bus_property_paused, 0,
			SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	TEXT("Grade"),
	TEXT("GradeReason"),
	TEXT("Accounting"),
	TEXT_CHANGES("Verdict"),
	TEXT_CHANGES("VerdictText"),
	U64("Cycles"),
	U64("CpuTimeNSec"),
	U64("ProbeCostNSec"),
	U64_CONST("StartedUSec"),
	U64("WindowNSec"),
	U32("NoisePermyriad"),
	U32("HotPermyriad"),
	TEXT("OnlineCPUs"),
	TEXT("EligibleCPUs"),
	TEXT("IsolatedCPUs"),
	TEXT("BannedCPUs"),

	ROWS("ListCpus", NB_BUS_CPU, nb_bus_list_cpus),
	ROWS("ListNics", NB_BUS_NIC, nb_bus_list_nics),
	ROWS("ListQueues", NB_BUS_QUEUE, nb_bus_list_queues),
	ROWS("ListMoves", NB_BUS_MOVE, nb_bus_list_moves),
	ROWS("ListExcluded", NB_BUS_EXCLUDED, nb_bus_list_excluded),
	RETURNS("Plan",
	     SD_BUS_PARAM(verdict) SD_BUS_PARAM(verdict_text) SD_BUS_PARAM(hottest_cpu)
	     SD_BUS_PARAM(hottest) SD_BUS_PARAM(mean) SD_BUS_PARAM(gain_needed)
	     SD_BUS_PARAM(moves) SD_BUS_PARAM(rps), NB_BUS_PLAN, nb_bus_plan),
	ROWS("Config", NB_BUS_SETTING, nb_bus_config),
	SD_BUS_METHOD_WITH_NAMES("Record", "t", SD_BUS_PARAM(cursor), NB_BUS_RECORDED,
		SD_BUS_PARAM(next_cursor) SD_BUS_PARAM(lost) SD_BUS_PARAM(text),
		nb_bus_record, SD_BUS_VTABLE_UNPRIVILEGED),

	CHANGE("Pause", nb_bus_pause),
	CHANGE("Resume", nb_bus_resume),
	RETURNS("Restore", SD_BUS_PARAM(n_restored), "u", nb_bus_restore),
	CHANGE("Reload", nb_bus_reload),
	ROWS("WatchDelays", NB_BUS_DELAYS, nb_bus_watch_delays),

	SD_BUS_SIGNAL_WITH_NAMES("Recorded", NB_BUS_MOVE,
		SD_BUS_PARAM(realtime_usec) SD_BUS_PARAM(event) SD_BUS_PARAM(reason)
		SD_BUS_PARAM(outcome) SD_BUS_PARAM(effect) SD_BUS_PARAM(ifindex)
		SD_BUS_PARAM(netdev) SD_BUS_PARAM(queue) SD_BUS_PARAM(irqs)
		SD_BUS_PARAM(cpu_from) SD_BUS_PARAM(cpu_to) SD_BUS_PARAM(rps_from)
		SD_BUS_PARAM(rps_to) SD_BUS_PARAM(cost) SD_BUS_PARAM(before)
		SD_BUS_PARAM(predicted) SD_BUS_PARAM(measured) SD_BUS_PARAM(what)
		SD_BUS_PARAM(why) SD_BUS_PARAM(result), 0),

	SD_BUS_VTABLE_END
};
/* clang-format on */

int nb_bus_export(struct nb_bus *bus, sd_bus *connection, sd_bus_slot **ret_slot)
{
	return sd_bus_add_object_vtable(connection, ret_slot, NB_BUS_PATH, NB_BUS_INTERFACE, vtable,
					bus);
}
