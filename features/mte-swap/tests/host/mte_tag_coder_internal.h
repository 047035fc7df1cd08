/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tag coder needs of the kernel, for programs of the host that compile it:
 * tests, the benchmark and "granule tags".  It stands in for the kernel's header of
 * the same name, so it must come first: gcc -include.
 */
#ifndef __ARM64_MM_MTE_TAG_CODER_INTERNAL_H
#define __ARM64_MM_MTE_TAG_CODER_INTERNAL_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))

static inline unsigned int __ffs64(u64 word)
{
	return __builtin_ctzll(word);
}


static inline unsigned int ilog2(u64 value)
{
	return 63 - __builtin_clzll(value);
}

static inline u64 get_unaligned_le64(const void *from)
{
	u64 value;

	memcpy(&value, from, sizeof(value));
	return value;
}

static inline void put_unaligned_le64(u64 value, void *to)
{
	memcpy(to, &value, sizeof(value));
}

#endif
