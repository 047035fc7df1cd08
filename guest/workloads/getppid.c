// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * As getpid, but through an RCU-protected pointer to the parent.
 */
#include <sys/syscall.h>

#include "system-call.h"

int main(void)
{
	measure_system_call("getppid", SYS_getppid);
	return 0;
}
