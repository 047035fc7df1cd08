/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code in which mte_tag_pack.c and mte_tag_unpack.c keep the MTE tags of a page.
 *
 * A page has a tag of four bits for each 16 bytes (a granule): 128 bytes of tags
 * for 4 KiB.  What they look like is the allocator's doing.  A heap that tags its
 * chunks, glibc's and Scudo alike, leaves the header of each chunk with tag zero,
 * so the tags are zeroes, a chunk of equal tags, zeroes, a chunk, ...:
 *
 *	glibc	30705555550c09999990e0dddddddddddddddd0
 *	Scudo	0700000f030000
 *
 * The tag of a chunk is random and takes its four bits.  How many zeroes come
 * before it can nearly always be foreseen: glibc has the header alone, Scudo
 * what is left of a slot of fixed size.  Lengths of chunks repeat.
 *
 * The code is a string of bits, the lowest first, with zeroes without end behind
 * it; whatever is read as zeroes to the end stands for "as now, up to the end of
 * the page".  So there are no counts and no end mark, and what is left over of a
 * buffer needs no length.  63 bits go into an XArray value, more take the
 * smallest buffer that holds them behind four bits that say how large it is.
 *
 *	1      FIRST (LENGTH DIFFERENCE)*	RUNS with the usual shift
 *	001 S4 FIRST (LENGTH DIFFERENCE)*	RUNS with shift S
 *	01     RULE GAP LEAD (CHUNK)*		CHUNKS
 *	(nothing)				all tags are zero
 *
 * RUNS.  FIRST is the first tag, DIFFERENCE a tag exclusive-or the one before it,
 * never 0.  LENGTH is a Rice code of length - 1: (length - 1) >> S zeroes, a one,
 * the S lower bits.  The last run has none.  It bounds what any page of few runs
 * takes: with n runs of 2^c granules, at most 4 + (n - 1) * (5 + S) + 2^(c - S)
 * bits and the prefix.  Six runs in a page of 4 KiB are 62 bits.
 *
 * CHUNKS.  GAP is how many zero tags are foreseen between two chunks:
 *
 *	1		one
 *	01 EG2(S - 2)	what is left of a slot of S granules; the first gap of the
 *			page, whose chunk may have begun before it, is EG1(gap)
 *	00 EG1(G)	always G
 *
 * RULE, two bits, says how lengths are coded, see enum length_rule; 3 is none.  LEAD
 * is 1 if the page begins with a chunk, else 0 EG2(zeroes - 1).  A CHUNK is
 *
 *	TAG LENGTH		TAG is not 0; the gap is the one foreseen
 *	0000 EG3(GAP) TAG LENGTH	another gap
 *
 * LENGTH is an index into the lengths seen lately, in unary (i zeroes, a one), or
 * as many zeroes as there are such lengths, then EGk(length - 1).  Each use of a
 * length moves it one place to the front.  The rule REPEAT has no LENGTH: a TAG
 * repeats the gap and the length before, and 0000 EG1(GAP) TAG EG2(length - 1)
 * has others; the first chunk is TAG EG4(length - 1).
 *
 * EGk(v) is an exponential Golomb code: v + 2^k has n + k + 1 bits; n zeroes, a
 * one, then all bits below the highest.
 *
 * Both ways the work is bounded by the number of granules, whatever the input, and
 * there is neither recursion nor allocation.
 */
#ifndef __ARM64_MM_MTE_TAG_CODE_H
#define __ARM64_MM_MTE_TAG_CODE_H

#include "mte_tag_coder_internal.h"
#include "mte_tag_coder.h"

#define TAG_BITS	4
#define TAG_MASK	15
#define WORD_TAGS	16		/* tags in a u64 */
#define LOW_BITS	0x1111111111111111ULL	/* the lowest of each tag */
#define MOST_ZEROES	31		/* before the one of a LENGTH in RUNS */
#define MOST_RECENT	4

#define SIZE_BITS	4		/* what a buffer begins with, see mte_tags_index() */
#define PREFIX_BITS	2
#define RULE_BITS	2
#define SHIFT_BITS	4
#define MOST_GOLOMB_ZEROES 12

enum gap_rule { GAP_ONE, GAP_SLOT, GAP_FIXED, GAP_RULES };
enum length_rule { LENGTH_SHORT, LENGTH_LONG, REPEAT, LENGTH_RULES };

/* k of the Golomb code of lengths that were not seen lately. */
static inline unsigned int golomb_k(unsigned int length_rule)
{
	return length_rule == LENGTH_LONG ? 4 : 2;
}

static inline unsigned int golomb_bits(unsigned int value, unsigned int k)
{
	return 2 * ilog2(value + (1 << k)) + 1 - k;
}

/* With it the pages of up to six runs (4 KiB), five and four are values. */
static inline unsigned int usual_shift(unsigned int count)
{
	return ilog2(count) - 3;
}

/* Lengths seen lately, those used most in front. */
struct recent {
	unsigned int count;
	u16 lengths[MOST_RECENT];
};

static inline void remember(struct recent *recent, unsigned int length)
{
	if (recent->count < MOST_RECENT)
		recent->count++;
	recent->lengths[recent->count - 1] = length;
}

/* The length at @index, now one place nearer to the front. */
static inline unsigned int use(struct recent *recent, unsigned int index)
{
	unsigned int length = recent->lengths[index];

	if (index) {
		recent->lengths[index] = recent->lengths[index - 1];
		recent->lengths[index - 1] = length;
	}
	return length;
}

/* The index of @length; the number of lengths if it is none of them. */
static inline unsigned int find(const struct recent *recent, unsigned int length)
{
	unsigned int index = 0;

	while (index < recent->count && recent->lengths[index] != length)
		index++;
	return index;
}

static inline unsigned int foreseen_gap(unsigned int rule, unsigned int gap, unsigned int length)
{
	switch (rule) {
	case GAP_ONE:
		return 1;
	case GAP_SLOT:
		return length < gap ? gap - length : 1;
	default:
		return gap;
	}
}

/**
 * struct chunk_rules - what the chunks of a page are expected to be like
 * @gap_rule: how the zero tags before a chunk are foreseen
 * @gap: what @gap_rule goes by
 * @length_rule: how the length of a chunk is coded
 */
struct chunk_rules {
	u8 gap_rule;
	u8 length_rule;
	u16 gap;
};

void mte_tags_choose_rules(const void *tags, size_t bytes, struct chunk_rules *rules);

#endif
