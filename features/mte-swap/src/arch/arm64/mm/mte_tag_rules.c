// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chooses the rules by which the chunks of a page are coded: those with which its
 * first chunks take the fewest bits.
 */
#include "mte_tag_walk.h"

#define SAMPLE	10	/* chunks that rules are chosen by; more gain little and take long */

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

/* What gaps take; more than @most are not counted. */
static unsigned int gap_bits(const struct sample *sample, unsigned int rule, unsigned int gap,
			     unsigned int most)
{
	unsigned int bits = gap_rule_bits(rule, gap), i = 1;

	if (rule == GAP_SLOT && sample->count > 1)
		bits += golomb_bits(sample->gaps[i++], 1);
	for (; i < sample->count && bits < most; i++)
		if (sample->gaps[i] != foreseen_gap(rule, gap, sample->lengths[i - 1]))
			bits += TAG_BITS + golomb_bits(sample->gaps[i], 3);
	return bits;
}

static unsigned int usual(const struct sample *sample, unsigned int rule)
{
	switch (rule) {
	case GAP_ONE:
		return 1;
	case GAP_SLOT:
		return usual_slot(sample);
	default:
		return usual_gap(sample);
	}
}

/* The rules are in the order of what they take themselves. */
static unsigned int choose_gap_rule(const struct sample *sample, struct chunk_rules *rules)
{
	unsigned int least = UINT_MAX;

	for (unsigned int rule = 0; rule < GAP_RULES && least > rule + 1; rule++) {
		unsigned int gap = usual(sample, rule), bits = gap_bits(sample, rule, gap, least);

		if (bits >= least)
			continue;
		least = bits;
		rules->gap_rule = rule;
		rules->gap = gap;
	}
	return least;
}

/* LENGTHs for both k; the last one takes none. */
static unsigned int choose_length_rule(const struct sample *sample, struct chunk_rules *rules)
{
	unsigned int with_short = 0, with_long = 0;
	struct recent recent = {};

	for (unsigned int i = 0; i + 1 < sample->count; i++) {
		unsigned int length = sample->lengths[i], index = find(&recent, length);

		if (index < recent.count) {
			with_short += index + 1;
			with_long += index + 1;
			use(&recent, index);
			continue;
		}
		with_short += recent.count + golomb_bits(length - 1, golomb_k(LENGTH_SHORT));
		with_long += recent.count + golomb_bits(length - 1, golomb_k(LENGTH_LONG));
		remember(&recent, length);
	}
	rules->length_rule = with_long < with_short ? LENGTH_LONG : LENGTH_SHORT;
	return min(with_short, with_long);
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

/* Sets @rules for a page with at least one chunk. */
void mte_tags_choose_rules(const void *tags, size_t bytes, struct chunk_rules *rules)
{
	struct sample sample;
	unsigned int mixed;

	take_sample(&sample, tags, bytes);
	mixed = choose_gap_rule(&sample, rules) + choose_length_rule(&sample, rules);
	if (repeat_bits(&sample) < mixed)
		rules->length_rule = REPEAT;
}
