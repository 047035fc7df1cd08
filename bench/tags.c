// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times the tag coder and general compressors:
 *
 *	tags FILE
 *
 * FILE holds sets of pages: a name of 32 bytes, their number and the bytes of each as
 * 32-bit numbers, then the pages.  A set of 128 bytes a page is of tags, others are of
 * data, which is not for our coder.  Sets of tags made at random are added.
 *
 * A line for each set and coder, with tabs: set, coder, pages, bytes stored, then
 * nanoseconds: median and most to compress, median and most to decompress.  Each page
 * is timed in turn, ROUNDS times, and its least time counts; a loop over one page
 * would teach the branch predictor that page.  Reading the clock is part of each time.
 */
#include "mte_tag_walk.h"
#include "made_pages.h"
#include "lzo_rle.h"

#include <lz4.h>
#include <lzo/lzo1x.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zstd.h>

#define ROUNDS		15
#define NAME_BYTES	32
#define TAG_BYTES	128
#define MOST_DATA	(4096 + TAG_BYTES)
#define MOST_OUT	8192
#define MADE_PAGES	1000

struct set {
	char name[NAME_BYTES];
	u32 count, bytes;
	u8 *pages;
};

/* Both give the size of what they wrote; 0 of compress is for "does not get smaller". */
struct coder {
	const char *name;
	size_t (*compress)(const u8 *page, size_t bytes, u8 *out);
	size_t (*decompress)(const u8 *in, size_t size, u8 *page, size_t bytes);
};

struct times {
	double compress, decompress;
};

