/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface as clients are told of it; org.nicbalance.Constraints.varlink is the same for
 * people. */
#include "varlink/internal.h"

/* clang-format off */
#define NOTE(text) SD_VARLINK_FIELD_COMMENT(text)
#define INPUT(name, type, flags) SD_VARLINK_DEFINE_INPUT(name, SD_VARLINK_##type, flags)
#define OUTPUT(name, type, flags) SD_VARLINK_DEFINE_OUTPUT(name, SD_VARLINK_##type, flags)
#define MEMBER(name, type, flags) SD_VARLINK_DEFINE_FIELD(name, SD_VARLINK_##type, flags)
#define NULLABLE SD_VARLINK_NULLABLE

#define OWNER \
	NOTE("Whose it is, a word; \"operator\" if it is not given"), \
	INPUT(owner, STRING, NULLABLE)
#define END \
	NOTE("It ends after so long; 0 or not given: never"), \
	INPUT(leaseUSec, INT, NULLABLE), \
	NOTE("It ends with the connection of this call"), \
	INPUT(whileConnected, BOOL, NULLABLE)
#define ANSWER \
	NOTE("Its number; a repeated order keeps it"), \
	OUTPUT(id, INT, 0), \
	NOTE("What has not left by now, and why, a sentence each. The order counts all the same"), \
	OUTPUT(remains, STRING, SD_VARLINK_ARRAY)
#define MESSAGE \
	NOTE("The same for people"), \
	MEMBER(message, STRING, 0)

static SD_VARLINK_DEFINE_ENUM_TYPE(Kind,
	NOTE("CPUs that interrupts and RPS keep off"),
	SD_VARLINK_DEFINE_ENUM_VALUE(ban),
	NOTE("CPUs that a target is limited to"),
	SD_VARLINK_DEFINE_ENUM_VALUE(claim));

static SD_VARLINK_DEFINE_STRUCT_TYPE(Order,
	MEMBER(id, INT, 0),
	SD_VARLINK_DEFINE_FIELD_BY_TYPE(kind, Kind, 0),
	NOTE("Of a claim: an interface (eth0), a queue of one (eth0:3) or an interrupt (41)"),
	MEMBER(target, STRING, NULLABLE),
	NOTE("Of a claim: the target exists now"),
	MEMBER(present, BOOL, NULLABLE),
	NOTE("Numbers and ranges: 0-3,8"),
	MEMBER(cpus, STRING, 0),
	NOTE("Of a claim: nothing else may use these CPUs"),
	MEMBER(exclusive, BOOL, 0),
	MEMBER(owner, STRING, 0),
	NOTE("Since and until when (CLOCK_REALTIME)"),
	MEMBER(sinceUSec, INT, 0),
	MEMBER(endsUSec, INT, NULLABLE),
	NOTE("It ends with the connection that ordered it"),
	MEMBER(whileConnected, BOOL, 0));

static SD_VARLINK_DEFINE_METHOD(Describe,
	NOTE("Of the daemon"),
	OUTPUT(version, STRING, 0),
	NOTE("False while it observes or is paused: orders are taken, and nothing is moved"),
	OUTPUT(acts, BOOL, 0),
	OUTPUT(onlineCPUs, STRING, 0),
	OUTPUT(isolatedCPUs, STRING, 0),
	NOTE("By the configuration"),
	OUTPUT(bannedCPUs, STRING, 0),
	NOTE("The file and line that bans them"),
	OUTPUT(bannedBy, STRING, NULLABLE),
	NOTE("What is left for that which no pool limits"),
	OUTPUT(eligibleCPUs, STRING, 0));

static SD_VARLINK_DEFINE_METHOD(List,
	SD_VARLINK_DEFINE_OUTPUT_BY_TYPE(orders, Order, SD_VARLINK_ARRAY));

static SD_VARLINK_DEFINE_METHOD_FULL(Subscribe, SD_VARLINK_REQUIRES_MORE,
	SD_VARLINK_DEFINE_OUTPUT_BY_TYPE(orders, Order, SD_VARLINK_ARRAY));

