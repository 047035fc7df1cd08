// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the code of the tags of a page.
 *
 * Up to six runs always fit into an XArray value as RUNS.  All else is coded as
 * CHUNKS; where that takes a buffer RUNS are tried too, which bound what pages of
 * few runs take.
 */
#include "mte_tag_walk.h"

#define INLINE_RUNS	6

/* The largest class but for tags as they are has three quarters of their bytes. */
#define LARGEST_EIGHTHS	6

/* In no form do two runs take less than the tag of one of them. */
#define MOST_VALUE_RUNS	(2 * MTE_TAGS_VALUE_BITS / TAG_BITS)

static const u16 classes[] = {
	16, 24, 32, 40, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
};

/**
 * mte_tags_class() - sizes of the buffers codes are kept in
 * @index: from 0 on
 * @bytes: of the tags of a page
 *
 * Return: the size in bytes; @bytes itself, for tags as they are, is the last, and
 * behind it is 0.
 */
size_t mte_tags_class(unsigned int index, size_t bytes)
{
	return index < ARRAY_SIZE(classes) && classes[index] <= bytes ? classes[index] : 0;
}

/**
 * mte_tags_index() - which size a buffer says it has
 * @buffer: as mte_tags_pack() filled it; not one that holds tags as they are
 *
 * Return: from 0 to 15, for mte_tags_class()
 */
unsigned int mte_tags_index(const void *buffer)
{
	return *(const u8 *)buffer & ((1 << SIZE_BITS) - 1);
}

static unsigned int index_of(u32 bits, size_t bytes)
{
	unsigned int i = 0;

	while (classes[i] < bytes && classes[i] * 8 < bits)
		i++;
	return i;
}

/* ---------------------------------------------------------------- bits out */

struct sink {
	u8 *out;
	u32 most;		/* bits; a longer code is of no use and may be broken off */
	u32 bits;
	u64 held;		/* those that are not in @out yet */
};

/* Starts, or starts again, behind what says how large the buffer is. */
static void rewind(struct sink *sink)
{
	sink->bits = SIZE_BITS;
	sink->held = 0;
}

static bool fits_value(const struct sink *sink)
{
	return sink->bits <= SIZE_BITS + MTE_TAGS_VALUE_BITS;
}