static void fail(const char *what)
{
	fprintf(stderr, "tags: %s\n", what);
	exit(1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e9 + time.tv_nsec;
}

/* ----------------------------------------------------------------- coders */

static u64 value;	/* what ours gives for a page that takes no buffer */

static size_t ours_compress(const u8 *page, size_t bytes, u8 *out)
{
	struct mte_tags_code code;

	mte_tags_pack(page, bytes, out, &code);
	value = code.value;
	return code.bytes;
}

static size_t ours_decompress(const u8 *in, size_t size, u8 *page, size_t bytes)
{
	int error = size ? mte_tags_unpack(in, size, page, bytes) :
			   mte_tags_unpack_value(value, page, bytes);

	return error ? 0 : bytes;
}

static size_t lz4_compress(const u8 *page, size_t bytes, u8 *out)
{
	static LZ4_stream_t state;

	return LZ4_compress_fast_extState(&state, (const char *)page, (char *)out, bytes,
					  MOST_OUT, 1);
}

static size_t lz4_decompress(const u8 *in, size_t size, u8 *page, size_t bytes)
{
	return LZ4_decompress_safe((const char *)in, (char *)page, size, bytes);
}

static size_t lzo_compress(const u8 *page, size_t bytes, u8 *out)
{
	static u8 state[LZO1X_1_MEM_COMPRESS] __attribute__((aligned(16)));
	lzo_uint size = MOST_OUT;

	return lzo1x_1_compress(page, bytes, out, &size, state) ? 0 : size;
}

static size_t lzo_decompress(const u8 *in, size_t size, u8 *page, size_t bytes)
{
	lzo_uint length = bytes;

	return lzo1x_decompress_safe(in, size, page, &length, NULL) ? 0 : length;
}

static size_t rle_compress(const u8 *page, size_t bytes, u8 *out)
{
	return lzo_rle_compress(page, bytes, out, MOST_OUT);
}

static size_t zstd_compress(const u8 *page, size_t bytes, u8 *out)
{
	static ZSTD_CCtx *state;

	if (!state)
		state = ZSTD_createCCtx();
	return ZSTD_compressCCtx(state, out, MOST_OUT, page, bytes, 1);
}

static size_t zstd_decompress(const u8 *in, size_t size, u8 *page, size_t bytes)
{
	static ZSTD_DCtx *state;

	if (!state)
		state = ZSTD_createDCtx();
	return ZSTD_decompressDCtx(state, page, bytes, in, size);
}

static const struct coder ours = { "ours", ours_compress, ours_decompress };
static const struct coder lz4 = { "lz4", lz4_compress, lz4_decompress };
static const struct coder lzo = { "lzo", lzo_compress, lzo_decompress };
static const struct coder lzo_rle = { "lzo-rle", rle_compress, lzo_rle_decompress };
static const struct coder zstd = { "zstd -1", zstd_compress, zstd_decompress };

/* ----------------------------------------------------------------- timing */

static size_t time_page(const struct coder *coder, const u8 *page, size_t bytes,
			struct times *least)
{
	static u8 out[MOST_OUT], back[MOST_DATA];
	double start = now(), middle, end;
	size_t size = coder->compress(page, bytes, out), length;

	middle = now();
	length = coder->decompress(out, size, back, bytes);
	end = now();
	if (length != bytes || memcmp(back, page, bytes))
		fail("a page did not come back");
	least->compress = min_t(double, least->compress, middle - start);
	least->decompress = min_t(double, least->decompress, end - middle);
	return size;
}

static int compare(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

static void print_times(const struct times *times, const bool *chosen, u32 count, size_t part)
{
	double *sorted = malloc(count * sizeof(*sorted));
	u32 found = 0;

	for (u32 i = 0; i < count; i++)
		if (chosen[i])
			sorted[found++] = *(const double *)((const char *)&times[i] + part);
	qsort(sorted, found, sizeof(*sorted), compare);
	printf("\t%.0f\t%.0f", sorted[found / 2], sorted[found - 1]);
	free(sorted);
}

/* A line about the pages whose sizes are 0, or are not. */
static void print_line(const struct set *set, const char *coder, const struct times *times,
		       const size_t *sizes, bool inlined)
{
	bool *chosen = malloc(set->count);
	size_t bytes = 0;
	u32 count = 0;

	for (u32 i = 0; i < set->count; i++) {
		chosen[i] = !sizes[i] == inlined;
		count += chosen[i];
		/* What does not get smaller is stored as it is. */
		if (chosen[i])
			bytes += min_t(size_t, sizes[i], set->bytes);
	}
	if (count) {
		printf("%s\t%s%s\t%u\t%zu", set->name, coder, inlined ? " inline" : "", count,
		       bytes);
		print_times(times, chosen, set->count, offsetof(struct times, compress));
		print_times(times, chosen, set->count, offsetof(struct times, decompress));
		printf("\n");
	}
	free(chosen);
}

static void time_set(const struct set *set, const struct coder *coder)
{
	struct times *times = malloc(set->count * sizeof(*times));
	size_t *sizes = malloc(set->count * sizeof(*sizes));

	for (u32 i = 0; i < set->count; i++)
		times[i] = (struct times){ 1e9, 1e9 };
	for (int round = 0; round < ROUNDS; round++)
		for (u32 i = 0; i < set->count; i++)
			sizes[i] = time_page(coder, set->pages + (size_t)i * set->bytes,
					     set->bytes, &times[i]);
	print_line(set, coder->name, times, sizes, true);
	print_line(set, coder->name, times, sizes, false);
	free(times);
	free(sizes);
}

static void time_all(const struct set *set)
{
	if (set->bytes == TAG_BYTES)
		time_set(set, &ours);
	time_set(set, &lz4);
	time_set(set, &lzo);
	time_set(set, &lzo_rle);
	time_set(set, &zstd);
}

/* ------------------------------------------------------------------- sets */

static bool read_set(FILE *file, struct set *set)
{
	size_t size;

	if (fread(set->name, NAME_BYTES, 1, file) != 1)
		return false;
	if (fread(&set->count, 4, 1, file) != 1 || fread(&set->bytes, 4, 1, file) != 1)
		fail("the file of sets is cut short");
	if (set->bytes > MOST_DATA)
		fail("pages are too large");
	size = (size_t)set->count * set->bytes;
	set->pages = malloc(size);
	if (fread(set->pages, 1, size, file) != size)
		fail("the file of sets is cut short");
	return true;
}

static void make_random(u8 *tags, u64 *state)
{
	make_periodic(tags, TAG_BYTES, 2 * TAG_BYTES, state);
}

static void make_random_runs(u8 *tags, u64 *state)
{
	make_runs(tags, TAG_BYTES, 1 + random_below(state, 2 * TAG_BYTES), state);
}

static void make_one_tag(u8 *tags, u64 *state)
{
	make_periodic(tags, TAG_BYTES, 1, state);
}

static void make_two_tags(u8 *tags, u64 *state)
{
	make_runs(tags, TAG_BYTES, 2, state);
}

static void make_alternating(u8 *tags, u64 *state)
{
	make_periodic(tags, TAG_BYTES, 2, state);
}

/* A header and one granule of data, again and again: what a heap of small objects is. */
static void make_small_chunks(u8 *tags, u64 *state)
{
	make_heap(tags, TAG_BYTES, &(struct heap){ .kinds = 1, .most = 1, .gap = 1 }, state);
}

static void make_anything(u8 *tags, u64 *state)
{
	make_any(tags, TAG_BYTES, state);
}

static const struct {
	const char *name;
	void (*make)(u8 *tags, u64 *state);
} made[] = {
	{ "random tags", make_random },
	{ "random runs", make_random_runs },
	{ "one tag", make_one_tag },
	{ "two tags", make_two_tags },
	{ "alternating tags", make_alternating },
	{ "chunks of 32 bytes", make_small_chunks },
	{ "every shape of the tests", make_anything },
};

static void time_made(void)
{
	u64 state = 0x6d74652d73776170ULL;

	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		struct set set = { .count = MADE_PAGES, .bytes = TAG_BYTES };

		strcpy(set.name, made[i].name);
		set.pages = malloc(MADE_PAGES * TAG_BYTES);
		for (u32 page = 0; page < MADE_PAGES; page++)
			made[i].make(set.pages + page * TAG_BYTES, &state);
		time_all(&set);
		free(set.pages);
	}
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	struct set set;

	if (!file || lzo_init() != LZO_E_OK)
		fail("name a file of sets");
	while (read_set(file, &set)) {
		time_all(&set);
		free(set.pages);
	}
	time_made();
	return 0;
}
