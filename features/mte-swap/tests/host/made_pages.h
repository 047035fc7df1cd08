/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tags that nobody's heap has left: pages made at random, of every shape that the
 * coder treats apart.  The same seed makes the same pages.
 */
#ifndef MADE_PAGES_H
#define MADE_PAGES_H

#include "mte_tag_coder.h"

#define MOST_BYTES	2048	/* of the tags of a page of 64 KiB */

static inline u64 random_bits(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

/* From 0 to @below - 1. */
static inline unsigned int random_below(u64 *state, unsigned int below)
{
	return (random_bits(state) >> 32) % below;
}

static inline void set_tag(u8 *tags, unsigned int at, unsigned int tag)
{
	unsigned int shift = at % 2 * 4;

	tags[at / 2] = (tags[at / 2] & ~(15 << shift)) | tag << shift;
}

/* Any tag but @not. */
static inline unsigned int other_tag(u64 *state, unsigned int not)
{
	unsigned int tag = random_below(state, 15);

	return tag + (tag >= not);
}

/* Exactly @runs runs, which start anywhere. */
static inline void make_runs(u8 *tags, size_t bytes, unsigned int runs, u64 *state)
{
	unsigned int count = bytes * 2, left = runs - 1, tag = random_below(state, 16);

	for (unsigned int at = 0; at < count; at++) {
		if (at && random_below(state, count - at) < left) {
			tag = other_tag(state, tag);
			left--;
		}
		set_tag(tags, at, tag);
	}
}

/* @runs runs of which every other one has tag 0. */
static inline void make_gaps(u8 *tags, size_t bytes, unsigned int runs, u64 *state)
{
	unsigned int count = bytes * 2, left = runs - 1, tag = random_below(state, 2) * 5;

	for (unsigned int at = 0; at < count; at++) {
		if (at && random_below(state, count - at) < left) {
			tag = tag ? 0 : other_tag(state, 0);
			left--;
		}
		set_tag(tags, at, tag);
	}
}

/* @runs runs whose lengths are of all magnitudes; every other tag is 0 if @gaps. */
static inline void make_scales(u8 *tags, size_t bytes, unsigned int runs, bool gaps, u64 *state)
{
	unsigned int count = bytes * 2, at = 0, tag = gaps ? 0 : random_below(state, 16);

	for (unsigned int left = runs; left; left--) {
		unsigned int room = count - at - left + 1, length = room;

		if (left > 1)
			length = 1 + (random_below(state, room) >> random_below(state, 10));
		while (length--)
			set_tag(tags, at++, tag);
		tag = gaps && tag ? 0 : other_tag(state, gaps ? 0 : tag);
	}
}

/* @runs runs of which all but one are as short as can be: the long one is where @longest says. */
static inline void make_uneven_runs(u8 *tags, size_t bytes, unsigned int runs,
				    unsigned int longest, u64 *state)
{
	unsigned int count = bytes * 2, at = 0, tag = random_below(state, 16);

	for (unsigned int run = 0; run < runs; run++) {
		unsigned int length = run == longest ? count - runs + 1 : 1;

		while (length--)
			set_tag(tags, at++, tag);
		tag = other_tag(state, tag);
	}
}

/*
 * Chunks of up to @kinds lengths below @most, each behind @gap zero tags, or in slots
 * of @slot granules; one chunk of @odd has another gap.
 */
struct heap {
	unsigned int kinds, most, gap, slot, odd;
};

static inline void make_heap(u8 *tags, size_t bytes, const struct heap *heap, u64 *state)
{
	unsigned int count = bytes * 2, lengths[16], at;

	for (unsigned int i = 0; i < heap->kinds; i++)
		lengths[i] = 1 + random_below(state, heap->most);
	memset(tags, 0, bytes);
	for (at = random_below(state, heap->most); at < count;) {
		unsigned int length = lengths[random_below(state, heap->kinds)];
		unsigned int tag = 1 + random_below(state, 15), gap = heap->gap;

		for (unsigned int end = at + length; at < end && at < count; at++)
			set_tag(tags, at, tag);
		if (heap->slot > length)
			gap = heap->slot - length;
		if (heap->odd && !random_below(state, heap->odd))
			gap = random_below(state, 2 * heap->most);
		at += gap;
	}
}

static inline struct heap random_heap(u64 *state)
{
	struct heap heap = {
		.kinds = 1 + random_below(state, 16),
		.most = 1 << random_below(state, 8),
		.gap = random_below(state, 4),
		.odd = random_below(state, 2) ? 0 : 1 + random_below(state, 20),
	};

	if (random_below(state, 2))
		heap.slot = heap.most + 1;
	return heap;
}

/* The rest: @period granules of random tags, again and again. */
static inline void make_periodic(u8 *tags, size_t bytes, unsigned int period, u64 *state)
{
	for (unsigned int at = 0; at < bytes * 2; at++) {
		unsigned int before = at - period;
		unsigned int tag = random_below(state, 16);

		if (at >= period)
			tag = tags[before / 2] >> before % 2 * 4 & 15;
		set_tag(tags, at, tag);
	}
}

static inline void make_any(u8 *tags, size_t bytes, u64 *state)
{
	unsigned int count = bytes * 2;
	struct heap heap;

	switch (random_below(state, 7)) {
	case 0:
		make_runs(tags, bytes, 1 + random_below(state, count), state);
		break;
	case 1:
		make_runs(tags, bytes, 1 + random_below(state, 50), state);
		break;
	case 2:
		make_uneven_runs(tags, bytes, 1 + random_below(state, count),
				 random_below(state, count), state);
		break;
	case 3:
		make_gaps(tags, bytes, 1 + random_below(state, 100), state);
		break;
	case 4:
		make_scales(tags, bytes, 1 + random_below(state, 60), random_below(state, 2),
			    state);
		break;
	case 5:
		make_periodic(tags, bytes, 1 + random_below(state, 12), state);
		break;
	default:
		heap = random_heap(state);
		make_heap(tags, bytes, &heap, state);
	}
}

#endif
