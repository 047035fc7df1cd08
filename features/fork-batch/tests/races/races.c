// SPDX-License-Identifier: GPL-2.0-only
/*
 * races SECONDS: four threads change the page table entries of the memory they share,
 * all at once: fork(), mprotect(), mremap(), madvise(), swapping, khugepaged and
 * compaction. Says in KTAP what held, and in comments how often each was done.
 *
 * Each page has one thread that writes to it and knows what it must hold. Protecting,
 * moving and refilling happen under a lock, writing and reading under none: who hits
 * memory that is read-only or elsewhere takes a SIGSEGV and goes on.
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS	4
#define PAGE	((size_t)4096)
#define WORDS	(PAGE / sizeof(uint64_t))
#define BLOCK	16
#define TABLE	512
/* Two tables, and half a table beyond each end of them */
#define PAGES	(3 * TABLE)
#define OWN	(4 * BLOCK)
#define RW	(PROT_READ | PROT_WRITE)
#define SWAP	((size_t)512 << 20)

enum fault { LOST, READ_ONLY, HIDDEN, MOVED, FOREIGN, FREED, FAULTS };

static const char *const statements[FAULTS] = {
	[LOST] = "what was written is there",
	[READ_ONLY] = "what is read-only does not change",
	[HIDDEN] = "what has no permission cannot be read",
	[MOVED] = "what is moved is there and nowhere else",
	[FOREIGN] = "what a child has is its own",
	[FREED] = "what is written behind MADV_FREE stays",
};

static unsigned long faults[FAULTS];
static char *memory, *elsewhere, *private_memory;
static uint64_t expected[PAGES];
static pthread_mutex_t arranging = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t refilling = PTHREAD_RWLOCK_INITIALIZER;
static volatile bool stop;

static _Thread_local sigjmp_buf beyond;
static _Thread_local volatile sig_atomic_t guarded;
static _Thread_local uint64_t dice;
static _Thread_local size_t self;

static void found(enum fault fault)
{
	__atomic_fetch_add(&faults[fault], 1, __ATOMIC_RELAXED);
}

/* Accesses that may fail */

static void take_fault(int number)
{
	if (!guarded) {
		signal(number, SIG_DFL);
		return;
	}
	siglongjmp(beyond, 1);
}

static bool load(const volatile uint64_t *word, uint64_t *value)
{
	bool loaded = false;

	guarded = true;
	if (!sigsetjmp(beyond, 0)) {
		*value = *word;
		loaded = true;
	}
	guarded = false;
	return loaded;
}

static bool store(volatile uint64_t *word, uint64_t value)
{
	bool stored = false;

	guarded = true;
	if (!sigsetjmp(beyond, 0)) {
		*word = value;
		stored = true;
	}
	guarded = false;
	return stored;
}

/* Where and what */

static uint64_t *word_of(char *start, size_t page)
{
	/* Another word of each page, so that a page in another's place is noticed */
	return (uint64_t *)(start + page * PAGE) + page % WORDS;
}

static uint64_t roll(uint64_t sides)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return dice % sides;
}

struct range {
	size_t from, to;
};

/* Every other range consists of whole blocks. */
static struct range some_pages(void)
{
	struct range range = { .from = roll(PAGES) };

	range.to = range.from + 1 + roll(6 * BLOCK);
	if (roll(2)) {
		range.from -= range.from % BLOCK;
		range.to += BLOCK - range.to % BLOCK;
	}
	if (range.to > PAGES)
		range.to = PAGES;
	return range;
}

static size_t size_of(struct range range)
{
	return (range.to - range.from) * PAGE;
}

static char *at(struct range range)
{
	return memory + range.from * PAGE;
}

static void read_pages(char *start, struct range range, uint64_t *values)
{
	for (size_t page = range.from; page < range.to; page++)
		if (!load(word_of(start, page), &values[page - range.from]))
			values[page - range.from] = UINT64_MAX;
}

static bool changes(char *start, struct range range)
{
	uint64_t before[PAGES], after[PAGES];

	read_pages(start, range, before);
	for (unsigned int i = roll(3000); i; i--)
		__asm__ volatile("" ::: "memory");
	read_pages(start, range, after);
	return memcmp(before, after, (range.to - range.from) * sizeof(before[0]));
}

/* What the threads do */

static void write_own(void)
{
	struct range range = some_pages();
	uint64_t value;

	pthread_rwlock_rdlock(&refilling);
	for (size_t page = range.from; page < range.to; page++) {
		uint64_t *word = word_of(memory, page);

		if (page % THREADS != self || !load(word, &value))
			continue;
		if (value != expected[page])
			found(LOST);
		if (store(word, value + 1))
			expected[page] = value + 1;
	}
	pthread_rwlock_unlock(&refilling);
}

