/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks that bound a region of interest.
 *
 * A mark is one instruction without architectural effect, a move of an
 * immediate to the zero register; the immediate says "granule" and its shift
 * says which mark.  X0 holds the address of the region's NUL-terminated name.
 * A marked program runs unchanged on every machine, and its marks vanish when
 * it is compiled for another architecture.
 *
 * The counter reads the name when it sees the mark, so the name must be mapped
 * by then: opening touches all of it, before the region begins.  Closing and
 * ending an iteration touch one byte, which costs the region one load.
 *
 * The header needs no C library, so kernel code may include it too.
 */
#ifndef GRANULE_H
#define GRANULE_H

#define GRANULE_MARK_OPEN	"movz xzr, #0x4752, lsl #0"
#define GRANULE_MARK_CLOSE	"movz xzr, #0x4752, lsl #16"
#define GRANULE_MARK_ITERATION	"movz xzr, #0x4752, lsl #32"

#ifdef __aarch64__
#define GRANULE_MARK(mark, name)					\
	do {								\
		register const char *granule_x0 __asm__("x0") = (name);	\
		__asm__ volatile(mark : : "r"(granule_x0) : "memory");	\
	} while (0)
#else
#define GRANULE_MARK(mark, name) ((void)(name))
#endif

/** granule_open - events count for region @name from the next instruction on */
static inline __attribute__((always_inline)) void granule_open(const char *name)
{
	const volatile char *byte = name;

	while (*byte)
		byte++;
	GRANULE_MARK(GRANULE_MARK_OPEN, name);
}

/** granule_close - the last instruction that counts for region @name */
static inline __attribute__((always_inline)) void granule_close(const char *name)
{
	(void)*(const volatile char *)name;
	GRANULE_MARK(GRANULE_MARK_CLOSE, name);
}

/** granule_iteration - one more iteration of the open region @name is done */
static inline __attribute__((always_inline)) void granule_iteration(const char *name)
{
	(void)*(const volatile char *)name;
	GRANULE_MARK(GRANULE_MARK_ITERATION, name);
}

#endif