static SD_VARLINK_DEFINE_METHOD(Ban,
	NOTE("Numbers and ranges: 0-3,8"),
	INPUT(cpus, STRING, 0), OWNER, END, ANSWER);

static SD_VARLINK_DEFINE_METHOD(Unban,
	INPUT(cpus, STRING, 0), OWNER);

static SD_VARLINK_DEFINE_METHOD(Claim,
	NOTE("An interface (eth0), a queue of one (eth0:3) or an interrupt (41). It need not exist yet"),
	INPUT(target, STRING, 0),
	NOTE("Numbers and ranges: 0-3,8"),
	INPUT(cpus, STRING, 0),
	NOTE("Nothing else may use these CPUs"),
	INPUT(exclusive, BOOL, NULLABLE), OWNER, END, ANSWER);

static SD_VARLINK_DEFINE_METHOD(Release,
	NOTE("A target, @5 for the order of this id, or all"),
	INPUT(what, STRING, 0), OWNER,
	OUTPUT(nReleased, INT, 0));

static SD_VARLINK_DEFINE_ERROR(CPUsUnavailable,
	MEMBER(cpus, STRING, 0), MESSAGE);
static SD_VARLINK_DEFINE_ERROR(CPUsTaken,
	MEMBER(cpus, STRING, 0),
	NOTE("What stands in the way, and whose it is"),
	SD_VARLINK_DEFINE_FIELD_BY_TYPE(order, Order, 0), MESSAGE);
static SD_VARLINK_DEFINE_ERROR(NoCPULeft, MESSAGE);
static SD_VARLINK_DEFINE_ERROR(NoSuchOrder, MESSAGE);
static SD_VARLINK_DEFINE_ERROR(NotNow, MESSAGE);

SD_VARLINK_DEFINE_INTERFACE(constraints, NB_VARLINK_INTERFACE,
	SD_VARLINK_INTERFACE_COMMENT("CPUs banned, or claimed for a NIC, a queue or an interrupt, at "
		"run time. Everyone may call Describe, List and Subscribe; the other methods are for root, others get "
		"org.varlink.service.PermissionDenied. Answers come after a cycle that obeys."),
	SD_VARLINK_SYMBOL_COMMENT("Kinds of orders"),
	&vl_type_Kind,
	SD_VARLINK_SYMBOL_COMMENT("A ban or a claim"),
	&vl_type_Order,
	SD_VARLINK_SYMBOL_COMMENT("What is obeyed besides orders"),
	&vl_method_Describe,
	SD_VARLINK_SYMBOL_COMMENT("The orders that count, by id"),
	&vl_method_List,
	SD_VARLINK_SYMBOL_COMMENT("The same, and again after each change"),
	&vl_method_Subscribe,
	SD_VARLINK_SYMBOL_COMMENT("Keeps interrupts and RPS off CPUs. A ban of the same owner and CPUs is replaced"),
	&vl_method_Ban,
	SD_VARLINK_SYMBOL_COMMENT("Takes CPUs out of the bans of this owner"),
	&vl_method_Unban,
	SD_VARLINK_SYMBOL_COMMENT("Limits a target to CPUs. A claim of the same owner for the same target is replaced"),
	&vl_method_Claim,
	SD_VARLINK_SYMBOL_COMMENT("Ends what the owner has ordered, and forgets by which affinities other programs have limited it"),
	&vl_method_Release,
	SD_VARLINK_SYMBOL_COMMENT("They do not exist or are offline"),
	&vl_error_CPUsUnavailable,
	SD_VARLINK_SYMBOL_COMMENT("Another order has these CPUs exclusively or, of a claim, bans them"),
	&vl_error_CPUsTaken,
	SD_VARLINK_SYMBOL_COMMENT("None would be left for anything else"),
	&vl_error_NoCPULeft,
	SD_VARLINK_SYMBOL_COMMENT("This owner has none that is called so"),
	&vl_error_NoSuchOrder,
	SD_VARLINK_SYMBOL_COMMENT("The daemon cannot take orders at the moment"),
	&vl_error_NotNow);
/* clang-format on */
