/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages with the tags and the data of a heap, made from a number and checked by it.
 *
 * Every thread has its own random numbers.
 */
#ifndef GRANULE_HEAP_PAGES_H
#define GRANULE_HEAP_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tagged-memory.h"

#define MOST_TAGS	4096	/* of a page of 64 KiB */
#define MEMTAG		".arch armv8.5-a+memtag\n"

static __thread uint64_t random_state;

static inline size_t tags_of_page(void)
{
	return page_size() / GRANULE_BYTES;
}

static inline void seed(uint64_t number)
{
	random_state = 0x9e3779b97f4a7c15 * (number + 1);
}

static inline uint64_t random_bits(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1d;
}

static inline unsigned int below(unsigned int most)
{
	return (random_bits() >> 32) % most;
}

/* Chunks of up to @most granules in slots of @slot; without slots behind one granule. */
static inline void make_chunks(uint8_t *tags, unsigned int most, unsigned int slot)
{
	size_t at = below(most), count = tags_of_page();

	memset(tags, 0, count);
	while (at < count) {
		unsigned int length = 1 + below(most), tag = 1 + below(15);
		size_t next = at + (slot ? slot : length + 1);

		for (size_t end = at + length; at < end && at < count; at++)
			tags[at] = tag;
		at = next;
	}
}

static inline void make_random_tags(uint8_t *tags)
{
	size_t count = tags_of_page();

	for (size_t i = 0; i < count; i++)
		tags[i] = below(16);
}

/* Objects of 32 to 128 bytes of a pointer, a small number, text or nothing. */
static inline size_t make_object(char *to, size_t room)
{
	size_t size = 32 + 16 * below(7);
	uint64_t head[2] = { 0xffff00000000 + below(1 << 12) * 16, below(100) };

	if (size > room)
		size = room;
	memset(to, 0, size);
	memcpy(to, head, sizeof(head));
	if (size > 48 && !below(3))
		for (size_t i = sizeof(head); i < size / 2; i++)
			to[i] = 'a' + below(26);
	return size;
}

static inline void make_data(char *data)
{
	size_t size = page_size();

	for (size_t at = 0; at < size;)
		at += make_object(data + at, size - at);
}

static inline void set_tags(char *page, const uint8_t *tags)
{
	size_t count = tags_of_page();

	for (size_t i = 0; i < count; i++, page += GRANULE_BYTES)
		__asm__ volatile(MEMTAG "stg %0, [%1]"
				 : : "r"(with_tag(page, tags[i])), "r"(page) : "memory");
}

static inline unsigned int tag_of(const char *address)
{
	__asm__ volatile(MEMTAG "ldg %0, [%0]" : "+r"(address));
	return (uintptr_t)address >> TAG_SHIFT & 15;
}

static inline bool has_tags(const char *page, const uint8_t *tags)
{
	size_t count = tags_of_page();

	for (size_t i = 0; i < count; i++)
		if (tag_of(page + i * GRANULE_BYTES) != tags[i])
			return false;
	return true;
}

static inline bool has_data(const char *page, const char *data)
{
	return !memcmp(page, data, page_size());
}

#endif
