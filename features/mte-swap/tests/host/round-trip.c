// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stores tags and brings them back, for every number of runs and every size of a page:
 *
 *	round-trip ROUNDS
 *
 * All pages of 4 KiB of up to three runs are tried, whichever of their tags are zero or
 * the same, and some of larger pages; of others ROUNDS of each kind.  Also checked: what is stored takes no
 * more than with EA0 and no more than the tags themselves.  The buffers are as large as they must be and not larger,
 * for a sanitizer to see what goes beyond them.
 */
#include "mte_tag_walk.h"
#include "made_pages.h"

#include <stdio.h>
#include <stdlib.h>

static const size_t sizes[] = { 128, 512, 2048 };

static unsigned long tried;

static void fail(const char *what, const u8 *tags, size_t bytes)
{
	printf("%s, tags ", what);
	for (size_t at = 0; at < bytes * 2; at++)
		printf("%x", tags[at / 2] >> at % 2 * 4 & 15);
	printf("\n");
	exit(1);
}

static size_t ea0_bytes(size_t bytes, unsigned int runs)
{
	unsigned int inline_runs = bytes == 128 ? 6 : bytes == 512 ? 5 : 4;

	if (runs <= inline_runs)
		return 0;
	if (bytes > 128 || runs > 46)
		return bytes;
	return runs <= 11 ? 16 : runs <= 23 ? 32 : 64;
}

static void try_value(const u8 *tags, u8 *back, size_t bytes, u64 value)
{
	u64 alone;

	if (!mte_tags_pack_value(tags, bytes, &alone) || alone != value)
		fail("another value", tags, bytes);
	if (value >> MTE_TAGS_VALUE_BITS)
		fail("more than 63 bits", tags, bytes);
	if (mte_tags_unpack_value(value, back, bytes))
		fail("value refused", tags, bytes);
}

static void try_buffer(const u8 *tags, u8 *back, size_t bytes, const u8 *buffer, size_t size)
{
	u8 *kept = malloc(size);
	u64 value;

	if (mte_tags_pack_value(tags, bytes, &value))
		fail("a value and a buffer", tags, bytes);
	memcpy(kept, buffer, size);
	if (size < bytes && mte_tags_class(mte_tags_index(kept), bytes) != size)
		fail("another size", tags, bytes);
	if (mte_tags_unpack(kept, size, back, bytes))
		fail("buffer refused", tags, bytes);
	free(kept);
}

static void try(const u8 *tags, size_t bytes)
{
	u8 *back = malloc(bytes), *buffer = malloc(bytes);
	struct mte_tags_code code;

	tried++;
	memset(back, 0x5a, bytes);
	memset(buffer, 0xa5, bytes);
	mte_tags_pack(tags, bytes, buffer, &code);
	if (code.bytes > ea0_bytes(bytes, count_runs(tags, bytes)))
		fail("larger than EA0's", tags, bytes);
	if (code.bytes)
		try_buffer(tags, back, bytes, buffer, code.bytes);
	else
		try_value(tags, back, bytes, code.value);
	if (memcmp(tags, back, bytes))
		fail("other tags came back", tags, bytes);
	free(buffer);
	free(back);
}

/* Up to three runs: which tags are zero, and whether the third is the first again. */
static const u8 patterns[][3] = {
	{ 0, 7, 0 }, { 0, 7, 9 }, { 7, 0, 7 }, { 7, 0, 9 }, { 7, 9, 0 }, { 7, 9, 7 }, { 15, 1, 8 },
};

static void try_pattern(const u8 *pattern, size_t bytes)
{
	unsigned int count = bytes * 2;
	unsigned int step = bytes == 128 ? 1 : bytes == 512 ? 7 : 61;
	u8 *tags = malloc(bytes);

	for (unsigned int first = 0; first <= count; first += step)
		for (unsigned int second = first; second <= count; second += step) {
			for (unsigned int at = 0; at < count; at++)
				set_tag(tags, at, pattern[(at >= first) + (at >= second)]);
			try(tags, bytes);
		}
	free(tags);
}

static void try_one_tag(size_t bytes)
{
	u8 *tags = malloc(bytes);

	for (unsigned int tag = 0; tag < 16; tag++) {
		memset(tags, tag * 0x11, bytes);
		try(tags, bytes);
	}
	free(tags);
}

static void try_every_run_count(size_t bytes, u64 *state)
{
	u8 *tags = malloc(bytes);

	for (unsigned int runs = 1; runs <= bytes * 2; runs++) {
		make_runs(tags, bytes, runs, state);
		try(tags, bytes);
		make_gaps(tags, bytes, runs, state);
		try(tags, bytes);
		make_scales(tags, bytes, runs, runs % 2, state);
		try(tags, bytes);
		make_uneven_runs(tags, bytes, runs, random_below(state, runs), state);
		try(tags, bytes);
	}
	free(tags);
}

static void try_any(size_t bytes, unsigned int rounds, u64 *state)
{
	u8 *tags = malloc(bytes);

	for (unsigned int i = 0; i < rounds; i++) {
		make_any(tags, bytes, state);
		try(tags, bytes);
	}
	free(tags);
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? atoi(argv[1]) : 100;
	u64 state = 0x6d74652d73776170ULL;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		try_one_tag(sizes[i]);
		for (unsigned int p = 0; p < ARRAY_SIZE(patterns); p++)
			try_pattern(patterns[p], sizes[i]);
		for (unsigned int round = 0; round < rounds / 50 + 1; round++)
			try_every_run_count(sizes[i], &state);
		try_any(sizes[i], rounds * 128 / sizes[i], &state);
	}
	printf("%lu pages\n", tried);
	return 0;
}
