/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for programs that exercise tag checks.
 *
 * Everything is mapped, faulted in and tagged before it is handed out, so an
 * access to it is one access and no page fault.  Failing calls end the program.
 */
#ifndef GRANULE_TAGGED_MEMORY_H
#define GRANULE_TAGGED_MEMORY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PROT_MTE
#define PROT_MTE 0x20
#endif
#ifndef HWCAP2_MTE
#define HWCAP2_MTE (1 << 18)
#endif

#define GRANULE_BYTES	16
#define TAG_SHIFT	56
#define ALL_TAGS	(0xffffUL << PR_MTE_TAG_SHIFT)

static inline void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Faults on wrong tags: PR_MTE_TCF_SYNC or PR_MTE_TCF_NONE. */
static inline void set_tag_faults(unsigned long mode)
{
	if (prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE | mode | ALL_TAGS, 0, 0, 0))
		fail("prctl");
}

static inline void need_memory_tagging(void)
{
	if (getauxval(AT_HWCAP2) & HWCAP2_MTE)
		return;
	fprintf(stderr, "this machine has no memory tagging\n");
	exit(1);
}

static inline size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

static inline char *with_tag(char *address, unsigned long tag)
{
	return (char *)((uintptr_t)address | tag << TAG_SHIFT);
}

/* Pages that are not there yet: the first access to each faults. */
static inline char *fresh_pages(size_t count, int extra_protection)
{
	char *pages = mmap(NULL, count * page_size(), PROT_READ | PROT_WRITE | extra_protection,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		fail("mmap");
	/* One fault a page, whatever the machine's setting for huge pages. */
	madvise(pages, count * page_size(), MADV_NOHUGEPAGE);
	return pages;
}

static inline void fault_in(char *pages, size_t count)
{
	if (mlock(pages, count * page_size()))
		fail("mlock");
}

static inline void tag_page(char *page, unsigned long tag)
{
	char *start = with_tag(page, tag);

	for (char *granule = start; granule < start + page_size(); granule += GRANULE_BYTES)
		__asm__ volatile("stg %0, [%0]" : : "r"(granule) : "memory");
}

static inline char *untagged_page(void)
{
	char *page = fresh_pages(1, 0);

	fault_in(page, 1);
	return page;
}

/* A page whose granules all have @tag, as a pointer with that tag. */
static inline char *tagged_page(unsigned long tag)
{
	char *page = fresh_pages(1, PROT_MTE);

	fault_in(page, 1);
	tag_page(page, tag);
	return with_tag(page, tag);
}

/* Three pages of which the middle one is tagged, as a pointer to that one. */
static inline char *tagged_page_between_untagged(unsigned long tag)
{
	char *pages = fresh_pages(3, 0);
	char *middle = pages + page_size();

	if (mprotect(middle, page_size(), PROT_READ | PROT_WRITE | PROT_MTE))
		fail("mprotect");
	fault_in(pages, 3);
	tag_page(middle, tag);
	return with_tag(middle, tag);
}

#endif
