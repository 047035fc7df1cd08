// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tags that are kept come back as they were, and what cannot be tags is refused.
 *
 * The coder is tested far more thoroughly in user space; here it is what the kernel's
 * compiler made of it, for pages of all sizes, and the store with real pages.
 */

#include <kunit/test.h>
#include <linux/cpufeature.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <linux/swap.h>
#include <linux/swapops.h>

#include <asm/mte.h>

#include "mte_tag_coder.h"
#include "mte_tag_stats.h"
#include "mte_tag_store.h"

#define MOST_BYTES	2048	/* of the tags of a page of 64 KiB */
#define ROUNDS		2000

static const size_t sizes[] = { 128, 512, 2048 };

struct memory {
	struct rnd_state random;
	u8 *tags;
	u8 *back;
	u8 *buffer;
};

static int memory_init(struct kunit *test)
{
	struct memory *memory = kunit_kzalloc(test, sizeof(*memory), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	memory->tags = kunit_kzalloc(test, MOST_BYTES, GFP_KERNEL);
	memory->back = kunit_kzalloc(test, MOST_BYTES, GFP_KERNEL);
	memory->buffer = kunit_kzalloc(test, MOST_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, memory->tags);
	KUNIT_ASSERT_NOT_NULL(test, memory->back);
	KUNIT_ASSERT_NOT_NULL(test, memory->buffer);
	prandom_seed_state(&memory->random, 0x6d7465);
	test->priv = memory;
	return 0;
}

static u32 below(struct memory *memory, u32 most)
{
	return prandom_u32_state(&memory->random) % most;
}

static void set_tag(struct memory *memory, unsigned int at, unsigned int tag)
{
	unsigned int shift = at % 2 * 4;
	u8 *both = &memory->tags[at / 2];

	*both = (*both & ~(15 << shift)) | tag << shift;
}

/* Chunks of a few lengths, zeroes between them, from time to time nothing but runs. */
static void make_tags(struct memory *memory, size_t bytes)
{
	unsigned int longest = 1 << below(memory, 11), gap = below(memory, 4), at = 0;
	unsigned int lengths[] = { 1 + below(memory, longest), 1 + below(memory, longest) };

	memset(memory->tags, 0, bytes);
	while (at < bytes * 2) {
		unsigned int length = lengths[below(memory, 2)], tag = below(memory, 16);

		while (length-- && at < bytes * 2)
			set_tag(memory, at++, tag);
		at += gap;
	}
}

/* In a buffer that is as large as it says, so that KASAN sees what goes beyond it. */
static int unpack(struct kunit *test, const struct mte_tags_code *code, size_t bytes)
{
	struct memory *memory = test->priv;
	void *kept;
	int error;

	if (!code->bytes)
		return mte_tags_unpack_value(code->value, memory->back, bytes);
	kept = kmemdup(memory->buffer, code->bytes, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, kept);
	error = mte_tags_unpack(kept, code->bytes, memory->back, bytes);
	kfree(kept);
	return error;
}

static void round_trip(struct kunit *test, size_t bytes)
{
	struct memory *memory = test->priv;
	struct mte_tags_code code;
	u64 value;

	mte_tags_pack(memory->tags, bytes, memory->buffer, &code);
	KUNIT_EXPECT_EQ(test, !code.bytes, mte_tags_pack_value(memory->tags, bytes, &value));
	if (!code.bytes)
		KUNIT_EXPECT_EQ(test, code.value, value);
	else
		KUNIT_EXPECT_EQ(test, code.bytes, mte_tags_class(code.index, bytes));
	KUNIT_EXPECT_EQ(test, unpack(test, &code, bytes), 0);
	KUNIT_EXPECT_MEMEQ(test, memory->back, memory->tags, bytes);
}

static void tags_come_back(struct kunit *test)
{
	struct memory *memory = test->priv;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		for (unsigned int round = 0; round < ROUNDS; round++) {
			make_tags(memory, sizes[i]);
			round_trip(test, sizes[i]);
		}
}

static void random_tags_come_back(struct kunit *test)
{
	struct memory *memory = test->priv;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		prandom_bytes_state(&memory->random, memory->tags, sizes[i]);
		round_trip(test, sizes[i]);
	}
}

