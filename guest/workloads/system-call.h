/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shared half of the system call workloads: one file each says which call.
 *
 * The call is a raw SVC, so no C library is counted, and the number of
 * iterations is fixed, so that two kernels do the same work.
 */
#ifndef GRANULE_SYSTEM_CALL_H
#define GRANULE_SYSTEM_CALL_H

#include <granule.h>

#define ITERATIONS	1000
/* The first calls fault in pages and fill caches; they are not measured. */
#define WARM_UP		16

static inline __attribute__((always_inline)) long system_call(long number)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = 0;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8) : "memory");
	return x0;
}

static inline void measure_system_call(const char *region, long number)
{
	for (int i = 0; i < WARM_UP; i++)
		system_call(number);

	granule_open(region);
	for (int i = 0; i < ITERATIONS; i++) {
		system_call(number);
		granule_iteration(region);
	}
	granule_close(region);
}

#endif
