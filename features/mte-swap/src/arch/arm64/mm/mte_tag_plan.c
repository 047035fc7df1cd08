// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chooses how the tags of a page are coded.
 *
 * Up to six runs always fit into an XArray value as RUNS.  Else the rules of CHUNKS
 * are chosen by what the first chunks of the page would take with each; RUNS are
 * tried too where they may be shorter, or bound what the page takes.
 */
#include "mte_tag_walk.h"

#define SAMPLE		32	/* chunks that rules are chosen by */
#define INLINE_RUNS	6

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

static size_t class_of(u32 bits, size_t bytes)
{
	unsigned int i = 0;

	while (classes[i] < bytes && classes[i] * 8 < bits)
		i++;
	return classes[i];
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

static void plan_runs(const void *tags, size_t bytes, unsigned int runs,
		      struct mte_tags_plan *plan)
{
	unsigned int count = bytes * 2, shift = usual_shift(count);

	if (runs > INLINE_RUNS) {
		unsigned int longest = longest_run(tags, bytes);

		shift = ilog2(count / runs);
		while (longest >> shift > MOST_ZEROES)
			shift++;
	}
	plan->form = MTE_TAGS_RUNS;
	plan->shift = shift;
	plan->bits = mte_tags_count_bits(tags, bytes, plan);
}

/* The first chunks of a page; a last one that ends with it is left out. */
struct sample {
	unsigned int count;
	u16 gaps[SAMPLE];
	u16 lengths[SAMPLE];
};

static void take_sample(struct sample *sample, const void *tags, size_t bytes)
{
	struct walk walk;
	struct chunk chunk;
	unsigned int at = 0;

	sample->count = 0;
	walk_start(&walk, tags, bytes);
	while (sample->count < SAMPLE && next_chunk(&walk, &at, &chunk)) {
		sample->gaps[sample->count] = chunk.gap;
		sample->lengths[sample->count++] = chunk.length;
	}
}

/* A candidate that has more than half of all votes wins (Boyer and Moore). */
struct vote {
	unsigned int candidate, lead;
};

static void cast(struct vote *vote, unsigned int value)
{
	if (!vote->lead)
		vote->candidate = value;
	if (vote->candidate == value)
		vote->lead++;
	else
		vote->lead--;
}

static unsigned int usual_gap(const struct sample *sample)
{
	struct vote vote = {};

	for (unsigned int i = 1; i < sample->count; i++)
		cast(&vote, sample->gaps[i]);
	return vote.candidate;
}

/* Chunk 0 may have begun before the page. */
static unsigned int usual_slot(const struct sample *sample)
{
	struct vote vote = {};

	for (unsigned int i = 2; i < sample->count; i++)
		cast(&vote, sample->lengths[i - 1] + sample->gaps[i]);
	return max(vote.candidate, 2U);
}

static unsigned int gap_rule_bits(unsigned int rule, unsigned int gap)
{
	switch (rule) {
	case GAP_ONE:
		return 1;
	case GAP_SLOT:
		return 2 + golomb_bits(gap - 2, 2);
	default:
		return 2 + golomb_bits(gap, 1);
	}
}

static unsigned int gap_bits(const struct sample *sample, unsigned int rule, unsigned int gap)
{
	unsigned int bits = gap_rule_bits(rule, gap), i = 1;

	if (rule == GAP_SLOT && sample->count > 1)
		bits += golomb_bits(sample->gaps[i++], 1);
	for (; i < sample->count; i++)
		if (sample->gaps[i] != foreseen_gap(rule, gap, sample->lengths[i - 1]))
			bits += TAG_BITS + golomb_bits(sample->gaps[i], 3);
	return bits;
}

static unsigned int choose_gap_rule(const struct sample *sample, struct mte_tags_plan *plan)
{
	unsigned int gaps[GAP_RULES] = { 1, usual_slot(sample), usual_gap(sample) };
	unsigned int least = UINT_MAX;

	for (unsigned int rule = 0; rule < GAP_RULES; rule++) {
		unsigned int bits = gap_bits(sample, rule, gaps[rule]);

		if (bits >= least)
			continue;
		least = bits;
		plan->gap_rule = rule;
		plan->gap = gaps[rule];
	}
	return least;
}

/* Counts what LENGTHs take for both k; the last one takes none. */
static void length_bits(const struct sample *sample, unsigned int most, unsigned int bits[2])
{
	struct recent recent = { .most = most };

	bits[0] = 0;
	bits[1] = 0;
	for (unsigned int i = 0; i + 1 < sample->count; i++) {
		unsigned int length = sample->lengths[i], index = find(&recent, length);

		if (index < recent.count) {
			bits[0] += index + 1;
			bits[1] += index + 1;
			use(&recent, index);
			continue;
		}
		bits[0] += recent.count + golomb_bits(length - 1, golomb_k(0));
		bits[1] += recent.count + golomb_bits(length - 1, golomb_k(1));
		remember(&recent, length);
	}
}

static unsigned int choose_length_rule(const struct sample *sample, struct mte_tags_plan *plan)
{
	unsigned int least = UINT_MAX, bits[2];

	for (unsigned int rule = 0; rule < LENGTH_RULES; rule++) {
		if (rule % 2 == 0)
			length_bits(sample, most_recent(rule), bits);
		if (rule == REPEAT || bits[rule % 2] >= least)
			continue;
		least = bits[rule % 2];
		plan->length_rule = rule;
	}
	return least;
}

static unsigned int repeat_bits(const struct sample *sample)
{
	unsigned int bits = golomb_bits(sample->lengths[0] - 1, 4);

	for (unsigned int i = 1; i < sample->count; i++) {
		if (sample->gaps[i] == sample->gaps[i - 1] &&
		    sample->lengths[i] == sample->lengths[i - 1])
			continue;
		bits += TAG_BITS + golomb_bits(sample->gaps[i], 1) +
			golomb_bits(sample->lengths[i] - 1, 2);
	}
	return bits;
}

static void plan_chunks(const void *tags, size_t bytes, struct mte_tags_plan *plan)
{
	struct sample sample;
	unsigned int mixed;

	take_sample(&sample, tags, bytes);
	mixed = choose_gap_rule(&sample, plan) + choose_length_rule(&sample, plan);
	if (repeat_bits(&sample) < mixed)
		plan->length_rule = REPEAT;
	plan->form = MTE_TAGS_CHUNKS;
	plan->bits = mte_tags_count_bits(tags, bytes, plan);
}

static bool all_zero(const u8 *tags, unsigned int runs)
{
	return runs == 1 && !(*tags & TAG_MASK);
}

/* RUNS hold their promise for up to six; beyond a fifth of the granules CHUNKS are shorter. */
static void plan_code(const void *tags, size_t bytes, struct mte_tags_plan *plan)
{
	unsigned int runs = count_runs(tags, bytes);
	struct mte_tags_plan other = {};

	*plan = (struct mte_tags_plan){};
	if (all_zero(tags, runs))
		return;
	if (runs <= INLINE_RUNS) {
		plan_runs(tags, bytes, runs, plan);
		if (plan->bits <= MTE_TAGS_VALUE_BITS)
			return;
	}
	plan_chunks(tags, bytes, plan);
	if (plan->bits <= MTE_TAGS_VALUE_BITS || runs > bytes * 2 / 5)
		return;
	plan_runs(tags, bytes, runs, &other);
	if (other.bits < plan->bits)
		*plan = other;
}

/**
 * mte_tags_plan() - choose how to store the tags of a page
 * @tags: as mte_save_page_tags() leaves them
 * @bytes: of @tags: 128, 512 or 2048
 * @plan: set
 *
 * To be stored by mte_tags_pack_value() if @plan->bytes is 0, by mte_tags_pack() in
 * a buffer of @plan->bytes otherwise.
 */
void mte_tags_plan(const void *tags, size_t bytes, struct mte_tags_plan *plan)
{
	plan_code(tags, bytes, plan);
	if (plan->bits <= MTE_TAGS_VALUE_BITS)
		return;
	plan->bytes = class_of(plan->bits, bytes);
	if (plan->bytes < bytes)
		return;
	plan->form = MTE_TAGS_RAW;
	plan->bits = bytes * 8;
}
