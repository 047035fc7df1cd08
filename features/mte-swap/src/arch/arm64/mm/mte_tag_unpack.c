// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the code of the tags of a page.  It may be anything: then it is either
 * refused or gives some tags, and nothing beyond the buffers is touched.
 */
#include "mte_tag_code.h"

/*
 * What is on the way for each chunk is inline, and what there is of it handed on by
 * value: a store to tags may alias anything whose address is known, and all of it
 * would be loaded again after each.
 */

/* ----------------------------------------------------------------- bits in */

struct source {
	const u8 *in;
	size_t size;		/* at least 8 */
	u32 at;			/* the next bit */
	u64 window;		/* the next bits, with zeroes behind the last */
};

/* Fills the window with at least 57 bits. */
static void refill(struct source *source)
{
	size_t byte = min_t(size_t, source->at / 8, source->size - 8);
	unsigned int shift = source->at - byte * 8;

	source->window = shift < 64 ? get_unaligned_le64(source->in + byte) >> shift : 0;
}

static void skip(struct source *source, unsigned int count)
{
	source->at += count;
	source->window >>= count;
}

static unsigned int take(struct source *source, unsigned int count)
{
	unsigned int value = source->window & ((1 << count) - 1);

	skip(source, count);
	return value;
}

/* Zeroes before the next one; @most + 1 if they are more than @most. */
static unsigned int zeroes_ahead(const struct source *source, unsigned int most)
{
	return __ffs64(source->window | 2ULL << most);
}

/* Takes at most 30 bits.  No page has room for what comes of too many zeroes. */
static inline unsigned int take_golomb(struct source *source, unsigned int k)
{
	unsigned int zeroes = zeroes_ahead(source, MOST_GOLOMB_ZEROES - k);
	unsigned int below = zeroes + k;

	skip(source, zeroes + 1);
	return take(source, below) + (1 << below) - (1 << k);
}

/* 0 if there is not a one any more, so that the page goes on as it is. */
static int end_of(struct source rest)
{
	for (; rest.at < rest.size * 8; rest.at += 57) {
		refill(&rest);
		if (rest.window)
			return -EINVAL;
	}
	return 0;
}

/* -------------------------------------------------------------- tags again */

/*
 * Tags are first written as differences, exclusive-or, where runs start, then
 * summed up: runs of any length take the same time.
 */
struct page_tags {
	u8 *tags;
	unsigned int count;
	unsigned int at;	/* so far */
};

static void change(struct page_tags *page, unsigned int difference)
{
	page->tags[page->at / 2] ^= difference << TAG_BITS * (page->at % 2);
}

static void sum_up(struct page_tags page)
{
	u64 last = 0;

	for (u8 *at = page.tags; at < page.tags + page.count / 2; at += sizeof(u64)) {
		u64 word = get_unaligned_le64(at);

		if (word) {
			word ^= word << 4;
			word ^= word << 8;
			word ^= word << 16;
			word ^= word << 32;
		}
		word ^= last * LOW_BITS;
		last = word >> (64 - TAG_BITS);
		put_unaligned_le64(word, at);
	}
}

/* Goes on by @count granules; false if no granule of the page is left then. */
static bool advance(struct page_tags *page, unsigned int count)
{
	if (count >= page->count - page->at)
		return false;
	page->at += count;
	return true;
}

static int take_runs(struct source *source, struct page_tags *page, unsigned int shift)
{
	unsigned int zeroes, length, difference;

	change(page, take(source, TAG_BITS));
	for (refill(source); source->window; refill(source)) {
		zeroes = zeroes_ahead(source, MOST_ZEROES);
		if (zeroes > MOST_ZEROES)
			return -EINVAL;
		skip(source, zeroes + 1);
		length = (zeroes << shift) + take(source, shift) + 1;
		difference = take(source, TAG_BITS);
		if (!advance(page, length) || !difference)
			return -EINVAL;
		change(page, difference);
	}
	return end_of(*source);
}

static unsigned int take_gap_rule(struct source *source, unsigned int *gap)
{
	if (take(source, 1)) {
		*gap = 1;
		return GAP_ONE;
	}
	if (take(source, 1)) {
		*gap = take_golomb(source, 2) + 2;
		return GAP_SLOT;
	}
	*gap = take_golomb(source, 1);
	return GAP_FIXED;
}

static unsigned int take_lead(struct source *source)
{
	unsigned int lead;

	refill(source);
	lead = take(source, 1) ? 0 : take_golomb(source, 2) + 1;
	refill(source);
	return lead;
}

/* A length, or 0 if there is none: the chunk goes up to the end of the page. */
static inline unsigned int take_length(struct source *source, struct recent *recent, unsigned int k)
{
	unsigned int index = zeroes_ahead(source, MOST_RECENT), length;

	if (index < recent->count) {
		skip(source, index + 1);
		return use(recent, index);
	}
	skip(source, recent->count);
	if (!source->window)
		return 0;
	length = take_golomb(source, k) + 1;
	remember(recent, length);
	return length;
}

/* False if there cannot be a chunk with this gap and tag: tag 0, or one with the tag before. */
static inline bool begin_chunk(struct page_tags *page, unsigned int gap, unsigned int tag,
			       unsigned int before)
{
	if (!tag || (!gap && tag == before) || !advance(page, gap))
		return false;
	change(page, tag);
	return true;
}

