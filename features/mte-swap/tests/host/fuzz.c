// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hands values and buffers that nobody stored to the decoder:
 *
 *	fuzz SECONDS [SEED]
 *
 * They are codes of pages with bits flipped, cut short, run together, or random.
 * The decoder must refuse them, and then leave no tags, or give tags that can be
 * stored and brought back.  Sanitizers watch the rest: every buffer is as large as
 * it must be and not larger.
 */
#include "mte_tag_coder.h"
#include "made_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const size_t sizes[] = { 128, 512, 2048 };

static unsigned long tried, refused;

static void fail(const char *what, unsigned long round)
{
	printf("%s in round %lu\n", what, round);
	exit(1);
}

/* Whether @tags, which came out of something, are as good as any. */
static bool can_be_stored(const u8 *tags, size_t bytes)
{
	u8 *back = malloc(bytes), *buffer = malloc(bytes);
	struct mte_tags_code code;
	int error;

	mte_tags_pack(tags, bytes, buffer, &code);
	if (code.bytes)
		error = mte_tags_unpack(buffer, code.bytes, back, bytes);
	else
		error = mte_tags_unpack_value(code.value, back, bytes);
	error = error || memcmp(back, tags, bytes);
	free(buffer);
	free(back);
	return !error;
}

static bool is_zero(const u8 *tags, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (tags[i])
			return false;
	return true;
}

static void judge(int error, const u8 *tags, size_t bytes)
{
	tried++;
	refused += !!error;
	if (error ? !is_zero(tags, bytes) : !can_be_stored(tags, bytes))
		fail(error ? "tags are left of what was refused" : "tags cannot be stored", tried);
}

static void flip(u8 *bytes, size_t size, u64 *state)
{
	for (unsigned int flips = random_below(state, 6); flips; flips--)
		bytes[random_below(state, size)] ^= 1 << random_below(state, 8);
	if (!random_below(state, 8))
		memset(bytes + random_below(state, size), 0, 1);
	if (!random_below(state, 8)) {
		size_t from = random_below(state, size);

		memset(bytes + from, random_below(state, 2) ? 0 : 0xff, size - from);
	}
}

static void fill_random(u8 *bytes, size_t size, u64 *state)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = random_bits(state) >> 40;
}

/* A code to damage, of a page of this size or, at times, of another. */
static void fill_code(u8 *filled, size_t size, size_t bytes, u64 *state)
{
	u8 *tags = malloc(MOST_BYTES), *packed = calloc(1, MOST_BYTES);
	struct mte_tags_code code;

	make_any(tags, bytes, state);
	mte_tags_pack(tags, bytes, packed, &code);
	if (!code.bytes)
		memcpy(packed, &code.value, sizeof(code.value));
	memcpy(filled, packed, size);
	free(tags);
	free(packed);
}

static void fill(u8 *code, size_t size, size_t bytes, u64 *state)
{
	if (!random_below(state, 5))
		return fill_random(code, size, state);
	fill_code(code, size, random_below(state, 10) ? bytes : sizes[random_below(state, 3)],
		  state);
	flip(code, size, state);
}

static void try_value(size_t bytes, u64 *state)
{
	u8 *tags = malloc(bytes);
	u64 value;

	fill((u8 *)&value, sizeof(value), bytes, state);
	judge(mte_tags_unpack_value(value, tags, bytes), tags, bytes);
	free(tags);
}

static size_t any_size(size_t bytes, u64 *state)
{
	unsigned int classes = 0;

	if (!random_below(state, 20))
		return 1 + random_below(state, bytes);
	while (mte_tags_class(classes, bytes))
		classes++;
	return mte_tags_class(random_below(state, classes), bytes);
}

/* Lets the buffer say of itself that it is as large as it is. */
static void claim_size(u8 *code, size_t size, size_t bytes)
{
	for (unsigned int i = 0; mte_tags_class(i, bytes); i++)
		if (mte_tags_class(i, bytes) == size)
			*code = (*code & 0xf0) | i;
}

static void try_buffer(size_t bytes, u64 *state)
{
	size_t size = any_size(bytes, state);
	u8 *tags = malloc(bytes), *code = malloc(size);

	fill(code, size, bytes, state);
	if (random_below(state, 10))
		claim_size(code, size, bytes);
	judge(mte_tags_unpack(code, size, tags, bytes), tags, bytes);
	free(code);
	free(tags);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	u64 state = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x6d74652d73776170ULL;

	do {
		for (unsigned int i = 0; i < 1000; i++) {
			try_value(sizes[random_below(&state, 3)], &state);
			try_buffer(sizes[random_below(&state, 3)], &state);
		}
	} while (time(NULL) < end);
	printf("%lu tried, %lu refused\n", tried, refused);
	return 0;
}
