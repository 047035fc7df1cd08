// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the code of the tags of a page, or counts its bits.
 */
#include "mte_tag_walk.h"

/* ---------------------------------------------------------------- bits out */

struct sink {
	u8 *out;		/* NULL to count only */
	u64 held;
	u32 bits;
	u32 most;		/* a code with more is of no use */
};

/* Adds @count bits, at most 57, of a @value that has no others. */
static void put(struct sink *sink, u64 value, unsigned int count)
{
	unsigned int fill = sink->bits % 64;

	sink->bits += count;
	sink->held |= value << fill;
	if (fill + count < 64)
		return;
	if (sink->out)
		put_unaligned_le64(sink->held, sink->out + (sink->bits / 64 - 1) * 8);
	sink->held = fill ? value >> (64 - fill) : 0;
}

static void put_tag(struct sink *sink, unsigned int tag)
{
	put(sink, tag, TAG_BITS);
}

static void put_golomb(struct sink *sink, unsigned int value, unsigned int k)
{
	unsigned int shifted = value + (1 << k);
	unsigned int below = ilog2(shifted);
	unsigned int zeroes = below - k;

	put(sink, ((u64)(shifted - (1 << below)) << 1 | 1) << zeroes, zeroes + 1 + below);
}

/* -------------------------------------------------------------------- RUNS */

static void put_runs(struct sink *sink, const void *tags, size_t bytes, unsigned int shift)
{
	unsigned int from = 0, at, tag;
	struct walk walk;

	walk_start(&walk, tags, bytes);
	tag = tag_at(&walk, 0);
	if (shift == usual_shift(walk.count))
		put(sink, 1, 1);
	else
		put(sink, shift << 3 | 4, 3 + SHIFT_BITS);
	put_tag(sink, tag);
	while ((at = walk_next(&walk)) < walk.count) {
		unsigned int length = at - from - 1, zeroes = length >> shift;
		unsigned int low = length & ((1 << shift) - 1);

		put(sink, ((u64)low << 1 | 1) << zeroes, zeroes + 1 + shift);
		put_tag(sink, tag ^ tag_at(&walk, at));
		tag = tag_at(&walk, at);
		from = at;
	}
}

/* ------------------------------------------------------------------ CHUNKS */

static void put_gap_rule(struct sink *sink, unsigned int rule, unsigned int gap)
{
	switch (rule) {
	case GAP_ONE:
		put(sink, 1, 1);
		break;
	case GAP_SLOT:
		put(sink, 2, 2);
		put_golomb(sink, gap - 2, 2);
		break;
	default:
		put(sink, 0, 2);
		put_golomb(sink, gap, 1);
	}
}

static void put_lead(struct sink *sink, unsigned int zeroes)
{
	put(sink, !zeroes, 1);
	if (zeroes)
		put_golomb(sink, zeroes - 1, 2);
}

static void put_length(struct sink *sink, struct recent *recent, unsigned int k,
		       unsigned int length)
{
	unsigned int index = find(recent, length);

	if (index < recent->count) {
		put(sink, 1ULL << index, index + 1);
		use(recent, index);
		return;
	}
	put(sink, 0, recent->count);
	put_golomb(sink, length - 1, k);
	remember(recent, length);
}

static void put_mixed(struct sink *sink, struct walk *walk, unsigned int at,
		      struct chunk *chunk, const struct mte_tags_plan *plan)
{
	struct recent recent = { .most = most_recent(plan->length_rule) };
	unsigned int k = golomb_k(plan->length_rule), foreseen;
	bool first_gap = plan->gap_rule == GAP_SLOT;

	put_tag(sink, chunk->tag);
	while (!chunk->last && sink->bits <= sink->most) {
		put_length(sink, &recent, k, chunk->length);
		foreseen = foreseen_gap(plan->gap_rule, plan->gap, chunk->length);
		if (!next_chunk(walk, &at, chunk))
			return;
		if (first_gap) {
			put_golomb(sink, chunk->gap, 1);
			first_gap = false;
		} else if (chunk->gap != foreseen) {
			put_tag(sink, 0);
			put_golomb(sink, chunk->gap, 3);
		}
		put_tag(sink, chunk->tag);
	}
}

