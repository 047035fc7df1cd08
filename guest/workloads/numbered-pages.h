/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tagged pages that have a number each, which their tags and their data are made from and
 * checked against.
 */
#ifndef GRANULE_NUMBERED_PAGES_H
#define GRANULE_NUMBERED_PAGES_H

#include "heap-pages.h"

static inline void make_tags(uint8_t *tags)
{
	switch (below(6)) {
	case 0:
		memset(tags, below(16), tags_of_page());
		break;
	case 1:
		make_random_tags(tags);
		break;
	case 2:
		make_chunks(tags, 1 + below(40), 0);
		break;
	case 3:
		make_chunks(tags, 3, 6);
		break;
	default:
		make_chunks(tags, 1 + below(8), 0);
	}
}

static inline void make_page(uint64_t number, uint8_t *tags, char *data)
{
	seed(number);
	/* Swap keeps pages of zeroes otherwise than others. */
	if (number % 8)
		make_data(data);
	else
		memset(data, 0, page_size());
	make_tags(tags);
}

static inline void fill(char *page, uint64_t number)
{
	uint8_t tags[MOST_TAGS];
	char data[page_size()];

	make_page(number, tags, data);
	memcpy(page, data, page_size());
	set_tags(page, tags);
}

static inline bool is_right(const char *page, uint64_t number)
{
	uint8_t tags[MOST_TAGS];
	char data[page_size()];

	make_page(number, tags, data);
	return has_data(page, data) && has_tags(page, tags);
}

static inline void fill_all(char *pages, size_t count, uint64_t number)
{
	for (size_t i = 0; i < count; i++)
		fill(pages + i * page_size(), number + i);
}

static inline unsigned long wrong_pages(const char *pages, size_t count, uint64_t number)
{
	unsigned long wrong = 0;

	for (size_t i = 0; i < count; i++)
		wrong += !is_right(pages + i * page_size(), number + i);
	return wrong;
}

static inline char *map_pages(size_t count, int flags)
{
	char *pages = mmap(NULL, count * page_size(), PROT_READ | PROT_WRITE | PROT_MTE,
			   MAP_ANONYMOUS | flags, -1, 0);

	if (pages == MAP_FAILED)
		fail("mmap");
	return pages;
}

#endif
