/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LZO with run lengths.  Both give the size of what they wrote, 0 if they cannot.
 */
#ifndef LZO_RLE_H
#define LZO_RLE_H

#include "mte_tag_coder_internal.h"

size_t lzo_rle_compress(const u8 *page, size_t bytes, u8 *out, size_t room);
size_t lzo_rle_decompress(const u8 *in, size_t size, u8 *page, size_t bytes);

#endif
