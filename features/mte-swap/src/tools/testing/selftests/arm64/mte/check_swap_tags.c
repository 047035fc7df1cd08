// SPDX-License-Identifier: GPL-2.0
/*
 * Tagged memory is swapped out with MADV_PAGEOUT and read again: every tag and
 * every byte must be as it was.
 *
 * Swap that is on is used. If none is, and /dev/zram0 is there and not in use,
 * it becomes swap for as long as the test takes. Else the tests are skipped.
 */

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest.h"
#include "mte_common_util.h"
#include "mte_def.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT	21
#endif

#define PAGES		64
#define SWAP_PAGES	1024
#define ZRAM_SIZE	"/sys/block/zram0/disksize"
#define ZRAM_RESET	"/sys/block/zram0/reset"
#define ZRAM		"/dev/zram0"

static size_t page_size;

enum tag_pattern {
	TAGS_ZERO,
	TAGS_ONE,
	TAGS_ALTERNATE,
	TAGS_FEW_RUNS,
	TAGS_HEAP,
	TAGS_SLOTS,
	TAGS_RANDOM,
	TAGS_LAST,
	TAG_PATTERNS,
};

static const char * const pattern_names[TAG_PATTERNS] = {
	[TAGS_ZERO]	 = "tags that are zero",
	[TAGS_ONE]	 = "one tag for each page",
	[TAGS_ALTERNATE] = "two tags in turn",
	[TAGS_FEW_RUNS]	 = "a few long runs",
	[TAGS_HEAP]	 = "chunks behind headers",
	[TAGS_SLOTS]	 = "chunks in slots of one size",
	[TAGS_RANDOM]	 = "random tags",
	[TAGS_LAST]	 = "a tag for the last granule alone",
};

/* The same number for the same input, and nothing to be seen of that in it. */
static uint32_t scramble(uint32_t a, uint32_t b)
{
	uint32_t x = a * 0x9e3779b1U + b * 0x85ebca6bU + 1;

	x ^= x >> 16;
	x *= 0x7feb352dU;
	x ^= x >> 15;
	x *= 0x846ca68bU;
	return x ^ x >> 16;
}

static unsigned int nonzero_tag(uint32_t a, uint32_t b)
{
	return 1 + scramble(a, b) % (MT_TAG_COUNT - 1);
}

static unsigned int expected_tag(enum tag_pattern pattern, unsigned int page, unsigned int granule)
{
	unsigned int last = page_size / MT_GRANULE_SIZE - 1, size;

	switch (pattern) {
	case TAGS_ONE:
		return page % MT_TAG_COUNT;
	case TAGS_ALTERNATE:
		return granule % 2 ? 3 : 12;
	case TAGS_FEW_RUNS:
		return nonzero_tag(page, granule * 5 / (last + 1));
	case TAGS_HEAP:
		size = 2 + page % 7;
		return granule % size ? nonzero_tag(page, granule / size) : 0;
	case TAGS_SLOTS:
		size = 1 + scramble(page, granule / 6) % 5;
		return granule % 6 < size ? nonzero_tag(page, granule / 6) : 0;
	case TAGS_RANDOM:
		return scramble(page, granule) % MT_TAG_COUNT;
	case TAGS_LAST:
		return granule == last ? nonzero_tag(page, 0) : 0;
	default:
		return 0;
	}
}

static void fill_page(char *ptr, enum tag_pattern pattern, unsigned int page)
{
	unsigned int granule;

	/* Pages of zeroes alone are not written to swap. */
	if (page % 4)
		memset(ptr, page, page_size);
	for (granule = 0; granule < page_size / MT_GRANULE_SIZE; granule++) {
		uintptr_t addr = (uintptr_t)ptr + granule * MT_GRANULE_SIZE;
		unsigned long tag = expected_tag(pattern, page, granule);

		mte_set_tag_address_range((void *)MT_SET_TAG(addr, tag), MT_GRANULE_SIZE);
	}
}

