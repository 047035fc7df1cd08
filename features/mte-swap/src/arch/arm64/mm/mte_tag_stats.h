/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many pages have their tags kept in what: /sys/kernel/debug/mteswap.
 */
#ifndef __ARM64_MM_MTE_TAG_STATS_H
#define __ARM64_MM_MTE_TAG_STATS_H

#include <linux/percpu.h>
#include <linux/preempt.h>

#define MTE_TAG_CLASSES	16	/* see mte_tags_class(); at most */

enum {
	MTE_TAG_STATS_VALUE,	/* in the XArray slot */
	MTE_TAG_STATS_BUFFER,	/* + the index of the class */
	MTE_TAG_STATS_COUNT = MTE_TAG_STATS_BUFFER + MTE_TAG_CLASSES,
};

#ifdef CONFIG_DEBUG_FS

struct mte_tag_stats {
	unsigned long allocations[MTE_TAG_STATS_COUNT];
	unsigned long releases[MTE_TAG_STATS_COUNT];
};

DECLARE_PER_CPU(struct mte_tag_stats, mte_tag_stats);

/* this_cpu_inc() would be an atomic operation, for each page. */
static inline void mte_tag_stats_allocated(unsigned int where)
{
	preempt_disable();
	__this_cpu_inc(mte_tag_stats.allocations[where]);
	preempt_enable();
}

static inline void mte_tag_stats_released(unsigned int where)
{
	preempt_disable();
	__this_cpu_inc(mte_tag_stats.releases[where]);
	preempt_enable();
}

#else

static inline void mte_tag_stats_allocated(unsigned int where) {}
static inline void mte_tag_stats_released(unsigned int where) {}

#endif

#endif
