// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One change of the page table entries of written, young memory, populated afresh.
 *
 *	page-tables OPERATION MEMORY FOLIO [MIB]
 *
 * OPERATION is what the region of interest, named after it, has:
 *
 *	first-fork	fork() of memory that is writable, exit of the child, wait
 *	later-fork	the same once a fork has made everything read-only
 *	mprotect	read-only and writable again
 *	mremap		a move by 64 KiB more than whole page tables
 *	munmap
 *
 * MEMORY is
 *
 *	anonymous
 *	shared-file	a file of the kernel's own tmpfs, mapped shared and written
 *	private-file	the same file mapped private and read; one page beyond those
 *			counted is written, or fork() would leave the tables out
 *
 * FOLIO is the size of the folios in KiB, 4, 16, 64 or 2048 as one PMD, or
 * "2048-ptes", the last with page tables and anonymous memory alone.  The program stops unless each folio
 * has that size.  MIB of memory, 64 unless told; 0 measures what is no page's.
 */
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <granule.h>

#define KIB		((size_t)1 << 10)
#define TABLE_SIZE	(2048 * KIB)
#define BATCH		512

/* linux/kernel-page-flags.h, Documentation/admin-guide/mm/pagemap.rst */
#define COMPOUND_HEAD	((uint64_t)1 << 15)
#define COMPOUND_TAIL	((uint64_t)1 << 16)
#define PRESENT		((uint64_t)1 << 63)
#define PFN_MASK	(((uint64_t)1 << 55) - 1)

struct memory {
	char *start;
	size_t size;
	/* Of one folio, in base pages, and whether one PMD maps it */
	size_t pages;
	bool by_pmd;
};

static size_t page_size;

/* Sizes of folios: which are allowed, and which are there */

static const char *const controls[] = { "enabled", "shmem_enabled" };

static void allow(size_t kib, const char *control, const char *value)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path),
		 "/sys/kernel/mm/transparent_hugepage/hugepages-%zukB/%s", kib, control);
	file = fopen(path, "w");
	if (!file)
		return;
	if (fputs(value, file) < 0 || fclose(file))
		err(1, "%s cannot be set to '%s'", path, value);
}

static void allow_only(size_t kib)
{
	for (size_t control = 0; control < 2; control++)
		for (size_t other = 2 * page_size / KIB; other <= TABLE_SIZE / KIB; other *= 2)
			allow(other, controls[control], other == kib ? "always" : "never");
}

static void read_at(int file, uint64_t *words, size_t count, uint64_t index)
{
	ssize_t size = count * sizeof(*words);

	if (pread(file, words, size, index * sizeof(*words)) != size)
		err(1, "The kernel does not say which folios the memory is in");
}

static uint64_t expected_flags(const struct memory *memory, size_t page)
{
	if (memory->pages == 1)
		return 0;
	return page % memory->pages ? COMPOUND_TAIL : COMPOUND_HEAD;
}

static void check_page(const struct memory *memory, size_t page, uint64_t entry, int flags)
{
	uint64_t word;

	if (!(entry & PRESENT) || !(entry & PFN_MASK))
		errx(1, "Page %zu is not mapped", page);
	read_at(flags, &word, 1, entry & PFN_MASK);
	if ((word & (COMPOUND_HEAD | COMPOUND_TAIL)) != expected_flags(memory, page))
		errx(1, "Page %zu is not in a folio of %zu pages", page, memory->pages);
}

static void check_folios(const struct memory *memory)
{
	int map = open("/proc/self/pagemap", O_RDONLY);
	int flags = open("/proc/kpageflags", O_RDONLY);
	size_t count = memory->size / page_size;
	uint64_t entries[BATCH];

	for (size_t page = 0; page < count; page++) {
		if (page % BATCH == 0)
			read_at(map, entries, BATCH < count - page ? BATCH : count - page,
				(uintptr_t)memory->start / page_size + page);
		check_page(memory, page, entries[page % BATCH], flags);
	}
	close(map);
	close(flags);
}

/* KiB of all mappings that a PMD maps: the sum of three lines of smaps_rollup */
static size_t mapped_by_pmd(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	size_t kib, sum = 0;
	char line[128];

	if (!file)
		err(1, "/proc/self/smaps_rollup");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "AnonHugePages: %zu", &kib) == 1 ||
		    sscanf(line, "ShmemPmdMapped: %zu", &kib) == 1 ||
		    sscanf(line, "FilePmdMapped: %zu", &kib) == 1)
			sum += kib;
	fclose(file);
	return sum;
}

static void check(const struct memory *memory)
{
	size_t pmds = mapped_by_pmd();

	check_folios(memory);
	if (memory->by_pmd ? pmds * KIB < memory->size : pmds != 0)
		errx(1, "%zu KiB are mapped by PMDs", pmds);
}

/* Memory */

static char *map(void *where, size_t size, int flags, int file)
{
	char *start = mmap(where, size, PROT_READ | PROT_WRITE, flags, file, 0);

	if (start == MAP_FAILED)
		err(1, "mmap");
	return start;
}

