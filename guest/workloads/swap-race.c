// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tagged memory goes to zram and comes back while other threads do the same to theirs:
 *
 *	swap-race SECONDS
 *
 * Four workers, each with a thread, and one that takes a swap device away and brings it
 * back.  Each page has a number that its tags and its data are made from, and is checked
 * against it.  The result is in the form of a kselftest; it fails if a page came back
 * otherwise, or a worker did nothing: did not see one page swapped out, or one device
 * taken away.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "numbered-pages.h"
#include "swap-to-zram.h"

#define PAGES		128
#define GROUP_PAGES	(12 * PAGES)	/* may be in memory; with a third of it some rounds ran out */
#define GROUP		"/sys/fs/cgroup/swap-race"
#define SECOND_DEVICE	"/dev/zram1"

static atomic_bool stop;

/* What a worker did: pages that it found in swap, or devices that it took away. */
static __thread unsigned long done;

/* Fails where there is no swap for a moment; then the pages stay. */
static void push_out(char *pages, size_t count)
{
	madvise(pages, count * page_size(), MADV_PAGEOUT);
	done += absent_pages(pages, count);
}

static unsigned long wait_for(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child)
		fail("fork");
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

/* Rounds of the workers: how many pages came back otherwise */

/* The child shares the swap slots, and gives some of the pages tags of its own. */
static unsigned long fork_round(uint64_t number)
{
	char *pages = map_pages(PAGES, MAP_PRIVATE);
	unsigned long wrong;
	pid_t child;

	fill_all(pages, PAGES, number);
	push_out(pages, PAGES);
	child = fork();
	if (!child) {
		wrong = wrong_pages(pages, PAGES, number);
		fill_all(pages, PAGES / 2, ~number);
		push_out(pages, PAGES);
		_exit(wrong + wrong_pages(pages, PAGES / 2, ~number) != 0);
	}
	wrong = wrong_pages(pages, PAGES, number) + wait_for(child);
	munmap(pages, PAGES * page_size());
	return wrong;
}

/* Slots are released while neighbours are read, and taken by others at once. */
static unsigned long munmap_round(uint64_t number)
{
	char *pages = map_pages(PAGES, MAP_PRIVATE);
	unsigned long wrong = 0;

	fill_all(pages, PAGES, number);
	push_out(pages, PAGES);
	for (size_t i = 0; i < PAGES; i++) {
		char *page = pages + i * page_size();

		if ((number + i) % 3)
			wrong += !is_right(page, number + i);
		else
			munmap(page, page_size());
	}
	munmap(pages, PAGES * page_size());
	return wrong;
}

/* Shared memory is written to swap by another path; pages go out and in again. */
static unsigned long shared_round(uint64_t number)
{
	char *pages = map_pages(PAGES, MAP_SHARED);
	unsigned long wrong = 0;

	fill_all(pages, PAGES, number);
	for (unsigned int i = 0; i < 3; i++) {
		push_out(pages, PAGES);
		wrong += wrong_pages(pages, PAGES, number);
		fill_all(pages + i * page_size(), 1, number + i);
	}
	munmap(pages, PAGES * page_size());
	return wrong;
}

static void enter_group(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", getpid());
	write_text(GROUP "/cgroup.procs", text);
}

/* In a control group that has room for half of the memory. */
static unsigned long limit_round(uint64_t number)
{
	pid_t child = fork();
	unsigned long wrong;
	char *pages;

	if (!child) {
		enter_group();
		pages = map_pages(2 * GROUP_PAGES, MAP_PRIVATE);
		fill_all(pages, 2 * GROUP_PAGES, number);
		if (!absent_pages(pages, 2 * GROUP_PAGES))
			_exit(1);
		wrong = wrong_pages(pages, 2 * GROUP_PAGES, number);
		_exit(wrong != 0);
	}
	done++;
	return wait_for(child);
}

/*
 * A device that went away is not there; one that did not, because memory cannot hold what
 * is in it, is.  Only a program with signals could be interrupted.
 */
static unsigned long swapoff_round(uint64_t number)
{
	(void)number;
	usleep(20000);
	if (swapoff(SECOND_DEVICE)) {
		if (errno != ENOMEM)
			fail("swapoff");
		return 0;
	}
	usleep(5000);
	if (swapon(SECOND_DEVICE, SWAP_FLAG_PREFER | 10))
		fail("swapon");
	done++;
	return 0;
}

/* Workers */

static struct worker {
	const char *name;
	unsigned long (*round)(uint64_t number);
	unsigned long rounds, done, wrong;
	pthread_t thread;
} workers[] = {
	{ .name = "fork", .round = fork_round },
	{ .name = "munmap", .round = munmap_round },
	{ .name = "shared memory", .round = shared_round },
	{ .name = "control group", .round = limit_round },
	{ .name = "swapoff", .round = swapoff_round },
};

#define WORKERS	(sizeof(workers) / sizeof(workers[0]))

static void *work(void *argument)
{
	struct worker *worker = argument;
	uint64_t number = (uint64_t)(worker - workers) << 56;

	while (!stop) {
		worker->wrong += worker->round(number);
		worker->rounds++;
		number += 100 * PAGES + 1;
	}
	worker->done = done;
	return NULL;
}

/* A group with less memory than its program wants. */
static void make_group(void)
{
	char most[32];

	mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL);
	write_text("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	mkdir(GROUP, 0755);
	snprintf(most, sizeof(most), "%zu", GROUP_PAGES * page_size());
	write_text(GROUP "/memory.max", most);
}

/* Folios of 64 KiB are swapped as a whole. */
static void allow_large_folios(void)
{
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled", "w");

	if (file) {
		fputs("always", file);
		fclose(file);
	}
}

/* The device that is never taken away, and the one that is, and is preferred. */
static void make_swap(void)
{
	add_zram();
	swap_to_zram(64 * PAGES);
	make_zram_swap("1", 32 * PAGES, 10);
}

static int report(void)
{
	int failed = 0;

	printf("TAP version 13\n1..%zu\n", WORKERS);
	for (size_t i = 0; i < WORKERS; i++) {
		const struct worker *worker = &workers[i];
		bool good = !worker->wrong && worker->done;

		printf("%sok %zu %s\n", good ? "" : "not ", i + 1, worker->name);
		printf("# %lu rounds, %lu done, %lu wrong\n", worker->rounds, worker->done,
		       worker->wrong);
		failed |= !good;
	}
	return failed;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		errx(2, "usage: swap-race SECONDS");
	need_memory_tagging();
	make_swap();
	make_group();
	allow_large_folios();
	for (size_t i = 0; i < WORKERS; i++)
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	sleep(atoi(argv[1]));
	stop = true;
	for (size_t i = 0; i < WORKERS; i++)
		pthread_join(workers[i].thread, NULL);
	return report();
}