/* Adds @count bits, at most 57, of a @value that has no others. */
static inline void put(struct sink *sink, u64 value, unsigned int count)
{
	unsigned int fill = sink->bits % 64;

	sink->bits += count;
	sink->held |= value << fill;
	if (fill + count < 64)
		return;
	if (sink->bits <= sink->most)
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

static unsigned int longest_run(const void *tags, size_t bytes)
{
	unsigned int from = 0, longest = 0, at;
	struct walk walk;

	walk_start(&walk, tags, bytes);
	while ((at = walk_next(&walk)) < walk.count) {
		longest = max(longest, at - from);
		from = at;
	}
	return longest;
}

static unsigned int least_shift(unsigned int count, unsigned int runs)
{
	return ilog2(count / runs);
}

/* What RUNS take at least: no length is shorter than with zeroes before its one. */
static unsigned int least_runs_bits(unsigned int count, unsigned int runs)
{
	return 3 + SHIFT_BITS + TAG_BITS + (runs - 1) * (least_shift(count, runs) + 1 + TAG_BITS);
}

/* With which RUNS take the least, but for the one very long run. */
static unsigned int best_shift(const void *tags, size_t bytes, unsigned int runs)
{
	unsigned int longest = longest_run(tags, bytes), shift = least_shift(bytes * 2, runs);

	while (longest >> shift > MOST_ZEROES)
		shift++;
	return shift;
}

/* What put_runs() would write. */
static unsigned int runs_bits(const void *tags, size_t bytes, unsigned int shift)
{
	unsigned int bits = 3 + SHIFT_BITS + TAG_BITS, from = 0, at;
	struct walk walk;

	walk_start(&walk, tags, bytes);
	while ((at = walk_next(&walk)) < walk.count) {
		bits += ((at - from - 1) >> shift) + 1 + shift + TAG_BITS;
		from = at;
	}
	return bits;
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
		      struct chunk *chunk, const struct chunk_rules *rules)
{
	struct recent recent = {};
	unsigned int k = golomb_k(rules->length_rule), foreseen;
	bool first_gap = rules->gap_rule == GAP_SLOT;

	put_tag(sink, chunk->tag);
	while (!chunk->last && sink->bits < sink->most) {
		put_length(sink, &recent, k, chunk->length);
		foreseen = foreseen_gap(rules->gap_rule, rules->gap, chunk->length);
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
	for (before = *chunk; !chunk->last && sink->bits < sink->most; before = *chunk) {
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

static void put_chunks(struct sink *sink, const void *tags, size_t bytes)
{
	struct chunk_rules rules;
	struct walk walk;
	struct chunk chunk;
	unsigned int at = 0;

	mte_tags_choose_rules(tags, bytes, &rules);
	walk_start(&walk, tags, bytes);
	if (!next_chunk(&walk, &at, &chunk))
		return;
	put(sink, 2, PREFIX_BITS);
	put(sink, rules.length_rule, RULE_BITS);
	if (rules.length_rule != REPEAT)
		put_gap_rule(sink, rules.gap_rule, rules.gap);
	put_lead(sink, chunk.gap);
	if (rules.length_rule == REPEAT)
		put_repeated(sink, &walk, at, &chunk);
	else
		put_mixed(sink, &walk, at, &chunk, &rules);
}

/* --------------------------------------------------------------- the whole */

/*
 * The code of a page that is not all zero.  Beyond a fifth of the granules RUNS are
 * not even tried: each run takes six bits and more.
 */
static enum mte_tags_form put_shortest(struct sink *sink, const void *tags, size_t bytes,
				       unsigned int runs)
{
	unsigned int count = bytes * 2, shift;

	rewind(sink);
	if (runs <= INLINE_RUNS) {
		put_runs(sink, tags, bytes, usual_shift(count));
		if (fits_value(sink))
			return MTE_TAGS_RUNS;
		rewind(sink);
	}
	put_chunks(sink, tags, bytes);
	if (fits_value(sink) || runs > count / 5)
		return MTE_TAGS_CHUNKS;
	if (least_runs_bits(count, runs) >= sink->bits)
		return MTE_TAGS_CHUNKS;
	shift = best_shift(tags, bytes, runs);
	if (SIZE_BITS + runs_bits(tags, bytes, shift) >= sink->bits)
		return MTE_TAGS_CHUNKS;
	rewind(sink);
	put_runs(sink, tags, bytes, shift);
	return MTE_TAGS_RUNS;
}

/* Writes what is held, and zeroes up to @bytes. */
static void finish(const struct sink *sink, size_t bytes)
{
	size_t done = sink->bits / 64 * 8;

	if (done == bytes)
		return;
	memset(sink->out + done, 0, bytes - done);
	put_unaligned_le64(sink->held, sink->out + done);
}

/* All of a code that fits. */
static u64 value_of(const struct sink *sink)
{
	if (sink->bits < 64)
		return sink->held >> SIZE_BITS;
	return get_unaligned_le64(sink->out) >> SIZE_BITS | sink->held << (64 - SIZE_BITS);
}

static bool all_zero(const void *tags, unsigned int runs)
{
	return runs == 1 && !(*(const u8 *)tags & TAG_MASK);
}

static void pack_buffer(const struct sink *sink, const void *tags, size_t bytes,
			struct mte_tags_code *code)
{
	code->index = index_of(sink->bits, bytes);
	code->bytes = classes[code->index];
	if (code->bytes < bytes) {
		finish(sink, code->bytes);
		*sink->out |= code->index;
		return;
	}
	memcpy(sink->out, tags, bytes);
	code->form = MTE_TAGS_RAW;
	code->bits = bytes * 8;
}

/**
 * mte_tags_pack() - store the tags of a page
 * @tags: as mte_save_page_tags() leaves them
 * @bytes: of @tags: 128, 512 or 2048
 * @buffer: of @bytes; its first @code->bytes are to be kept
 * @code: set
 */
void mte_tags_pack(const void *tags, size_t bytes, void *buffer, struct mte_tags_code *code)
{
	struct sink sink = { .out = buffer, .most = bytes * LARGEST_EIGHTHS + 1 };
	unsigned int runs = count_runs(tags, bytes);

	*code = (struct mte_tags_code){ .form = MTE_TAGS_NONE };
	if (all_zero(tags, runs))
		return;
	code->form = put_shortest(&sink, tags, bytes, runs);
	code->bits = sink.bits - SIZE_BITS;
	if (fits_value(&sink))
		code->value = value_of(&sink);
	else
		pack_buffer(&sink, tags, bytes, code);
}

/**
 * mte_tags_pack_value() - store the tags of a page in an XArray value
 * @tags: as mte_save_page_tags() leaves them
 * @bytes: of @tags: 128, 512 or 2048
 * @value: set to MTE_TAGS_VALUE_BITS bits, those mte_tags_pack() has for these tags
 *
 * Return: whether they fit
 */
bool mte_tags_pack_value(const void *tags, size_t bytes, u64 *value)
{
	u8 out[2 * sizeof(u64)];
	struct sink sink = { .out = out, .most = sizeof(out) * 8 };
	unsigned int runs = count_runs(tags, bytes);

	*value = 0;
	if (all_zero(tags, runs))
		return true;
	if (runs > MOST_VALUE_RUNS)
		return false;
	put_shortest(&sink, tags, bytes, runs);
	if (!fits_value(&sink))
		return false;
	*value = value_of(&sink);
	return true;
}
