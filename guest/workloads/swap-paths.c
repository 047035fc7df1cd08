// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tagged memory takes each of the ways there are out of memory and back:
 *
 *	swap-paths [NAME...]
 *
 * Each way is tried by a program of its own, with swap of its own, that makes sure that
 * it was really taken, and that every tag and every byte came back.  The result is in the
 * form of a kselftest.
 */
#include <dirent.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>

#include "numbered-pages.h"
#include "swap-to-zram.h"

#define PAGES		512
#define SWAP_PAGES	(8 * PAGES)
#define ZRAM		"/sys/block/zram0/"
#define ZSWAP		"/sys/module/zswap/parameters/"
#define FOLIOS		"/sys/kernel/mm/transparent_hugepage/hugepages-64kB/"
#define FAILSLAB	"/sys/kernel/debug/failslab/"
#define SLAB		"/sys/kernel/slab/"
#define LIVE		"/sys/kernel/debug/mteswap"
#define SKIP		4

static void skip(const char *why)
{
	printf("# %s\n", why);
	exit(SKIP);
}

static void check(bool good, const char *what)
{
	if (good)
		return;
	printf("# wrong: %s\n", what);
	exit(1);
}

static bool is_there(const char *path)
{
	return !access(path, F_OK);
}

/* The number behind @name in a file of such lines; the first of the file if it is "". */
static unsigned long number_in(const char *path, const char *name)
{
	FILE *file = fopen(path, "r");
	char line[256], format[64];
	unsigned long found = 0;

	if (!file)
		err(1, "%s", path);
	snprintf(format, sizeof(format), "%s %%lu", name);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, format, &found) == 1)
			break;
	fclose(file);
	return found;
}

static void check_all(const char *pages, size_t count, uint64_t number)
{
	check(!wrong_pages(pages, count, number), "a page came back otherwise");
}

static void push_out(char *pages, size_t count)
{
	if (madvise(pages, count * page_size(), MADV_PAGEOUT))
		fail("madvise");
}

static void push_all_out(char *pages, size_t count)
{
	for (int tries = 0; tries < 10 && absent_pages(pages, count) < count; tries++)
		push_out(pages, count);
	check(absent_pages(pages, count) == count, "a page stayed");
}

static char *filled_pages(size_t count, int flags, uint64_t number)
{
	char *pages = map_pages(count, flags);

	/* There is a way for large folios, and zswap takes none. */
	madvise(pages, count * page_size(), MADV_NOHUGEPAGE);
	fill_all(pages, count, number);
	return pages;
}

/* Ways */

static void by_zram(void)
{
	char *pages = filled_pages(PAGES, MAP_PRIVATE, 0);

	push_all_out(pages, PAGES);
	check_all(pages, PAGES, 0);
}

static void by_shared_memory(void)
{
	char *pages = filled_pages(PAGES, MAP_SHARED, 0), *other;

	push_all_out(pages, PAGES);
	check_all(pages, PAGES / 2, 0);
	other = mremap(pages, 0, PAGES * page_size(), MREMAP_MAYMOVE);
	if (other == MAP_FAILED)
		fail("mremap");
	check_all(other, PAGES, 0);
}

/* From zram to its backing device, which is another zram device. */
static void by_zram_writeback(void)
{
	char *pages = filled_pages(PAGES, MAP_PRIVATE, 0);

	push_all_out(pages, PAGES);
	write_text(ZRAM "idle", "all");
	write_text(ZRAM "writeback", "idle");
	check(number_in(ZRAM "bd_stat", "") >= PAGES / 2, "zram wrote few pages back");
	check_all(pages, PAGES, 0);
}

static void prepare_zram_writeback(void)
{
	char size[32];

	if (!is_there(ZRAM "backing_dev"))
		skip("zram has no writeback");
	snprintf(size, sizeof(size), "%zu", SWAP_PAGES * page_size());
	write_text("/sys/block/zram1/disksize", size);
	write_text(ZRAM "backing_dev", "/dev/zram1");
}

static void prepare_zswap(void)
{
	if (!is_there(ZSWAP))
		skip("there is no zswap");
	write_text(ZSWAP "enabled", "1");
	write_text(ZSWAP "max_pool_percent", "50");
}

static void by_zswap(void)
{
	char *pages = filled_pages(PAGES, MAP_PRIVATE, 0);

	push_all_out(pages, PAGES);
	check(number_in("/proc/meminfo", "Zswapped:") >= PAGES / 2 * page_size() >> 10,
	      "zswap has few pages");
	check_all(pages, PAGES, 0);
}

static bool grows(const char *path, const char *name, unsigned long from)
{
	const struct timespec moment = { .tv_nsec = 10000000 };

	for (int tries = 0; tries < 1000 && number_in(path, name) == from; tries++)
		nanosleep(&moment, NULL);
	return number_in(path, name) > from;
}