static int check_page(char *ptr, enum tag_pattern pattern, unsigned int page)
{
	unsigned int granule;
	size_t i;

	for (granule = 0; granule < page_size / MT_GRANULE_SIZE; granule++) {
		uintptr_t addr = (uintptr_t)ptr + granule * MT_GRANULE_SIZE;
		unsigned int tag = MT_FETCH_TAG((uintptr_t)mte_get_tag_address((void *)addr));

		if (tag != expected_tag(pattern, page, granule)) {
			ksft_print_msg("FAIL: page %u, granule %u has tag %u, not %u\n", page,
				       granule, tag, expected_tag(pattern, page, granule));
			return KSFT_FAIL;
		}
	}
	for (i = 0; i < page_size; i++) {
		if (ptr[i] != (page % 4 ? (char)page : 0)) {
			ksft_print_msg("FAIL: page %u, byte %zu is %d\n", page, i, ptr[i]);
			return KSFT_FAIL;
		}
	}
	return KSFT_PASS;
}

static int check_pages(char *ptr, enum tag_pattern pattern)
{
	unsigned int page;

	for (page = 0; page < PAGES; page++)
		if (check_page(ptr + page * page_size, pattern, page) != KSFT_PASS)
			return KSFT_FAIL;
	return KSFT_PASS;
}

/* How many pages are not in memory. */
static unsigned int pages_out(char *ptr)
{
	unsigned char resident[PAGES];
	unsigned int page, out = 0;

	if (mincore(ptr, PAGES * page_size, resident))
		return 0;
	for (page = 0; page < PAGES; page++)
		out += !(resident[page] & 1);
	return out;
}

/* All pages where nothing is in the way; KSFT_SKIP if not one of them. */
static int swap_out(char *ptr)
{
	int tries;

	for (tries = 0; tries < 10; tries++) {
		if (madvise(ptr, PAGES * page_size, MADV_PAGEOUT)) {
			ksft_print_msg("madvise(MADV_PAGEOUT): %s\n", strerror(errno));
			return KSFT_SKIP;
		}
		if (pages_out(ptr) == PAGES)
			return KSFT_PASS;
	}
	if (pages_out(ptr))
		return KSFT_PASS;
	ksft_print_msg("no page was swapped out\n");
	return KSFT_SKIP;
}

static char *map_and_fill(int mapping, enum tag_pattern pattern)
{
	char *ptr = mte_allocate_memory(PAGES * page_size, USE_MMAP, mapping, false);
	unsigned int page;

	if (!ptr)
		return NULL;
	for (page = 0; page < PAGES; page++)
		fill_page(ptr + page * page_size, pattern, page);
	return ptr;
}

static int check_swap_tags(int mapping, enum tag_pattern pattern)
{
	char *ptr = map_and_fill(mapping, pattern);
	int result;

	if (!ptr)
		return KSFT_FAIL;
	result = swap_out(ptr);
	if (result == KSFT_PASS)
		result = check_pages(ptr, pattern);
	mte_free_memory(ptr, PAGES * page_size, USE_MMAP, false);
	return result;
}

/* Swapped out again, with other tags, by way of the same slots or not. */
static int check_swap_tags_again(int mapping)
{
	char *ptr = map_and_fill(mapping, TAGS_ZERO);
	enum tag_pattern pattern;
	int result = KSFT_PASS;
	unsigned int page;

	if (!ptr)
		return KSFT_FAIL;
	for (pattern = 0; pattern < TAG_PATTERNS && result == KSFT_PASS; pattern++) {
		for (page = 0; page < PAGES; page++)
			fill_page(ptr + page * page_size, pattern, page);
		result = swap_out(ptr);
		if (result == KSFT_PASS)
			result = check_pages(ptr, pattern);
	}
	mte_free_memory(ptr, PAGES * page_size, USE_MMAP, false);
	return result;
}

