/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Percpu data at one address on every CPU, through kernel page tables of its own.
 */
#ifndef __ASM_PERCPU_LOCAL_H
#define __ASM_PERCPU_LOCAL_H

#ifndef __ASSEMBLY__

#include <linux/types.h>

#include <asm/memory.h>

#ifdef CONFIG_ARM64_PERCPU_LOCAL

/*
 * Where a CPU finds its own copy of the percpu variable at @ptr.  Percpu pointers
 * differ in the bits below PERCPU_LOCAL_SHIFT, so that setting those above gives
 * each its place in the window: one ORR with an immediate.
 */
#define percpu_local_ptr(ptr)						\
({									\
	typeof(ptr) __ptr = (ptr);					\
	unsigned long __addr = (__force unsigned long)__ptr | PERCPU_LOCAL_START; \
									\
	(typeof(*__ptr) __kernel __force *)__addr;			\
})

/* Whether this kernel means to use the window: Common Not Private must stay off. */
bool percpu_local_wanted(void);

/* Called on a CPU that runs on swapper_pg_dir, not preemptible. */
void percpu_local_switch(void);

/* Has an entry that was written into swapper_pg_dir written everywhere else too. */
void percpu_local_sync_root(const void *entry, u64 val);

/* The same for the level below, where swapper_pg_dir has too few entries to share. */
void percpu_local_sync_split(const void *entry, u64 val);

#else

static inline bool percpu_local_wanted(void) { return false; }
static inline void percpu_local_switch(void) { }
static inline void percpu_local_sync_root(const void *entry, u64 val) { }

#endif /* CONFIG_ARM64_PERCPU_LOCAL */

#endif /* __ASSEMBLY__ */

#endif /* __ASM_PERCPU_LOCAL_H */
