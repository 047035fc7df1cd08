/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a CPU that comes from swapper_pg_dir gets to the tables of its own.
 */
#include <linux/linkage.h>

#include <asm/asm-offsets.h>
#include <asm/assembler.h>

/*
 * Called by a CPU that is brought up or resumes, before any C code, which may use
 * percpu data.  All exceptions are masked and current is set.  TTBR0_EL1 has the ID
 * map: the code that replaces TTBR1_EL1 must not be translated by it.
 *
 * After hibernation TTBR1_EL1 has these tables already, and there is no ID map.
 *
 * Clobbers x0 to x3 and x16.
 */
SYM_FUNC_START(__percpu_local_switch)
	ldr_l	w0, percpu_local_active, x1
	cbz	w0, 1f

	get_current_task x0
	ldr	w0, [x0, #TSK_TI_CPU]
	adr_l	x1, percpu_local_roots
	ldr	x1, [x1, w0, uxtw #3]
	phys_to_ttbr x0, x1
	mrs	x1, ttbr1_el1
	cmp	x0, x1
	b.eq	1f

	adr_l	x16, idmap_cpu_replace_ttbr1
	ldr_l	x1, kimage_voffset
	sub	x16, x16, x1
	br	x16				// which returns to our caller
1:	ret
SYM_FUNC_END(__percpu_local_switch)
