// SPDX-License-Identifier: GPL-2.0-only
/*
 * What memory holds, and who may write it, after changes of page table entries that
 * a kernel with fork-batch makes in batches: batches that end within a block of
 * contiguous entries, at a table, at a mapping; pages of which only some are
 * exclusive; pages that userfaultfd write-protects; PROT_NONE; moves.
 *
 * Says in KTAP what held. Memory is in folios of 64 KiB: 16 pages of 4 KiB, as many
 * as a block has entries.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE	((size_t)4096)
#define BLOCK	(16 * PAGE)
#define TABLE	(512 * PAGE)
#define SIZE	(2 * TABLE)
#define PAGES	(SIZE / PAGE)
#define RW	(PROT_READ | PROT_WRITE)
#define UFFD_WP	((uint64_t)1 << 57)

static int zero, ends[2];

/* The byte a page is filled with tells pages and their neighbours apart. */
static char filling(size_t page)
{
	return (char)(page * 7 + 1);
}

static void fill(char *start)
{
	for (size_t page = 0; page < PAGES; page++)
		memset(start + page * PAGE, filling(page), PAGE);
}

static void use_folios_of_64k(void)
{
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled", "w");

	if (!file || fputs("always", file) < 0 || fclose(file))
		err(1, "No folios of 64 KiB");
}

