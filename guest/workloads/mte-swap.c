// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tagged memory is swapped out to zram, fetched back, and has its tags and its data.
 *
 *	mte-swap TAGS PAGES [FILE]
 *
 * The regions of interest are swap-out, one madvise() of all pages, and swap-in, a
 * read of each page.  TAGS of the pages are
 *
 *	none	the memory is not mapped with PROT_MTE
 *	zero	all are 0
 *	one	the same for a page, another for the next
 *	glibc	those of its heap: chunks with one header of tag 0 between them
 *	scudo	those of its heap: chunks in slots of one size
 *	random	all different
 *	file	the pages of FILE in turn, one a line in hexadecimal; lines with # are left out
 *
 * Data is like that of a heap, pointers, numbers, text and zeroes.  The program fails
 * if one tag or byte has changed.  At its end it shows what the kernel and zram say.
 */
#include <granule.h>

#include "heap-pages.h"
#include "swap-to-zram.h"

/* Tags */

#define MOST_PAGES	1024	/* of a file */

static char *lines[MOST_PAGES];
static size_t line_count;

static void read_pages(const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	if (!file)
		err(1, "%s", path);
	while (line_count < MOST_PAGES && getline(&line, &room, file) > 0) {
		if (*line == '#')
			continue;
		if (strcspn(line, "\n") != tags_of_page())
			errx(1, "%s has not %zu digits on each line", path, tags_of_page());
		lines[line_count++] = strdup(line);
	}
	free(line);
	fclose(file);
	if (!line_count)
		errx(1, "%s has no pages", path);
}

static void tags_none(uint8_t *tags, size_t page)
{
	(void)page;
	memset(tags, 0, tags_of_page());
}

static void tags_one(uint8_t *tags, size_t page)
{
	memset(tags, 1 + page % 15, tags_of_page());
}

static void tags_glibc(uint8_t *tags, size_t page)
{
	make_chunks(tags, 2 + page % 6, 0);
}

static void tags_scudo(uint8_t *tags, size_t page)
{
	make_chunks(tags, 3 + page % 3, 6);
}

static void tags_random(uint8_t *tags, size_t page)
{
	(void)page;
	make_random_tags(tags);
}

static void tags_file(uint8_t *tags, size_t page)
{
	const char *line = lines[page % line_count];

	for (size_t i = 0; i < tags_of_page(); i++)
		tags[i] = line[i] <= '9' ? line[i] - '0' : line[i] - 'a' + 10;
}

static const struct kind {
	const char *name;
	void (*make)(uint8_t *tags, size_t page);
	bool tagged;
} kinds[] = {
	{ "none", tags_none, false },
	{ "zero", tags_none, true },
	{ "one", tags_one, true },
	{ "glibc", tags_glibc, true },
	{ "scudo", tags_scudo, true },
	{ "random", tags_random, true },
	{ "file", tags_file, true },
};

static const struct kind *kind_named(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	errx(2, "'%s' are no tags", name);
}

/* Pages */

static void fill(char *page, const struct kind *kind, size_t number)
{
	static uint8_t tags[MOST_TAGS];

	seed(number);
	make_data(page);
	kind->make(tags, number);
	if (kind->tagged)
		set_tags(page, tags);
}

static bool is_as_filled(const char *page, const struct kind *kind, size_t number)
{
	static uint8_t tags[MOST_TAGS];
	static char data[MOST_TAGS * GRANULE_BYTES];

	seed(number);
	make_data(data);
	kind->make(tags, number);
	return has_data(page, data) && (!kind->tagged || has_tags(page, tags));
}

static void swap_out(char *pages, size_t count)
{
	granule_open("swap-out");
	if (madvise(pages, count * page_size(), MADV_PAGEOUT))
		fail("madvise");
	granule_close("swap-out");
	if (swapped_pages(pages, count) != count)
		errx(1, "%zu of %zu pages were swapped out", swapped_pages(pages, count), count);
}

static void swap_in(char *pages, size_t count)
{
	granule_open("swap-in");
	for (size_t i = 0; i < count; i++)
		(void)*(volatile char *)(pages + i * page_size());
	granule_close("swap-in");
}

static void show(const char *path)
{
	char text[4096];
	FILE *file = fopen(path, "r");
	size_t got = file ? fread(text, 1, sizeof(text), file) : 0;

	if (file)
		printf("%s\n%.*s", path, (int)got, text);
}

static void check(const char *pages, const struct kind *kind, size_t count)
{
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++)
		wrong += !is_as_filled(pages + i * page_size(), kind, i);
	printf("%zu of %zu pages came back otherwise\n", wrong, count);
	if (wrong)
		exit(1);
}

int main(int argc, char **argv)
{
	const struct kind *kind;
	char *pages;
	size_t count;

	if (argc < 3)
		errx(2, "usage: mte-swap TAGS PAGES [FILE]");
	kind = kind_named(argv[1]);
	count = strtoul(argv[2], NULL, 10);
	if (kind->make == tags_file)
		read_pages(argc > 3 ? argv[3] : "");
	if (kind->tagged)
		need_memory_tagging();
	swap_to_zram(2 * count + 1024);
	pages = fresh_pages(count, kind->tagged ? PROT_MTE : 0);
	for (size_t i = 0; i < count; i++)
		fill(pages + i * page_size(), kind, i);
	swap_out(pages, count);
	show("/sys/kernel/debug/mteswap");
	show("/sys/block/zram0/mm_stat");
	swap_in(pages, count);
	check(pages, kind, count);
	show("/sys/kernel/debug/mteswap");
	return 0;
}