/* A slot of an XArray for what takes 63 bits, and no page takes more than its tags. */
static void pages_take_what_they_should(struct kunit *test)
{
	struct memory *memory = test->priv;
	struct mte_tags_code code;

	mte_tags_pack(memory->tags, 128, memory->buffer, &code);
	KUNIT_EXPECT_EQ(test, code.bytes, 0);
	KUNIT_EXPECT_EQ(test, code.value, 0);
	for (unsigned int at = 40; at < 256; at += 43)
		set_tag(memory, at, at % 15 + 1);
	mte_tags_pack(memory->tags, 128, memory->buffer, &code);
	KUNIT_EXPECT_LE(test, code.bytes, 16);
	prandom_bytes_state(&memory->random, memory->tags, 128);
	mte_tags_pack(memory->tags, 128, memory->buffer, &code);
	KUNIT_EXPECT_EQ(test, code.bytes, 128);
}

/* Whatever it says, nothing beyond the buffer is read, and tags are zero on error. */
static void anything_can_be_unpacked(struct kunit *test)
{
	struct memory *memory = test->priv;
	unsigned int refused = 0;

	for (unsigned int round = 0; round < ROUNDS; round++) {
		size_t bytes = sizes[round % ARRAY_SIZE(sizes)];
		struct mte_tags_code code = { .index = below(memory, 7) };

		code.bytes = mte_tags_class(code.index, bytes);
		prandom_bytes_state(&memory->random, memory->buffer, code.bytes);
		*memory->buffer = (*memory->buffer & 0xf0) | code.index;
		if (!unpack(test, &code, bytes))
			continue;
		refused++;
		KUNIT_EXPECT_NULL(test, memchr_inv(memory->back, 0, bytes));
	}
	KUNIT_EXPECT_GT(test, refused, ROUNDS / 2);
}

static void wrong_values_are_refused(struct kunit *test)
{
	struct memory *memory = test->priv;

	/* 64 bits; no form begins like this; runs with a tag that does not change */
	KUNIT_EXPECT_EQ(test, mte_tags_unpack_value(BIT_ULL(63), memory->back, 128), -EINVAL);
	KUNIT_EXPECT_EQ(test, mte_tags_unpack_value(8, memory->back, 128), -EINVAL);
	KUNIT_EXPECT_EQ(test, mte_tags_unpack_value(1 | 5 << 1 | 1 << 5, memory->back, 128),
			-EINVAL);
}

static struct page *page_of_user(struct kunit *test)
{
	struct page *page = alloc_page(GFP_HIGHUSER_MOVABLE);

	KUNIT_ASSERT_NOT_NULL(test, page);
	return page;
}

static void keep_and_give_back(struct kunit *test)
{
	struct page *from = page_of_user(test), *to = page_of_user(test);
	struct memory *memory = test->priv;
	void *entry;

	mte_tags_set(from, memory->tags);
	KUNIT_EXPECT_TRUE(test, page_mte_tagged(from));
	entry = mte_tags_keep(from);
	KUNIT_EXPECT_NOT_NULL(test, entry);
	if (entry) {
		mte_tags_give_back(entry, to);
		KUNIT_EXPECT_TRUE(test, page_mte_tagged(to));
		mte_save_page_tags(page_address(to), memory->back);
		KUNIT_EXPECT_MEMEQ(test, memory->back, memory->tags, MTE_PAGE_TAG_STORAGE);
	}
	mte_tags_release(entry);
	__free_page(from);
	__free_page(to);
}

