/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The runs of equal tags of a page, and the chunks of a heap, one after the other.
 */
#ifndef __ARM64_MM_MTE_TAG_WALK_H
#define __ARM64_MM_MTE_TAG_WALK_H

#include "mte_tag_code.h"

struct walk {
	const u8 *tags;
	unsigned int count;	/* tags of the page */
	unsigned int base;	/* the first tag of the next word */
	u64 edges;		/* where tags change in the word before base */
	u64 last;		/* the last tag before base */
};

/* Has the lowest bit set of each tag that differs from the one before. */
static inline u64 edges_of(u64 word, u64 last)
{
	u64 changed = word ^ (word << TAG_BITS | last);

	changed |= changed >> 2;
	changed |= changed >> 1;
	return changed & LOW_BITS;
}

static inline unsigned int tag_at(const struct walk *walk, unsigned int at)
{
	return walk->tags[at / 2] >> TAG_BITS * (at % 2) & TAG_MASK;
}

/* The first run starts at 0, which is not told. */
static inline void walk_start(struct walk *walk, const void *tags, size_t bytes)
{
	*walk = (struct walk){ .tags = tags, .count = bytes * 2 };
	walk->last = tag_at(walk, 0);
}

/* Where the next run starts; the end of the page after the last. */
static inline unsigned int walk_next(struct walk *walk)
{
	unsigned int at;

	while (!walk->edges) {
		u64 word;

		if (walk->base == walk->count)
			return walk->count;
		word = get_unaligned_le64(walk->tags + walk->base / 2);
		walk->edges = edges_of(word, walk->last);
		walk->last = word >> (64 - TAG_BITS);
		walk->base += WORD_TAGS;
	}
	at = walk->base - WORD_TAGS + __ffs64(walk->edges) / TAG_BITS;
	walk->edges &= walk->edges - 1;
	return at;
}

/* All sixteen counters of four bits, of at most 15, added up. */
static inline unsigned int add_counters(u64 counters)
{
	const u64 every_other = 0x0f0f0f0f0f0f0f0fULL;

	return ((counters & every_other) + (counters >> 4 & every_other)) *
		0x0101010101010101ULL >> 56;
}

static inline unsigned int count_runs(const void *tags, size_t bytes)
{
	const u8 *at = tags, *end = at + bytes;
	u64 last = *at & TAG_MASK;
	unsigned int runs = 1;

	/* The smallest page has sixteen words; eight cannot overflow a counter. */
	while (at < end) {
		u64 edges = 0;

		for (unsigned int i = 0; i < 8; i++, at += sizeof(u64)) {
			u64 word = get_unaligned_le64(at);

			edges += edges_of(word, last);
			last = word >> (64 - TAG_BITS);
		}
		runs += add_counters(edges);
	}
	return runs;
}

struct chunk {
	unsigned int gap;	/* zero tags before it */
	unsigned int tag;
	unsigned int length;
	bool last;		/* up to the end of the page */
};

/*
 * The chunk that begins with the run at @at, which is moved behind it; false if
 * there are only zeroes.
 */
static inline bool next_chunk(struct walk *walk, unsigned int *at, struct chunk *chunk)
{
	unsigned int from = *at;

	if (from == walk->count)
		return false;
	if (!tag_at(walk, from))
		from = walk_next(walk);
	if (from == walk->count)
		return false;
	chunk->gap = from - *at;
	chunk->tag = tag_at(walk, from);
	*at = walk_next(walk);
	chunk->length = *at - from;
	chunk->last = *at == walk->count;
	return true;
}

#endif
