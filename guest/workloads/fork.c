// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fork() of a process with written anonymous memory, exit of the child, wait.
 *
 *	fork [MIB [COUNT [FOLIOS]]]
 *
 * MIB of memory, 64 unless told, forked COUNT times, 8 unless told.  It is in
 * base pages, or, when FOLIOS is "large", in folios as large as the machine's
 * settings allow.  The first fork write-protects every page and the later ones
 * find that done, so compare iterations with their own kind: the first apart
 * from the rest.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <granule.h>

static void fork_once(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	if (child < 0 || waitpid(child, NULL, 0) != child) {
		perror("fork");
		exit(1);
	}
}

static void written_memory(size_t size, int advice)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	/* Kernels without huge pages refuse the advice and need none. */
	madvise(memory, size, advice);
	memset(memory, 1, size);
}

int main(int argc, char **argv)
{
	size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 64;
	int count = argc > 2 ? atoi(argv[2]) : 8;
	bool large = argc > 3 && !strcmp(argv[3], "large");

	written_memory(mib << 20, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	granule_open("fork");
	for (int i = 0; i < count; i++) {
		fork_once();
		granule_iteration("fork");
	}
	granule_close("fork");
	return 0;
}
