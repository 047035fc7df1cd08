// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums that run through tagged memory: every access of the loop is checked.
 *
 *	checked-loop [COUNT]
 *
 * makes COUNT loads and as many stores, 10 million unless told.
 */
#pragma GCC target("arch=armv8.5-a+memtag")

#include <stddef.h>

#include <granule.h>

#include "tagged-memory.h"

#define TAG	5

/* One load and one store for each element; all else is in registers. */
static void running_sum(volatile uint64_t *numbers, size_t count)
{
	for (size_t i = 1; i < count; i++)
		numbers[i] += i;
}

int main(int argc, char **argv)
{
	size_t accesses = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000000;
	size_t count = page_size() / sizeof(uint64_t);
	volatile uint64_t *numbers;

	need_memory_tagging();
	set_tag_faults(PR_MTE_TCF_SYNC);
	numbers = (volatile uint64_t *)tagged_page(TAG);
	granule_open("checked-loop");
	for (size_t done = 0; done < accesses; done += count - 1)
		running_sum(numbers, count);
	granule_close("checked-loop");
	return 0;
}