/* What has no room in zswap any more makes it write to the device behind it. */
static void by_zswap_writeback(void)
{
	char *pages = filled_pages(PAGES, MAP_PRIVATE, 0), *more;
	unsigned long written = number_in("/proc/vmstat", "zswpwb");

	push_all_out(pages, PAGES);
	write_text(ZSWAP "max_pool_percent", "0");
	more = filled_pages(PAGES, MAP_PRIVATE, PAGES);
	push_all_out(more, PAGES);
	check(grows("/proc/vmstat", "zswpwb", written), "zswap wrote nothing back");
	check_all(pages, PAGES, 0);
	check_all(more, PAGES, PAGES);
}

/* Everything comes in when the device goes. */
static void by_swapoff(void)
{
	char *pages = filled_pages(PAGES, MAP_PRIVATE, 0);
	char *shared = filled_pages(PAGES, MAP_SHARED, PAGES);

	push_all_out(pages, PAGES);
	push_all_out(shared, PAGES);
	if (swapoff("/dev/zram0"))
		fail("swapoff");
	check(!absent_pages(pages, PAGES) && !absent_pages(shared, PAGES), "a page is away");
	check_all(pages, PAGES, 0);
	check_all(shared, PAGES, PAGES);
	if (swapon("/dev/zram0", 0))
		fail("swapon");
}

static void prepare_large_folios(void)
{
	if (!is_there(FOLIOS))
		skip("there are no folios of 64 KiB");
	write_text(FOLIOS "enabled", "always");
}

/*
 * Half of each folio is released while it is out.  The pages are too few for what is
 * larger, a block of the page tables.
 */
static void by_large_folios(void)
{
	unsigned long before = number_in(FOLIOS "stats/swpout", "");
	size_t part = (64 << 10) / page_size(), count = PAGES / 2;
	char *pages = map_pages(count, MAP_PRIVATE);

	fill_all(pages, count, 0);
	push_all_out(pages, count);
	check(number_in(FOLIOS "stats/swpout", "") > before, "no large folio was swapped");
	for (size_t i = 0; i < count; i += part) {
		munmap(pages + i * page_size(), part / 2 * page_size());
		check_all(pages + (i + part / 2) * page_size(), part / 2, i + part / 2);
	}
}

/* Tags that are asked for while the page is out are zero. */
static void without_tags(void)
{
	char *pages = fresh_pages(PAGES, 0);
	size_t granules = PAGES * tags_of_page(), wrong = 0;

	memset(pages, 1, PAGES * page_size());
	push_all_out(pages, PAGES);
	if (mprotect(pages, PAGES * page_size(), PROT_READ | PROT_WRITE | PROT_MTE))
		fail("mprotect");
	for (size_t i = 0; i < granules; i++)
		wrong += tag_of(pages + i * GRANULE_BYTES) || pages[i * GRANULE_BYTES] != 1;
	check(!wrong, "a granule came back otherwise");
}

static unsigned long live_bytes(void)
{
	return number_in(LIVE, "stored_bytes") + number_in(LIVE, "uncompressed_bytes");
}

/* CPUs keep a few slots for later; what swapoff leaves would be there for ever. */
static void without_a_rest(void)
{
	unsigned long before, kept = 2 * 64 * sysconf(_SC_NPROCESSORS_CONF) * tags_of_page();
	char *pages;

	if (!is_there(LIVE))
		skip("the kernel does not say what tags take");
	before = live_bytes();
	pages = filled_pages(PAGES, MAP_PRIVATE, 0);
	push_all_out(pages, PAGES);
	check(number_in(LIVE, "uncompressed_bytes") >= PAGES * tags_of_page() / 2,
	      "tags are nowhere");
	fill_all(pages, PAGES, PAGES);
	push_all_out(pages, PAGES);
	munmap(pages, PAGES * page_size());
	check(live_bytes() <= before + kept, "tags of released pages are kept");
	if (swapoff("/dev/zram0"))
		fail("swapoff");
	check(live_bytes() <= before, "tags are kept for ever");
	if (swapon("/dev/zram0", 0))
		fail("swapon");
}

/* Failing allocations */

static unsigned int let_fail(const char *prefix, const char *fails)
{
	DIR *folder = opendir(SLAB);
	struct dirent *entry;
	unsigned int found = 0;
	char path[512];

	if (!folder)
		skip("slab caches cannot be named");
	while ((entry = readdir(folder))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)))
			continue;
		snprintf(path, sizeof(path), SLAB "%s/failslab", entry->d_name);
		write_text(path, fails);
		found++;
	}
	closedir(folder);
	return found;
}

static void prepare_failures(void)
{
	if (!is_there(FAILSLAB))
		skip("allocations cannot be made to fail");
	write_text(FAILSLAB "cache-filter", "Y");
	write_text(FAILSLAB "task-filter", "Y");
	write_text(FAILSLAB "verbose", "0");
	write_text(FAILSLAB "times", "-1");
	write_text(FAILSLAB "probability", "50");
	write_text("/proc/self/make-it-fail", "1");
}

