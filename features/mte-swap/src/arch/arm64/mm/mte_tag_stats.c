// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/mteswap: a line for each place that tags are kept in.
 *
 * CPUs are summed up one after the other while they go on, so figures taken under
 * load can be off by what happened meanwhile.  Both counts are exact in the end: a
 * page may be released on another CPU than it was allocated on.
 */

#include <linux/cpufeature.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/seq_file.h>

#include <asm/mte.h>

#include "mte_tag_coder.h"
#include "mte_tag_stats.h"

DEFINE_PER_CPU(struct mte_tag_stats, mte_tag_stats);

static void sum_up(struct mte_tag_stats *sum)
{
	unsigned int cpu, i;

	*sum = (struct mte_tag_stats){};
	for_each_possible_cpu(cpu) {
		const struct mte_tag_stats *one = per_cpu_ptr(&mte_tag_stats, cpu);

		for (i = 0; i < MTE_TAG_STATS_COUNT; i++) {
			sum->allocations[i] += READ_ONCE(one->allocations[i]);
			sum->releases[i] += READ_ONCE(one->releases[i]);
		}
	}
}

static size_t bytes_of(unsigned int where)
{
	if (where == MTE_TAG_STATS_VALUE)
		return 0;
	return mte_tags_class(where - MTE_TAG_STATS_BUFFER, MTE_PAGE_TAG_STORAGE);
}

static int mteswap_show(struct seq_file *file, void *unused)
{
	unsigned long live, pages = 0, stored = 0;
	struct mte_tag_stats sum;
	unsigned int i;

	sum_up(&sum);
	seq_puts(file, "class_bytes allocations releases live\n");
	for (i = 0; i < MTE_TAG_STATS_COUNT; i++) {
		if (i != MTE_TAG_STATS_VALUE && !bytes_of(i))
			break;
		live = sum.allocations[i] - sum.releases[i];
		pages += live;
		stored += live * bytes_of(i);
		seq_printf(file, "%zu %lu %lu %lu\n", bytes_of(i), sum.allocations[i],
			   sum.releases[i], live);
	}
	seq_printf(file, "uncompressed_bytes %lu\n", pages * MTE_PAGE_TAG_STORAGE);
	seq_printf(file, "stored_bytes %lu\n", stored);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(mteswap);

static int __init make_file(void)
{
	if (system_supports_mte())
		debugfs_create_file("mteswap", 0444, NULL, NULL, &mteswap_fops);
	return 0;
}
late_initcall(make_file);