/*
 * The gap and tag of a chunk that are not those foreseen, behind a tag of 0; false
 * if only zeroes follow.
 */
static inline bool take_other_gap(struct source *source, unsigned int k, unsigned int *gap,
				  unsigned int *tag)
{
	if (!source->window)
		return false;
	*gap = take_golomb(source, k);
	*tag = take(source, TAG_BITS);
	refill(source);
	return true;
}

static inline int take_mixed(struct source *source, struct page_tags *page, unsigned int rule,
			     unsigned int gap, unsigned int length_rule)
{
	struct recent recent = {};
	unsigned int k = golomb_k(length_rule), before = 0, length, tag;
	unsigned int foreseen = take_lead(source);
	bool first_gap = rule == GAP_SLOT;

	for (;;) {
		tag = take(source, TAG_BITS);
		if (!tag && !take_other_gap(source, 3, &foreseen, &tag))
			return end_of(*source);
		if (!begin_chunk(page, foreseen, tag, before))
			return -EINVAL;
		length = take_length(source, &recent, k);
		if (!length)
			return end_of(*source);
		if (!advance(page, length))
			return -EINVAL;
		change(page, tag);
		before = tag;
		foreseen = foreseen_gap(rule, gap, length);
		refill(source);
		if (!first_gap)
			continue;
		if (!source->window)
			return end_of(*source);
		foreseen = take_golomb(source, 1);
		first_gap = false;
	}
}

static inline int take_repeated(struct source *source, struct page_tags *page)
{
	unsigned int gap = take_lead(source), before = 0, length = 0, k = 4, tag;

	for (;; refill(source)) {
		bool other;

		tag = take(source, TAG_BITS);
		other = !tag || !length;
		if (!tag && !take_other_gap(source, 1, &gap, &tag))
			return end_of(*source);
		if (!begin_chunk(page, gap, tag, before))
			return -EINVAL;
		if (other && !source->window)
			return end_of(*source);
		if (other)
			length = take_golomb(source, k) + 1;
		if (!advance(page, length))
			return other ? -EINVAL : end_of(*source);
		change(page, tag);
		before = tag;
		k = 2;
	}
}

static int take_chunks(struct source *source, struct page_tags *page)
{
	unsigned int length_rule = take(source, RULE_BITS), rule, gap;

	if (length_rule >= LENGTH_RULES)
		return -EINVAL;
	if (length_rule == REPEAT)
		return take_repeated(source, page);
	rule = take_gap_rule(source, &gap);
	return take_mixed(source, page, rule, gap, length_rule);
}

static int take_code(struct source *source, struct page_tags *page)
{
	refill(source);
	if (!source->window)
		return end_of(*source);
	if (take(source, 1))
		return take_runs(source, page, usual_shift(page->count));
	if (take(source, 1))
		return take_chunks(source, page);
	if (take(source, 1))
		return take_runs(source, page, take(source, SHIFT_BITS));
	return -EINVAL;
}

/* A code that ends within the first @less bits would have been put elsewhere. */
static int unpack(struct source source, u32 less, void *tags, size_t bytes)
{
	struct page_tags page = { .tags = tags, .count = bytes * 2 };
	int error;

	memset(tags, 0, bytes);
	error = take_code(&source, &page);
	if (!error && less && source.at <= less)
		error = -EINVAL;
	if (error)
		memset(tags, 0, bytes);
	else
		sum_up(page);
	return error;
}

/**
 * mte_tags_unpack_value() - the tags that mte_tags_pack() stored in a value
 * @value: of 63 bits
 * @tags: set; all zero on error
 * @bytes: of @tags
 *
 * Return: 0, or -EINVAL if no tags can have become @value
 */
int mte_tags_unpack_value(u64 value, void *tags, size_t bytes)
{
	u8 buffer[sizeof(value)];
	struct source source = { .in = buffer, .size = sizeof(buffer) };

	put_unaligned_le64(value, buffer);
	if (!(value >> MTE_TAGS_VALUE_BITS))
		return unpack(source, 0, tags, bytes);
	memset(tags, 0, bytes);
	return -EINVAL;
}

/**
 * mte_tags_unpack() - the tags that mte_tags_pack() stored in a buffer
 * @buffer: their code
 * @size: of @buffer
 * @tags: set; all zero on error
 * @bytes: of @tags
 *
 * Return: 0, or -EINVAL if no tags can have become what is in @buffer
 */
int mte_tags_unpack(const void *buffer, size_t size, void *tags, size_t bytes)
{
	struct source source = { .in = buffer, .size = size, .at = SIZE_BITS };
	u32 less = SIZE_BITS + MTE_TAGS_VALUE_BITS;
	unsigned int index;

	if (size == bytes) {
		memcpy(tags, buffer, bytes);
		return 0;
	}
	index = mte_tags_index(buffer);
	if (size > bytes || mte_tags_class(index, bytes) != size) {
		memset(tags, 0, bytes);
		return -EINVAL;
	}
	if (index)
		less = mte_tags_class(index - 1, bytes) * 8;
	return unpack(source, less, tags, bytes);
}
