// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each thread of "perf bench futex hash" does, for a fixed number of
 * operations: it waits on one futex after the other, for a value that none has,
 * so that each call hashes the futex, reads it and returns.
 *
 * perf's own benchmark runs for a fixed time, so a kernel with fewer instructions
 * does more operations, and whatever happens once a tick is spread over more of
 * them.  With the work fixed, counts of two kernels can be compared as they are.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <granule.h>

#define OPERATIONS	1000000
#define FUTEXES		1024	/* of each thread, as perf has it */
#define OTHER_VALUE	1234

static bool wait_in_vain(uint32_t *futex)
{
	long result = syscall(SYS_futex, futex, FUTEX_WAIT | FUTEX_PRIVATE_FLAG,
			      OTHER_VALUE, NULL);

	return result == -1 && errno == EAGAIN;
}

/* Whether all calls did what they were to do. */
static bool run(uint32_t *futexes, unsigned int operations)
{
	unsigned int right = 0;

	for (unsigned int i = 0; i < operations; i++)
		right += wait_in_vain(&futexes[i % FUTEXES]);
	return right == operations;
}

int main(void)
{
	/* On the heap, which glibc tags with GLIBC_TUNABLES=glibc.mem.tagging=3. */
	uint32_t *futexes = calloc(FUTEXES, sizeof(*futexes));
	bool right;

	if (!futexes || !run(futexes, FUTEXES))
		return 1;
	granule_open("futex-hash");
	right = run(futexes, OPERATIONS);
	granule_close("futex-hash");
	printf("tag %u\n", (unsigned int)((uintptr_t)futexes >> 56));
	return right ? 0 : 1;
}
