// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LZO with run lengths, zram's default compressor, as the kernel has it; no library does.
 * The kernel's own files are compiled here: -I names lib/lzo/ and a folder with linux/lzo.h
 * and with empty headers where it has others.
 */
#include "lzo_rle.h"

#define CONFIG_ARM64
#define __LITTLE_ENDIAN
#define CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS

#define noinline	__attribute__((noinline))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define ALIGN(x, to)		(((x) + (to) - 1) & ~((uintptr_t)(to) - 1))
#define IS_ALIGNED(x, to)	(!((x) & ((to) - 1)))
#define BUILD_BUG_ON(condition)	_Static_assert(!(condition), #condition)

#define EXPORT_SYMBOL_GPL(symbol)	_Static_assert(1, "")
#define MODULE_LICENSE(text)		_Static_assert(1, "")
#define MODULE_DESCRIPTION(text)	_Static_assert(1, "")

static inline u64 load(const void *from, size_t size)
{
	u64 value = 0;

	memcpy(&value, from, size);
	return value;
}

static inline void store(u64 value, void *to, size_t size)
{
	memcpy(to, &value, size);
}

#define get_unaligned(pointer)		((typeof(*(pointer)))load(pointer, sizeof(*(pointer))))
#define put_unaligned(value, pointer)	store(value, pointer, sizeof(*(pointer)))

static inline u32 get_unaligned_le32(const void *from)
{
	return load(from, 4);
}

static inline void put_unaligned_le32(u32 value, void *to)
{
	store(value, to, 4);
}

static inline u32 get_unaligned_le16(const void *from)
{
	const u8 *bytes = from;

	return bytes[0] | bytes[1] << 8;
}

/* Names that the library for LZO without run lengths has too. */
#define lzo1x_1_compress	kernel_lzo1x_1_compress
#define lzo1x_decompress_safe	kernel_lzo1x_decompress_safe

#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "lzo1x_compress.c"
#undef HAVE_OP
#include "lzo1x_decompress_safe.c"

size_t lzo_rle_compress(const u8 *page, size_t bytes, u8 *out, size_t room)
{
	static u8 state[LZO1X_1_MEM_COMPRESS] __attribute__((aligned(16)));
	size_t size = room;

	return lzorle1x_1_compress(page, bytes, out, &size, state) ? 0 : size;
}

size_t lzo_rle_decompress(const u8 *in, size_t size, u8 *page, size_t bytes)
{
	size_t length = bytes;

	return lzo1x_decompress_safe(in, size, page, &length) ? 0 : length;
}
