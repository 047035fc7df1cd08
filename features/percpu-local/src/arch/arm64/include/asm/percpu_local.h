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
	typeof(ptr) __local_ptr = (ptr);				\
	unsigned long __local = (__force unsigned long)__local_ptr;	\
									\
	(typeof(*__local_ptr) __kernel __force *)(__local | PERCPU_LOCAL_START); \
})

/* Whether this kernel means to use the window: Common Not Private must stay off. */
bool percpu_local_wanted(void);

/* The root table of a CPU; 0 if it has none of its own. */
phys_addr_t percpu_local_root(unsigned int cpu);

/*
 * Has an entry that was written into swapper_pg_dir written into the other roots.
 * Where that is read-only, under the lock of the fixmap's slot.
 */
void percpu_local_sync_root(const void *entry, u64 val, bool read_only);

/* The same for the level below, where swapper_pg_dir has too few entries to share. */
void percpu_local_sync_split(const void *entry, u64 val);

#else

static inline bool percpu_local_wanted(void) { return false; }
static inline phys_addr_t percpu_local_root(unsigned int cpu) { return 0; }
static inline void percpu_local_sync_root(const void *entry, u64 val, bool read_only) { }

#endif /* CONFIG_ARM64_PERCPU_LOCAL */

#endif /* __ASSEMBLY__ */

#endif /* __ASM_PERCPU_LOCAL_H */