static void pages_get_their_tags_back(struct kunit *test)
{
	struct memory *memory = test->priv;

	if (!system_supports_mte())
		kunit_skip(test, "no memory tagging");
	keep_and_give_back(test);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		make_tags(memory, MTE_PAGE_TAG_STORAGE);
		keep_and_give_back(test);
	}
	prandom_bytes_state(&memory->random, memory->tags, MTE_PAGE_TAG_STORAGE);
	keep_and_give_back(test);
}

static void nothing_can_be_released(struct kunit *test)
{
	mte_tags_release(NULL);
}

/* What follows goes the way of swap, with slots of a device that there is not. */
#define NO_DEVICE	(MAX_SWAPFILES - 1)
#define ORDER		2

#ifdef CONFIG_DEBUG_FS
/* Pages whose tags are kept; no other page is swapped out while the kernel boots. */
static unsigned long live_pages(void)
{
	unsigned long live = 0;
	unsigned int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < MTE_TAG_STATS_COUNT; i++)
			live += per_cpu(mte_tag_stats.allocations[i], cpu) -
				per_cpu(mte_tag_stats.releases[i], cpu);
	return live;
}
#else
static unsigned long live_pages(void)
{
	return 0;
}
#endif

static unsigned long expected_live(unsigned long pages)
{
	return IS_ENABLED(CONFIG_DEBUG_FS) ? pages : 0;
}

/* In the slots from @offset on. */
static struct folio *folio_for_swap(struct kunit *test, unsigned int order, pgoff_t offset)
{
	struct folio *folio = folio_alloc(GFP_HIGHUSER_MOVABLE, order);

	KUNIT_ASSERT_NOT_NULL(test, folio);
	folio->swap = swp_entry(NO_DEVICE, offset);
	return folio;
}

static void put_folio(struct folio *folio)
{
	folio->swap.val = 0;
	folio_put(folio);
}

/* Tags that only this page has. */
static void make_tags_of(struct memory *memory, unsigned int number)
{
	prandom_seed_state(&memory->random, number);
	make_tags(memory, MTE_PAGE_TAG_STORAGE);
	set_tag(memory, 0, number % 16);
}

static void clear_pages(struct folio *folio)
{
	for (long i = 0; i < folio_nr_pages(folio); i++)
		clear_highpage(folio_page(folio, i));
}

/* Page 1 of a folio is not tagged. */
static void tag_pages(struct kunit *test, struct folio *folio, unsigned int number)
{
	struct memory *memory = test->priv;

	clear_pages(folio);
	for (long i = 0; i < folio_nr_pages(folio); i++) {
		make_tags_of(memory, number + i);
		if (i != 1)
			mte_tags_set(folio_page(folio, i), memory->tags);
	}
}

static void expect_tags(struct kunit *test, struct folio *folio, unsigned int number)
{
	struct memory *memory = test->priv;

	for (long i = 0; i < folio_nr_pages(folio); i++) {
		struct page *page = folio_page(folio, i);

		KUNIT_EXPECT_EQ(test, page_mte_tagged(page), i != 1);
		if (i == 1)
			continue;
		make_tags_of(memory, number + i);
		mte_save_page_tags(page_address(page), memory->back);
		KUNIT_EXPECT_MEMEQ(test, memory->back, memory->tags, MTE_PAGE_TAG_STORAGE);
	}
}

static void expect_back(struct kunit *test, unsigned int order, pgoff_t offset,
			unsigned int number)
{
	struct folio *folio = folio_for_swap(test, order, offset);

	clear_pages(folio);
	arch_swap_restore(folio->swap, folio);
	expect_tags(test, folio, number);
	put_folio(folio);
}

/* Each slot is released alone, whatever the folio was. */
static void folios_get_their_tags_back(struct kunit *test)
{
	unsigned long live = live_pages();

	if (!system_supports_mte())
		kunit_skip(test, "no memory tagging");
	for (unsigned int number = 0; number < ROUNDS; number += 7) {
		struct folio *folio = folio_for_swap(test, ORDER, number);

		tag_pages(test, folio, number);
		KUNIT_EXPECT_EQ(test, arch_prepare_to_swap(folio), 0);
		put_folio(folio);
		expect_back(test, ORDER, number, number);
		/* Folios are split, and read as others than they were written. */
		expect_back(test, 0, number, number);
		KUNIT_EXPECT_EQ(test, live_pages() - live, expected_live((1 << ORDER) - 1));
		for (unsigned int i = 0; i < 1 << ORDER; i++)
			arch_swap_invalidate_page(NO_DEVICE, number + i);
		KUNIT_EXPECT_EQ(test, live_pages(), live);
	}
}