/* Pages stay whose tags cannot be kept, and go when they can. */
static void fail_and_come_back(const char *caches)
{
	char *pages = filled_pages(PAGES, MAP_PRIVATE, 0);
	size_t away;

	for (int round = 0; round < 4; round++) {
		if (!let_fail(caches, "1"))
			skip("there is no such cache");
		push_out(pages, PAGES);
		let_fail(caches, "0");
		away = absent_pages(pages, PAGES);
		printf("# %zu of %d pages went\n", away, PAGES);
		check(away && away < PAGES, "nothing failed, or all");
		check_all(pages, PAGES, round * PAGES);
		fill_all(pages, PAGES, (round + 1) * PAGES);
	}
	push_all_out(pages, PAGES);
	check_all(pages, PAGES, 4 * PAGES);
}

static void without_buffers(void)
{
	fail_and_come_back("mte_tags_");
}

static void without_slots(void)
{
	fail_and_come_back("radix_tree_node");
}

/* Hibernation, with the image in the same swap, and back without power off. */

static void prepare_hibernation(void)
{
	if (!is_there("/sys/power/disk"))
		skip("the kernel does not hibernate");
}

static void by_hibernation(void)
{
	char *pages = filled_pages(PAGES, MAP_PRIVATE, 0);
	char *resident = filled_pages(PAGES, MAP_PRIVATE, PAGES);
	int state = open("/sys/power/state", O_WRONLY);

	push_all_out(pages, PAGES);
	write_text("/sys/power/disk", "test_resume");
	if (state < 0 || write(state, "disk", 4) != 4)
		err(1, "hibernation");
	close(state);
	check(absent_pages(pages, PAGES) == PAGES, "a page is there again");
	check_all(resident, PAGES, PAGES);
	check_all(pages, PAGES, 0);
}

/* All of them */

static void nothing(void)
{
}

static const struct way {
	const char *name;
	void (*prepare)(void);	/* before there is swap */
	void (*take)(void);
	size_t swap_pages;
} ways[] = {
	{ "zram", nothing, by_zram, SWAP_PAGES },
	{ "shared-memory", nothing, by_shared_memory, SWAP_PAGES },
	{ "zram-writeback", prepare_zram_writeback, by_zram_writeback, SWAP_PAGES },
	{ "zswap", prepare_zswap, by_zswap, SWAP_PAGES },
	{ "zswap-writeback", prepare_zswap, by_zswap_writeback, SWAP_PAGES },
	{ "swapoff", nothing, by_swapoff, SWAP_PAGES },
	{ "large-folios", prepare_large_folios, by_large_folios, SWAP_PAGES },
	{ "without-tags", nothing, without_tags, SWAP_PAGES },
	{ "without-a-rest", nothing, without_a_rest, SWAP_PAGES },
	{ "without-buffers", prepare_failures, without_buffers, SWAP_PAGES },
	{ "without-slots", prepare_failures, without_slots, SWAP_PAGES },
	{ "hibernation", prepare_hibernation, by_hibernation, 256 * PAGES },
};

#define WAYS	(sizeof(ways) / sizeof(ways[0]))

static void restore_settings(void)
{
	if (is_there(ZSWAP))
		write_text(ZSWAP "enabled", "0");
	if (is_there(FOLIOS))
		write_text(FOLIOS "enabled", "never");
	if (is_there(FAILSLAB))
		write_text(FAILSLAB "probability", "0");
}

/* Pages that another CPU has yet to put on a list cannot be pushed out. */
static void stay_on_one_cpu(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		fail("sched_setaffinity");
}

static int try_way(const struct way *way)
{
	pid_t child = fork();
	int status;

	if (!child) {
		stay_on_one_cpu();
		way->prepare();
		swap_to_zram(way->swap_pages);
		way->take();
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		fail("fork");
	restore_settings();
	if (swapoff("/dev/zram0") && errno != EINVAL)
		fail("swapoff");
	write_text(ZRAM "reset", "1");
	write_text("/sys/block/zram1/reset", "1");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static bool is_wanted(const char *name, int count, char **names)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return true;
	return !count;
}

int main(int argc, char **argv)
{
	int number = 0, failed = 0;

	need_memory_tagging();
	add_zram();
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	for (size_t i = 0; i < WAYS; i++) {
		int status;

		if (!is_wanted(ways[i].name, argc - 1, argv + 1))
			continue;
		status = try_way(&ways[i]);
		failed |= status && status != SKIP;
		printf("%sok %d %s%s\n", status && status != SKIP ? "not " : "", ++number,
		       ways[i].name, status == SKIP ? " # SKIP" : "");
	}
	printf("1..%d\n", number);
	return failed || !number;
}
