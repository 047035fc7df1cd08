/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the tags of swapped pages are kept: what mteswap.c has in its XArray.
 */
#ifndef __ARM64_MM_MTE_TAG_STORE_H
#define __ARM64_MM_MTE_TAG_STORE_H

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <asm/mte.h>

/*
 * Reclaim swaps out with PF_MEMALLOC, which lets any other allocation use up
 * the last of memory.  As in add_to_swap(), have a part of the reserves and no
 * more: a page whose tags cannot be saved stays in memory.  Nothing sleeps.
 */
#define MTE_SWAP_GFP	(__GFP_HIGH | __GFP_NOMEMALLOC | __GFP_NOWARN)

/* Gives @page its tags; nobody can see the page tagged before it has them. */
static inline void mte_tags_set(struct page *page, const void *tags)
{
	if (!try_page_mte_tagging(page))
		return;
	mte_restore_page_tags(page_address(page), tags);
	set_page_mte_tagged(page);
}

#ifdef CONFIG_ARM64_MTE_SWAP_COMPRESS

void *mte_tags_keep(struct page *page);
void mte_tags_give_back(void *entry, struct page *page);
void mte_tags_release(void *entry);

#else

/* The tags of @page as an entry for an XArray; NULL without memory. */
static inline void *mte_tags_keep(struct page *page)
{
	void *tags = kmalloc(MTE_PAGE_TAG_STORAGE, MTE_SWAP_GFP);

	if (tags)
		mte_save_page_tags(page_address(page), tags);
	return tags;
}

static inline void mte_tags_give_back(void *entry, struct page *page)
{
	mte_tags_set(page, entry);
}

static inline void mte_tags_release(void *entry)
{
	kfree(entry);
}

#endif

#endif