/* Addresses for @size and two more tables, beginning where a table begins */
static char *reserve(size_t size)
{
	size_t room = size + 3 * TABLE_SIZE;
	char *start = mmap(NULL, room, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (start == MAP_FAILED)
		err(1, "mmap");
	return (char *)(((uintptr_t)start + TABLE_SIZE - 1) & ~(TABLE_SIZE - 1));
}

static int file_of(const char *start, size_t size)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx",
		 (unsigned long)start, (unsigned long)(start + size));
	file = open(path, O_RDWR);
	if (file < 0)
		err(1, "%s", path);
	return file;
}

static void touch(volatile char *start, size_t size)
{
	for (size_t at = 0; at < size; at += page_size)
		(void)start[at];
}

static void map_private_file(char *where, size_t size)
{
	/* The table beyond those counted has the page that is written. */
	size_t all = size + TABLE_SIZE;
	char *cache = map(reserve(all), all, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1);
	int file = file_of(cache, all);

	memset(cache, 1, all);
	munmap(cache, all);
	map(where, all, MAP_PRIVATE | MAP_FIXED, file);
	close(file);
	touch(where, size);
	where[size] = 1;
}

static void populate(const struct memory *memory, const char *kind)
{
	int anonymous = MAP_ANONYMOUS | MAP_FIXED;

	if (!strcmp(kind, "private-file")) {
		map_private_file(memory->start, memory->size);
		return;
	}
	if (strcmp(kind, "shared-file") && strcmp(kind, "anonymous"))
		errx(2, "'%s' is no memory", kind);
	if (!memory->size)
		return;
	anonymous |= strcmp(kind, "anonymous") ? MAP_SHARED : MAP_PRIVATE;
	memset(map(memory->start, memory->size, anonymous, -1), 1, memory->size);
}

static void protect(char *start, size_t size, int protection)
{
	if (mprotect(start, size, protection))
		err(1, "mprotect");
}

/* Another protection of one page makes a table of a PMD; the last page of a block,
 * put back, is where the kernel looks whether the block is contiguous. */
static void split_pmds(const struct memory *memory)
{
	for (size_t end = TABLE_SIZE; end <= memory->size; end += TABLE_SIZE) {
		protect(memory->start + end - page_size, page_size, PROT_READ);
		protect(memory->start + end - page_size, page_size, PROT_READ | PROT_WRITE);
	}
}

/* Operations */

static void fork_once(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	if (child < 0 || waitpid(child, NULL, 0) != child)
		err(1, "fork");
}

static void first_fork(const struct memory *memory)
{
	(void)memory;
	granule_open("first-fork");
	fork_once();
	granule_close("first-fork");
}

static void later_fork(const struct memory *memory)
{
	(void)memory;
	fork_once();
	granule_open("later-fork");
	fork_once();
	granule_close("later-fork");
}

static void mprotect_there_and_back(const struct memory *memory)
{
	granule_open("mprotect");
	protect(memory->start, memory->size, PROT_READ);
	protect(memory->start, memory->size, PROT_READ | PROT_WRITE);
	granule_close("mprotect");
}

static void move(const struct memory *memory)
{
	char *target = reserve(memory->size) + 64 * KIB;
	void *moved;

	granule_open("mremap");
	moved = mremap(memory->start, memory->size, memory->size,
		       MREMAP_MAYMOVE | MREMAP_FIXED, target);
	granule_close("mremap");
	if (memory->size && (moved != target || target[memory->size - 1] != 1))
		err(1, "mremap");
}

static void unmap(const struct memory *memory)
{
	granule_open("munmap");
	munmap(memory->start, memory->size);
	granule_close("munmap");
}

static const struct {
	const char *name;
	void (*run)(const struct memory *memory);
} operations[] = {
	{ "first-fork", first_fork },
	{ "later-fork", later_fork },
	{ "mprotect", mprotect_there_and_back },
	{ "mremap", move },
	{ "munmap", unmap },
};

static void run(const char *name, const struct memory *memory)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (!strcmp(operations[i].name, name)) {
			operations[i].run(memory);
			return;
		}
	errx(2, "'%s' is no operation", name);
}

int main(int argc, char **argv)
{
	struct memory memory;
	size_t kib;

	if (argc < 4)
		errx(2, "usage: page-tables OPERATION MEMORY FOLIO [MIB]");
	page_size = sysconf(_SC_PAGESIZE);
	kib = strtoul(argv[3], NULL, 10);
	memory.size = (argc > 4 ? strtoul(argv[4], NULL, 10) : 64) << 20;
	memory.start = reserve(memory.size);
	memory.pages = kib * KIB / page_size;
	memory.by_pmd = !strcmp(argv[3], "2048");

	allow_only(kib);
	populate(&memory, argv[2]);
	if (kib == 2048 && !memory.by_pmd) {
		if (strcmp(argv[2], "anonymous"))
			errx(2, "Only anonymous memory keeps its pages when a PMD is split");
		/* Nothing may put the PMDs together again. */
		allow_only(0);
		split_pmds(&memory);
	}
	check(&memory);
	run(argv[1], &memory);
	printf("%zu pages\n", memory.size / page_size);
	return 0;
}
