/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tags of a page, stored small: see mte_tag_code.h.
 *
 * Tags are handed over as mte_save_page_tags() leaves them: @bytes bytes for the
 * page, granule 2 * i in the low four bits of byte i.
 */
#ifndef __ARM64_MM_MTE_TAG_CODER_H
#define __ARM64_MM_MTE_TAG_CODER_H

#include "mte_tag_coder_internal.h"

/* What fits into an XArray value, see xa_mk_value(). */
#define MTE_TAGS_VALUE_BITS	63

enum mte_tags_form {
	MTE_TAGS_NONE,		/* all are zero */
	MTE_TAGS_RUNS,		/* every run with its length */
	MTE_TAGS_CHUNKS,	/* zero tags, then equal ones: a heap */
	MTE_TAGS_RAW,
};

/**
 * struct mte_tags_code - how the tags of a page are stored
 * @value: to be kept if @bytes is 0: an XArray value of MTE_TAGS_VALUE_BITS
 * @bits: length of the code, without what says how large the buffer is
 * @bytes: of the buffer to be kept, 0 if there is none
 * @form: which code it is
 * @index: of @bytes, for mte_tags_class()
 */
struct mte_tags_code {
	u64 value;
	u32 bits;
	u16 bytes;
	u8 form;
	u8 index;
};

void mte_tags_pack(const void *tags, size_t bytes, void *buffer, struct mte_tags_code *code);
bool mte_tags_pack_value(const void *tags, size_t bytes, u64 *value);
int mte_tags_unpack_value(u64 value, void *tags, size_t bytes);
int mte_tags_unpack(const void *buffer, size_t size, void *tags, size_t bytes);
size_t mte_tags_class(unsigned int index, size_t bytes);
unsigned int mte_tags_index(const void *buffer);

#endif