/* Two tables' worth of addresses, beginning @within bytes into a table */
static char *addresses(size_t within)
{
	char *start = mmap(NULL, SIZE + 2 * TABLE, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (start == MAP_FAILED)
		err(1, "mmap");
	start = (char *)(((uintptr_t)start + TABLE - 1) & ~(TABLE - 1)) + within;
	munmap(start, SIZE);
	return start;
}

static char *written(void)
{
	char *start = mmap(addresses(0), SIZE, RW,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (start == MAP_FAILED)
		err(1, "mmap");
	fill(start);
	return start;
}

/* The kernel writes and reads a page for us, and says so if it must not. */
static bool writable(char *page)
{
	return pread(zero, page + 1, 1, 0) == 1;
}

static bool readable(const char *page)
{
	char byte;

	return write(ends[1], page, 1) == 1 && read(ends[0], &byte, 1) == 1;
}

static bool holds(const char *start, size_t from, size_t to)
{
	for (size_t page = from; page < to; page++)
		if (start[page * PAGE] != filling(page) ||
		    start[page * PAGE + PAGE - 1] != filling(page))
			return false;
	return true;
}

static bool all_writable(char *start, size_t from, size_t to, bool expected)
{
	for (size_t page = from; page < to; page++)
		if (writable(start + page * PAGE) != expected)
			return false;
	return true;
}

static void protect(char *start, size_t from, size_t to, int protection)
{
	if (mprotect(start + from * PAGE, (to - from) * PAGE, protection))
		err(1, "mprotect");
}

static bool protect_part(size_t from, size_t to)
{
	char *start = written();
	bool right;

	protect(start, from, to, PROT_READ);
	right = all_writable(start, 0, from, true) &&
		all_writable(start, from, to, false) &&
		all_writable(start, to, PAGES, true) && holds(start, 0, PAGES);
	protect(start, from, to, RW);
	right = right && all_writable(start, 0, PAGES, true) && holds(start, 0, PAGES);
	munmap(start, SIZE);
	return right;
}

static bool within_a_block(void)
{
	return protect_part(3, 9);
}

static bool from_block_to_block(void)
{
	return protect_part(5, 53);
}

static bool whole_blocks(void)
{
	return protect_part(16, 64);
}

static bool over_a_table(void)
{
	return protect_part(512 - 21, 512 + 37);
}

static bool not_even_readable(void)
{
	char *start = written();
	bool right;

	protect(start, 8, 40, PROT_NONE);
	right = readable(start + 7 * PAGE) && !readable(start + 8 * PAGE) &&
		!readable(start + 39 * PAGE) && readable(start + 40 * PAGE);
	protect(start, 8, 40, PROT_READ);
	right = right && all_writable(start, 8, 40, false);
	protect(start, 8, 40, RW);
	right = right && all_writable(start, 0, PAGES, true) && holds(start, 0, PAGES);
	munmap(start, SIZE);
	return right;
}

static bool never_written_by_the_parent(const char *start)
{
	for (size_t page = 0; page < PAGES; page++)
		if (start[page * PAGE + 2] != filling(page))
			return false;
	return true;
}

/*
 * A child shares the pages in [from, to) of every block; the others stay exclusive.
 * Once all are read-only their entries are alike, and when they become writable
 * again the parent's writes must not be seen by the child.
 */
static bool child_sees_its_own(size_t from, size_t to)
{
	char *start = written(), byte = 0;
	int go[2], status;
	pid_t child;

	for (size_t block = 0; block < SIZE; block += BLOCK) {
		madvise(start + block, from * PAGE, MADV_DONTFORK);
		madvise(start + block + to * PAGE, BLOCK - to * PAGE, MADV_DONTFORK);
	}
	if (pipe(go))
		err(1, "pipe");
	child = fork();
	if (!child) {
		bool right = read(go[0], &byte, 1) == 1;

		for (size_t page = 0; page < PAGES; page++)
			if (page % 16 >= from && page % 16 < to)
				right = right && start[page * PAGE + 2] == filling(page);
		_exit(!right);
	}
	madvise(start, SIZE, MADV_DOFORK);
	protect(start, 0, PAGES, PROT_READ);
	protect(start, 0, PAGES, RW);
	for (size_t page = 0; page < PAGES; page++)
		start[page * PAGE + 2]++;
	if (write(go[1], &byte, 1) != 1 || waitpid(child, &status, 0) != child)
		err(1, "the child");
	close(go[0]);
	close(go[1]);
	munmap(start, SIZE);
	return !status;
}

static bool some_shared(void)
{
	return child_sees_its_own(4, 12);
}

static bool first_exclusive_alone(void)
{
	return child_sees_its_own(1, 16);
}

static bool last_shared_alone(void)
{
	return child_sees_its_own(15, 16);
}

/* A child's changes of its own entries leave the parent's memory alone. */
static bool forked_and_protected(void)
{
	char *start = written();
	int status;
	pid_t child = fork();

	if (!child) {
		protect(start, 0, PAGES, PROT_READ);
		protect(start, 0, PAGES, RW);
		for (size_t page = 0; page < PAGES; page++)
			start[page * PAGE + 2]++;
		_exit(0);
	}
	waitpid(child, &status, 0);
	return !status && never_written_by_the_parent(start) && !munmap(start, SIZE);
}

static bool move_part(size_t from, size_t to, size_t within)
{
	char *start = written(), *target = addresses(within);
	size_t size = (to - from) * PAGE;
	bool right;

	if (mremap(start + from * PAGE, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, target) !=
	    target)
		err(1, "mremap");
	right = all_writable(target, 0, to - from, true) && holds(start, 0, from) &&
		holds(start, to, PAGES) && all_writable(start, 0, from, true) &&
		!readable(start + from * PAGE) && !readable(start + (to - 1) * PAGE);
	for (size_t page = from; page < to; page++)
		right = right && target[(page - from) * PAGE + 2] == filling(page);
	munmap(target, size);
	munmap(start, SIZE);
	return right;
}

static bool moved_by_blocks(void)
{
	return move_part(16, 528, 32 * PAGE);
}

static bool moved_by_a_page(void)
{
	return move_part(16, 528, PAGE);
}

static bool moved_from_within_blocks(void)
{
	return move_part(7, 523, 7 * PAGE);
}

static uint64_t map_entry(const char *page)
{
	int file = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry = 0;

	if (pread(file, &entry, sizeof(entry), (uintptr_t)page / PAGE * sizeof(entry)) < 0)
		err(1, "/proc/self/pagemap");
	close(file);
	return entry;
}

static void watch_writes(int file, char *start, size_t from, size_t to)
{
	struct uffdio_register all = {
		.range = { (uintptr_t)start, SIZE }, .mode = UFFDIO_REGISTER_MODE_WP,
	};
	struct uffdio_writeprotect part = {
		.range = { (uintptr_t)start + from * PAGE, (to - from) * PAGE },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};
	struct uffdio_api api = { .api = UFFD_API };

	if (ioctl(file, UFFDIO_API, &api) || ioctl(file, UFFDIO_REGISTER, &all) ||
	    ioctl(file, UFFDIO_WRITEPROTECT, &part))
		err(1, "userfaultfd");
}

/* mprotect() keeps the pages that userfaultfd watches, and only those. */
static bool watched(size_t from, size_t to)
{
	int file = syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	char *start = written();
	bool right = true;

	if (file < 0)
		err(1, "userfaultfd");
	watch_writes(file, start, from, to);
	protect(start, 0, PAGES, PROT_READ);
	protect(start, 0, PAGES, RW);
	for (size_t page = 0; page < PAGES; page++)
		right = right && (page >= from && page < to) ==
					 !!(map_entry(start + page * PAGE) & UFFD_WP);
	right = right && all_writable(start, 0, from, true) && holds(start, 0, PAGES);
	close(file);
	munmap(start, SIZE);
	return right;
}

static bool watched_within_a_block(void)
{
	return watched(36, 41);
}

static bool watched_blocks(void)
{
	return watched(32, 96);
}

static bool locked(void)
{
	char *start = written();
	bool right;

	if (mlock(start, SIZE))
		err(1, "mlock");
	protect(start, 0, PAGES, PROT_READ);
	right = all_writable(start, 0, PAGES, false);
	protect(start, 0, PAGES, RW);
	right = right && all_writable(start, 0, PAGES, true) && holds(start, 0, PAGES);
	munmap(start, SIZE);
	return right;
}

static const struct {
	const char *name;
	bool (*holds)(void);
} tests[] = {
	{ "mprotect within a block", within_a_block },
	{ "mprotect from within a block to within another", from_block_to_block },
	{ "mprotect of whole blocks", whole_blocks },
	{ "mprotect over a table", over_a_table },
	{ "PROT_NONE and back", not_even_readable },
	{ "some pages of a block shared with a child", some_shared },
	{ "the first page of a block exclusive alone", first_exclusive_alone },
	{ "the last page of a block shared alone", last_shared_alone },
	{ "a child's own entries", forked_and_protected },
	{ "a move by whole blocks", moved_by_blocks },
	{ "a move by a page", moved_by_a_page },
	{ "a move from within a block", moved_from_within_blocks },
	{ "userfaultfd within a block", watched_within_a_block },
	{ "userfaultfd on blocks", watched_blocks },
	{ "locked memory", locked },
};

int main(void)
{
	size_t count = sizeof(tests) / sizeof(tests[0]);
	bool right = true;

	zero = open("/dev/zero", O_RDONLY);
	if (zero < 0 || pipe(ends))
		err(1, "/dev/zero");
	use_folios_of_64k();
	printf("TAP version 13\n1..%zu\n", count);
	for (size_t i = 0; i < count; i++) {
		bool held = tests[i].holds();

		printf("%sok %zu %s\n", held ? "" : "not ", i + 1, tests[i].name);
		right = right && held;
	}
	return !right;
}