/* Whether @chunk is like the one before it, as far as the page goes. */
static bool repeats(const struct chunk *chunk, const struct chunk *before)
{
	if (chunk->gap != before->gap)
		return false;
	return chunk->last ? chunk->length <= before->length : chunk->length == before->length;
}

static void put_repeated(struct sink *sink, struct walk *walk, unsigned int at,
			 struct chunk *chunk)
{
	struct chunk before;

	put_tag(sink, chunk->tag);
	if (!chunk->last)
		put_golomb(sink, chunk->length - 1, 4);
	for (before = *chunk; !chunk->last && sink->bits <= sink->most; before = *chunk) {
		if (!next_chunk(walk, &at, chunk))
			return;
		if (repeats(chunk, &before)) {
			put_tag(sink, chunk->tag);
			continue;
		}
		put_tag(sink, 0);
		put_golomb(sink, chunk->gap, 1);
		put_tag(sink, chunk->tag);
		if (!chunk->last)
			put_golomb(sink, chunk->length - 1, 2);
	}
}

static void put_chunks(struct sink *sink, const void *tags, size_t bytes,
		       const struct mte_tags_plan *plan)
{
	struct walk walk;
	struct chunk chunk;
	unsigned int at = 0;

	walk_start(&walk, tags, bytes);
	if (!next_chunk(&walk, &at, &chunk))
		return;
	put(sink, 2, PREFIX_BITS);
	put(sink, plan->length_rule, RULE_BITS);
	if (plan->length_rule != REPEAT)
		put_gap_rule(sink, plan->gap_rule, plan->gap);
	put_lead(sink, chunk.gap);
	if (plan->length_rule == REPEAT)
		put_repeated(sink, &walk, at, &chunk);
	else
		put_mixed(sink, &walk, at, &chunk, plan);
}

/* --------------------------------------------------------------- the whole */

static void put_code(struct sink *sink, const void *tags, size_t bytes,
		     const struct mte_tags_plan *plan)
{
	if (plan->form == MTE_TAGS_RUNS)
		put_runs(sink, tags, bytes, plan->shift);
	else if (plan->form == MTE_TAGS_CHUNKS)
		put_chunks(sink, tags, bytes, plan);
}

/* How long the code is; any number above that of @bytes if it is longer than they. */
u32 mte_tags_count_bits(const void *tags, size_t bytes, const struct mte_tags_plan *plan)
{
	struct sink sink = { .most = bytes * 8 };

	put_code(&sink, tags, bytes, plan);
	return sink.bits;
}

/**
 * mte_tags_pack_value() - store tags in an XArray value
 * @tags: those that were planned for
 * @bytes: of @tags
 * @plan: with @plan->bytes of 0
 *
 * Return: the value, of 63 bits
 */
u64 mte_tags_pack_value(const void *tags, size_t bytes, const struct mte_tags_plan *plan)
{
	struct sink sink = { .most = UINT_MAX };

	put_code(&sink, tags, bytes, plan);
	return sink.held;
}

/**
 * mte_tags_pack() - store tags in a buffer
 * @tags: those that were planned for
 * @bytes: of @tags
 * @plan: with @plan->bytes above 0
 * @buffer: of @plan->bytes, all of which are written
 */
void mte_tags_pack(const void *tags, size_t bytes, const struct mte_tags_plan *plan,
		   void *buffer)
{
	struct sink sink = { .out = buffer, .most = UINT_MAX };
	size_t done;

	if (plan->form == MTE_TAGS_RAW) {
		memcpy(buffer, tags, bytes);
		return;
	}
	put_code(&sink, tags, bytes, plan);
	done = sink.bits / 64 * 8;
	memset(buffer + done, 0, plan->bytes - done);
	if (done < plan->bytes)
		put_unaligned_le64(sink.held, buffer + done);
}

