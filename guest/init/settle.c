// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits until the boot is over.  A kernel goes on with work of its own after it
 * has started PID 1 (self-tests of cryptographic code, deferred probes), and
 * what is still to do would be counted with the command.
 */
#include <stdio.h>
#include <time.h>

#include "init.h"

#define ROUND_MS	20
#define QUIET_ROUNDS	10	/* in a row */
#define ROUNDS		1500

/* Threads that run or could run, this one included; 0 if the kernel does not say. */
static unsigned int runnable_threads(void)
{
	FILE *file = fopen("/proc/loadavg", "r");
	unsigned int runnable = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%*s %*s %*s %u", &runnable) != 1)
		runnable = 0;
	fclose(file);
	return runnable;
}

/**
 * settle - return once nobody else has wanted a CPU for a while
 *
 * Gives a kernel that never gets there half a minute of its own time and then
 * says so, as the counts will hold what it does.
 */
void settle(void)
{
	const struct timespec round = { .tv_nsec = ROUND_MS * 1000000L };
	unsigned int quiet = 0;

	for (unsigned int i = 0; i < ROUNDS && quiet < QUIET_ROUNDS; i++) {
		nanosleep(&round, NULL);
		quiet = runnable_threads() <= 1 ? quiet + 1 : 0;
	}
	if (quiet < QUIET_ROUNDS)
		warn("the kernel is still busy with work of its own");
}
