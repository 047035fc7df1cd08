// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults that write to each page of fresh memory, in a memory cgroup, and the unmapping
 * of it: what page_fault1 to 3 of will-it-scale do.
 *
 *	page-fault MEMORY [MIB]
 *
 * MEMORY is "anonymous", "private-file" or "shared-file", the last two of the kernel's
 * own tmpfs.  MIB of it, 64 unless told, all in base pages.  The region "page-fault" has
 * the faults and the unmapping; pages of a shared file stay in the file.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <granule.h>

#define HIERARCHY	"/tmp/page-fault-cgroup"
#define GROUP		HIERARCHY "/group"

static void set(const char *path, const char *value)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(value, file) < 0 || fclose(file))
		err(1, "%s cannot be set to '%s'", path, value);
}

/* The root group is not charged, and a group that is has controllers of its own. */
static void enter_group(void)
{
	if (mkdir(HIERARCHY, 0755) || mount("none", HIERARCHY, "cgroup2", 0, NULL))
		err(1, "no control groups");
	set(HIERARCHY "/cgroup.subtree_control", "+memory");
	if (mkdir(GROUP, 0755))
		err(1, "no group");
	set(GROUP "/cgroup.procs", "0");
}

static int file_of(size_t size)
{
	int file = memfd_create("page-fault", 0);

	if (file < 0 || ftruncate(file, size))
		err(1, "no file of %zu bytes", size);
	return file;
}

static char *map(const char *memory, size_t size)
{
	int flags, file = -1;
	char *start;

	if (!strcmp(memory, "anonymous"))
		flags = MAP_PRIVATE | MAP_ANONYMOUS;
	else if (!strcmp(memory, "private-file"))
		flags = MAP_PRIVATE;
	else if (!strcmp(memory, "shared-file"))
		flags = MAP_SHARED;
	else
		errx(2, "'%s' is no kind of memory", memory);
	if (!(flags & MAP_ANONYMOUS))
		file = file_of(size);
	start = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, file, 0);
	if (start == MAP_FAILED)
		err(1, "mmap");
	/* Kernels without huge pages refuse the advice and need none. */
	madvise(start, size, MADV_NOHUGEPAGE);
	return start;
}

int main(int argc, char **argv)
{
	size_t size = (argc > 2 ? strtoul(argv[2], NULL, 10) : 64) << 20;
	size_t page = sysconf(_SC_PAGESIZE);
	char *start;

	if (argc < 2)
		errx(2, "say which memory");
	enter_group();
	start = map(argv[1], size);

	granule_open("page-fault");
	for (size_t offset = 0; offset < size; offset += page)
		start[offset] = 1;
	munmap(start, size);
	granule_close("page-fault");
	return 0;
}