/* Swapped out again without having been read: tags are the last, kept once. */
static void entries_are_replaced(struct kunit *test)
{
	unsigned long live = live_pages();
	struct folio *folio;

	if (!system_supports_mte())
		kunit_skip(test, "no memory tagging");
	folio = folio_for_swap(test, 0, 0);
	for (unsigned int number = 0; number < ROUNDS; number += 7) {
		struct memory *memory = test->priv;

		make_tags_of(memory, number);
		if (number)
			mte_restore_page_tags(page_address(&folio->page), memory->tags);
		else
			mte_tags_set(&folio->page, memory->tags);
		KUNIT_EXPECT_EQ(test, arch_prepare_to_swap(folio), 0);
		expect_back(test, 0, 0, number);
		KUNIT_EXPECT_EQ(test, live_pages() - live, expected_live(1));
	}
	put_folio(folio);
	arch_swap_invalidate_page(NO_DEVICE, 0);
	KUNIT_EXPECT_EQ(test, live_pages(), live);
}

static void expect_nothing_back(struct kunit *test, pgoff_t offset)
{
	struct folio *folio = folio_for_swap(test, 0, offset);

	arch_swap_restore(folio->swap, folio);
	KUNIT_EXPECT_FALSE(test, page_mte_tagged(&folio->page));
	put_folio(folio);
}

/* The last slot of one device and the first of the next are neighbours. */
static void areas_are_invalidated(struct kunit *test)
{
	unsigned long live = live_pages();
	struct folio *folio;

	if (!system_supports_mte())
		kunit_skip(test, "no memory tagging");
	folio = folio_for_swap(test, 0, 0);
	tag_pages(test, folio, 0);
	for (pgoff_t offset = 0; offset < 1 << 20; offset += offset / 2 + 1) {
		folio->swap = swp_entry(NO_DEVICE, offset);
		KUNIT_EXPECT_EQ(test, arch_prepare_to_swap(folio), 0);
	}
	folio->swap = swp_entry(NO_DEVICE - 1, SWP_OFFSET_MASK);
	KUNIT_EXPECT_EQ(test, arch_prepare_to_swap(folio), 0);
	put_folio(folio);

	arch_swap_invalidate_area(NO_DEVICE);
	KUNIT_EXPECT_EQ(test, live_pages() - live, expected_live(1));
	for (pgoff_t offset = 0; offset < 1 << 20; offset += offset / 2 + 1)
		expect_nothing_back(test, offset);
	arch_swap_invalidate_area(NO_DEVICE - 1);
	KUNIT_EXPECT_EQ(test, live_pages(), live);
}

static struct kunit_case mte_tag_store_cases[] = {
	KUNIT_CASE(tags_come_back),
	KUNIT_CASE(random_tags_come_back),
	KUNIT_CASE(pages_take_what_they_should),
	KUNIT_CASE(anything_can_be_unpacked),
	KUNIT_CASE(wrong_values_are_refused),
	KUNIT_CASE_SLOW(pages_get_their_tags_back),
	KUNIT_CASE(nothing_can_be_released),
	KUNIT_CASE(folios_get_their_tags_back),
	KUNIT_CASE(entries_are_replaced),
	KUNIT_CASE(areas_are_invalidated),
	{}
};

static struct kunit_suite mte_tag_store_suite = {
	.name = "mte-tag-store",
	.init = memory_init,
	.test_cases = mte_tag_store_cases,
};

kunit_test_suite(mte_tag_store_suite);
