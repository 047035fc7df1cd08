// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cheapest system call: entry, a read of the task, exit.
 */
#include <sys/syscall.h>

#include "system-call.h"

int main(void)
{
	measure_system_call("getpid", SYS_getpid);
	return 0;
}