static void make_read_only(void)
{
	struct range range = some_pages();
	uint64_t value;

	pthread_mutex_lock(&arranging);
	if (!mprotect(at(range), size_of(range), PROT_READ)) {
		if (changes(memory, range))
			found(READ_ONLY);
		for (size_t page = range.from; page < range.to; page += 3)
			if (!load(word_of(memory, page), &value) ||
			    store(word_of(memory, page), value))
				found(READ_ONLY);
		mprotect(at(range), size_of(range), RW);
	}
	pthread_mutex_unlock(&arranging);
}

static void hide(void)
{
	struct range range = some_pages();
	uint64_t value;

	pthread_mutex_lock(&arranging);
	if (!mprotect(at(range), size_of(range), PROT_NONE)) {
		for (size_t page = range.from; page < range.to; page++)
			if (load(word_of(memory, page), &value))
				found(HIDDEN);
		mprotect(at(range), size_of(range), RW);
	}
	pthread_mutex_unlock(&arranging);
}

static void move(void)
{
	struct range range = some_pages();
	size_t size = size_of(range);
	/* By whole blocks, or by pages; the pages keep their numbers. */
	size_t by = roll(2) ? roll(2 * TABLE) * PAGE : roll(2 * TABLE / BLOCK) * BLOCK * PAGE;
	char *target = elsewhere + range.from * PAGE + by;

	pthread_mutex_lock(&arranging);
	if (mremap(at(range), size, size, MREMAP_MAYMOVE | MREMAP_FIXED, target) == target) {
		uint64_t value;

		if (changes(elsewhere + by, range) || load((uint64_t *)at(range), &value))
			found(MOVED);
		if (mremap(target, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at(range)) !=
		    at(range))
			err(1, "mremap back");
	}
	pthread_mutex_unlock(&arranging);
}

/* New folios for a while, with what the old ones held */
static void refill(void)
{
	struct range range = { .from = roll(PAGES / BLOCK) * BLOCK };
	static char kept[4 * BLOCK * 4096];

	range.to = range.from + 4 * BLOCK < PAGES ? range.from + 4 * BLOCK : PAGES;
	pthread_mutex_lock(&arranging);
	pthread_rwlock_wrlock(&refilling);
	memcpy(kept, at(range), size_of(range));
	madvise(at(range), size_of(range), MADV_DONTNEED);
	memcpy(at(range), kept, size_of(range));
	pthread_rwlock_unlock(&refilling);
	pthread_mutex_unlock(&arranging);
}

static bool child_owns(void)
{
	struct range all = { 0, PAGES };
	uint64_t value;

	if (changes(memory, all))
		return false;
	for (size_t page = 0; page < PAGES; page++)
		if (store(word_of(memory, page), page))
			if (!load(word_of(memory, page), &value) || value != page)
				return false;
	/* It fails, and stops, where memory was elsewhere when the child was made. */
	if (mprotect(memory, PAGES * PAGE, PROT_READ))
		return true;
	for (size_t page = 0; page < PAGES; page += 5)
		if (store(word_of(memory, page), 0))
			return false;
	return !changes(memory, all);
}

static void have_child(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(!child_owns());
	if (child < 0 || waitpid(child, &status, 0) != child)
		err(1, "fork");
	if (status)
		found(FOREIGN);
}

static void swap_out(void)
{
	struct range range = some_pages();

	madvise(at(range), size_of(range), roll(4) ? MADV_PAGEOUT : MADV_COLD);
}

static void compact(void)
{
	FILE *file = fopen("/proc/sys/vm/compact_memory", "w");

	if (file) {
		fputs("1", file);
		fclose(file);
	}
}

/* Pages that are lost unless dirty: even ones become so behind MADV_FREE. */
static void free_lazily(void)
{
	char *own = private_memory + self * OWN * PAGE;
	bool protects = roll(2);

	madvise(own, OWN * PAGE, MADV_DONTNEED);
	for (size_t page = 0; page < OWN; page++)
		*word_of(own, page) = 1;
	if (roll(2))
		have_child();
	madvise(own, OWN * PAGE, MADV_FREE);
	for (size_t page = 0; page < OWN; page += 2)
		*word_of(own, page) = 2;
	if (protects) {
		mprotect(own, OWN * PAGE, PROT_READ);
		mprotect(own, OWN * PAGE, RW);
	}
	madvise(own, OWN * PAGE, MADV_PAGEOUT);
	for (size_t page = 0; page < OWN; page++) {
		uint64_t value = *word_of(own, page);

		if (page % 2 ? value > 1 : value != 2)
			found(FREED);
	}
}