/* A child has the same slots; what it writes is its own. */
static int check_swap_tags_of_child(int mapping)
{
	char *ptr = map_and_fill(mapping, TAGS_HEAP);
	unsigned int page;
	int result, status;
	pid_t child;

	if (!ptr)
		return KSFT_FAIL;
	result = swap_out(ptr);
	if (result != KSFT_PASS)
		goto out;
	child = fork();
	if (child == -1) {
		ksft_print_msg("FAIL: child process creation\n");
		result = KSFT_FAIL;
		goto out;
	}
	if (!child) {
		result = check_pages(ptr, TAGS_HEAP);
		for (page = 0; page < PAGES; page++)
			fill_page(ptr + page * page_size, TAGS_RANDOM, page);
		if (result == KSFT_PASS)
			result = swap_out(ptr);
		if (result == KSFT_PASS)
			result = check_pages(ptr, TAGS_RANDOM);
		_exit(result);
	}
	result = KSFT_FAIL;
	if (waitpid(child, &status, 0) == child && WIFEXITED(status))
		result = WEXITSTATUS(status);
	if (result == KSFT_PASS)
		result = check_pages(ptr, TAGS_HEAP);
out:
	mte_free_memory(ptr, PAGES * page_size, USE_MMAP, false);
	return result;
}

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return done;
}

static bool swap_is_on(void)
{
	FILE *file = fopen("/proc/swaps", "r");
	char line[256];
	int lines = 0;

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file))
		lines++;
	fclose(file);
	/* The first line is the heading. */
	return lines > 1;
}

static bool zram_is_unused(void)
{
	unsigned long size = 1;
	FILE *file = fopen(ZRAM_SIZE, "r");

	if (!file)
		return false;
	if (fscanf(file, "%lu", &size) != 1)
		size = 1;
	fclose(file);
	return !size;
}

/* As mkswap does it, see union swap_header in linux/swap.h. */
static bool write_swap_header(void)
{
	uint32_t *info, *page = calloc(1, page_size);
	int fd = open(ZRAM, O_WRONLY);
	bool done = false;

	if (page && fd >= 0) {
		info = page + 1024 / sizeof(*page);
		info[0] = 1;			/* version */
		info[1] = SWAP_PAGES - 1;	/* last page */
		memcpy((char *)page + page_size - 10, "SWAPSPACE2", 10);
		done = write(fd, page, page_size) == (ssize_t)page_size;
	}
	if (fd >= 0)
		close(fd);
	free(page);
	return done;
}

static bool swap_to_zram(void)
{
	char size[32];

	if (!zram_is_unused())
		return false;
	snprintf(size, sizeof(size), "%zu", SWAP_PAGES * page_size);
	if (!write_text(ZRAM_SIZE, size))
		return false;
	if (write_swap_header() && !swapon(ZRAM, 0))
		return true;
	write_text(ZRAM_RESET, "1");
	return false;
}

static void evaluate(int result, const char *what, int mapping, const char *pattern)
{
	char name[128];

	snprintf(name, sizeof(name), "Check %s, %s mapping, %s\n", what,
		 mapping == MAP_SHARED ? "shared" : "private", pattern);
	evaluate_test(result, name);
}

static void run_tests(int mapping)
{
	int pattern;

	for (pattern = 0; pattern < TAG_PATTERNS; pattern++)
		evaluate(check_swap_tags(mapping, pattern), "swapped memory", mapping,
			 pattern_names[pattern]);
	evaluate(check_swap_tags_again(mapping), "memory swapped again and again", mapping,
		 "other tags each time");
}

int main(int argc, char *argv[])
{
	bool own_swap = false;
	int err;

	ksft_print_header();
	page_size = getpagesize();
	err = mte_default_setup();
	if (err)
		return err;
	if (!swap_is_on()) {
		own_swap = swap_to_zram();
		if (!own_swap)
			ksft_exit_skip("no swap is on, and " ZRAM " cannot be made swap\n");
	}

	ksft_set_plan(2 * (TAG_PATTERNS + 1) + 1);

	mte_switch_mode(MTE_NONE_ERR, MTE_ALLOW_NON_ZERO_TAG);
	run_tests(MAP_PRIVATE);
	run_tests(MAP_SHARED);
	evaluate(check_swap_tags_of_child(MAP_PRIVATE), "swapped memory of a child", MAP_PRIVATE,
		 "other tags than its parent's");
	mte_restore_setup();

	if (own_swap && (swapoff(ZRAM) || !write_text(ZRAM_RESET, "1")))
		ksft_print_msg(ZRAM " could not be given back: %s\n", strerror(errno));
	ksft_print_cnts();
	return ksft_get_fail_cnt() == 0 ? KSFT_PASS : KSFT_FAIL;
}
