// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A system call that does not exist: entry and exit, nothing between.
 */
#include <sys/syscall.h>

#include "system-call.h"

int main(void)
{
	measure_system_call("invalid-syscall", 9999);
	return 0;
}
