/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* The numbers we use of the generic netlink family "ethtool" that headers before Linux 6.17 do not
 * have, as include/uapi/linux/ethtool_netlink_generated.h has them. Pure. */

enum nb_ethtool_command { NB_ETHTOOL_RSS_SET = 48 };

/* Of RSS_SET. */
enum nb_ethtool_rss_attribute {
	NB_ETHTOOL_RSS_HEADER = 1,
	NB_ETHTOOL_RSS_INDIR = 4, /* 32 bits for each entry; none: the kernel's default */
};
