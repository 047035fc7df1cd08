/* SPDX-License-Identifier: GPL-2.0-only */
/* What mmu.c and the tests ask of percpu_local.c. */
#ifndef __ARM64_MM_PERCPU_LOCAL_H
#define __ARM64_MM_PERCPU_LOCAL_H

#include <linux/pgtable.h>

typedef void (update_prot_t)(phys_addr_t phys, unsigned long virt, phys_addr_t size,
			     pgprot_t prot);

#ifdef CONFIG_ARM64_PERCPU_LOCAL
/* From when on swapper_pg_dir is read-only, each CPU's root is, too. */
void percpu_local_protect(update_prot_t *update_prot);

/* Goes to this CPU's own tables.  Not preemptible. */
void percpu_local_switch(void);
#else
static inline void percpu_local_protect(update_prot_t *update_prot) { }
#endif

#endif /* __ARM64_MM_PERCPU_LOCAL_H */
