/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A uevent that is told names a kind of change, and a device exactly when it is of one. */

#include "fuzz/fuzz.h"
#include "netlink/uevent.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nb_uevent event;

	if (!nb_uevent_parse((const char *)data, size, &event))
		return 0;
	FUZZ_CLAIM(memchr(event.ifname, '\0', sizeof(event.ifname)) != NULL);
	FUZZ_CLAIM(event.change == NB_NOTICE_QUEUES || event.change == NB_NOTICE_CPUS);
	FUZZ_CLAIM((event.change == NB_NOTICE_QUEUES) == (event.ifname[0] != '\0'));
	return 0;
}