static struct deed {
	const char *name;
	unsigned int weight;
	void (*work)(void);
	unsigned long times;
} deeds[] = {
	{ "sweeps of writes", 40, write_own, 0 },
	{ "ranges read-only", 16, make_read_only, 0 },
	{ "ranges without permission", 6, hide, 0 },
	{ "moves", 16, move, 0 },
	{ "refills", 6, refill, 0 },
	{ "children", 3, have_child, 0 },
	{ "swap-outs", 6, swap_out, 0 },
	{ "compactions", 1, compact, 0 },
	{ "lazy frees", 6, free_lazily, 0 },
};

#define DEEDS	(sizeof(deeds) / sizeof(deeds[0]))

static void *race(void *number)
{
	self = (size_t)number;
	dice = 0x9e3779b97f4a7c15 * (self + 1);
	while (!stop) {
		unsigned int left = roll(100);
		struct deed *deed = deeds;

		while (left >= deed->weight && deed < &deeds[DEEDS - 1])
			left -= deed++->weight;
		deed->work();
		__atomic_fetch_add(&deed->times, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* The machine */

static void set(const char *path, const char *value)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(value, file) < 0 || fclose(file))
		err(1, "%s cannot be set to '%s'", path, value);
}

#define THP	"/sys/kernel/mm/transparent_hugepage/"

static void use_large_folios(void)
{
	set(THP "hugepages-64kB/enabled", "always");
	set(THP "hugepages-2048kB/enabled", "madvise");
	set(THP "khugepaged/scan_sleep_millisecs", "10");
	set(THP "khugepaged/alloc_sleep_millisecs", "10");
	set(THP "khugepaged/pages_to_scan", "4096");
}

/* linux/swap.h: union swap_header */
static void swap_to_zram(void)
{
	uint32_t header[1024] = { [256] = 1, [257] = SWAP / PAGE - 1 };
	FILE *file;

	set("/sys/block/zram0/disksize", "512M");
	memcpy((char *)header + PAGE - 10, "SWAPSPACE2", 10);
	file = fopen("/dev/zram0", "r+");
	if (!file || fwrite(header, PAGE, 1, file) != 1 || fclose(file) ||
	    swapon("/dev/zram0", 0))
		err(1, "No swap");
}

static char *map(char *where, size_t size, int protection, int flags)
{
	char *start = mmap(where, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (start == MAP_FAILED)
		err(1, "mmap");
	return start;
}

/* All addresses lie in one stretch, with room between that nothing else is mapped to. */
static void map_memory(void)
{
	size_t room = 16 * TABLE * PAGE;
	char *start = map(NULL, room, PROT_NONE, MAP_NORESERVE);

	start = (char *)(((uintptr_t)start + TABLE * PAGE - 1) & ~(TABLE * PAGE - 1));
	memory = map(start + TABLE / 2 * PAGE, PAGES * PAGE, RW, MAP_FIXED);
	private_memory = map(start + 4 * TABLE * PAGE, THREADS * OWN * PAGE, RW, MAP_FIXED);
	elsewhere = start + 5 * TABLE * PAGE;
	for (size_t page = 0; page < PAGES; page++)
		*word_of(memory, page) = expected[page] = page << 32;
	madvise(memory, PAGES * PAGE, MADV_HUGEPAGE);
}

static void race_for(unsigned int seconds)
{
	pthread_t threads[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, race, (void *)i))
			errx(1, "No thread");
	sleep(seconds);
	stop = true;
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = take_fault, .sa_flags = SA_NODEFER };
	bool right = true;

	if (argc != 2)
		errx(2, "usage: races SECONDS");
	sigaction(SIGSEGV, &action, NULL);
	use_large_folios();
	swap_to_zram();
	map_memory();
	race_for(strtoul(argv[1], NULL, 10));

	printf("TAP version 13\n1..%d\n", FAULTS);
	for (size_t i = 0; i < DEEDS; i++)
		printf("# %lu %s\n", deeds[i].times, deeds[i].name);
	for (int i = 0; i < FAULTS; i++) {
		printf("%sok %d %s\n", faults[i] ? "not " : "", i + 1, statements[i]);
		if (faults[i])
			printf("# %lu times not\n", faults[i]);
		right = right && !faults[i];
	}
	return !right;
}
