/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Swap in a zram device, for programs that push their memory out and fetch it back.
 *
 * Failing calls end the program.
 */
#ifndef GRANULE_SWAP_TO_ZRAM_H
#define GRANULE_SWAP_TO_ZRAM_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <unistd.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT	21
#endif

/* What begins the first page of a swap device, see linux/swap.h. */
struct swap_header {
	char boot[1024];
	uint32_t version, last_page, bad_pages;
};

static inline void write_text(const char *path, const char *text)
{
	int file = open(path, O_WRONLY);

	if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
		err(1, "%s cannot be set to '%s'", path, text);
	close(file);
}

static inline void write_swap_header(const char *path, size_t pages)
{
	size_t size = sysconf(_SC_PAGESIZE);
	char *page = calloc(1, size);
	struct swap_header *header = (struct swap_header *)page;
	int device = open(path, O_WRONLY);

	header->version = 1;
	header->last_page = pages - 1;
	memcpy(page + size - 10, "SWAPSPACE2", 10);
	if (device < 0 || write(device, page, size) != (ssize_t)size)
		err(1, "no swap can be made on %s", path);
	close(device);
	free(page);
}

/* Swap of so many pages in the zram device with this number. */
static inline void make_zram_swap(const char *number, size_t pages, int priority)
{
	char size[32], path[64];

	snprintf(path, sizeof(path), "/sys/block/zram%s/disksize", number);
	snprintf(size, sizeof(size), "%zu", pages * sysconf(_SC_PAGESIZE));
	write_text(path, size);
	snprintf(path, sizeof(path), "/dev/zram%s", number);
	write_swap_header(path, pages);
	if (swapon(path, SWAP_FLAG_PREFER | priority))
		err(1, "swapon");
}

/* The zram device 1; 0 is there from the start. */
static inline void add_zram(void)
{
	char number[8];
	int device;

	if (!access("/sys/block/zram1", F_OK))
		return;
	device = open("/sys/class/zram-control/hot_add", O_RDONLY);
	if (device < 0 || read(device, number, sizeof(number)) < 1 || *number != '1')
		errx(1, "there is no second zram device");
	close(device);
}

/* Swap in zram and no readahead: a fault fetches its page alone. */
static inline void swap_to_zram(size_t pages)
{
	make_zram_swap("0", pages, 0);
	write_text("/proc/sys/vm/page-cluster", "0");
}

/* How many of the pages are not in memory, be they shared or not. */
static inline size_t absent_pages(char *start, size_t pages)
{
	unsigned char *resident = malloc(pages);
	size_t count = 0;

	if (mincore(start, pages * sysconf(_SC_PAGESIZE), resident))
		err(1, "mincore");
	for (size_t i = 0; i < pages; i++)
		count += !(resident[i] & 1);
	free(resident);
	return count;
}

/* How many of the pages are in swap: bit 62 of a word of /proc/self/pagemap each. */
static inline size_t swapped_pages(const char *start, size_t pages)
{
	size_t size = sysconf(_SC_PAGESIZE), count = 0;
	int map = open("/proc/self/pagemap", O_RDONLY);
	uint64_t word;

	for (size_t i = 0; i < pages; i++) {
		if (pread(map, &word, sizeof(word), ((uintptr_t)start / size + i) * 8) != 8)
			err(1, "/proc/self/pagemap");
		count += word >> 62 & 1;
	}
	close(map);
	return count;
}

#endif
