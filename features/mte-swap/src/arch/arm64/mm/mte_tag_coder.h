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
 * struct mte_tags_plan - how the tags of a page will be stored
 * @bits: length of the code
 * @bytes: of the buffer it takes, 0 if an XArray value holds it
 * @form: which code
 * @shift: RUNS: low bits of a length that are stored as they are
 * @gap_rule: CHUNKS: how the zero tags before a chunk are foreseen
 * @gap: CHUNKS: what @gap_rule goes by
 * @length_rule: CHUNKS: how the length of a chunk is coded
 */
struct mte_tags_plan {
	u32 bits;
	u16 bytes;
	u8 form;
	u8 shift;
	u8 gap_rule;
	u8 length_rule;
	u16 gap;
};

void mte_tags_plan(const void *tags, size_t bytes, struct mte_tags_plan *plan);
u64 mte_tags_pack_value(const void *tags, size_t bytes, const struct mte_tags_plan *plan);
void mte_tags_pack(const void *tags, size_t bytes, const struct mte_tags_plan *plan,
		   void *buffer);
int mte_tags_unpack_value(u64 value, void *tags, size_t bytes);
int mte_tags_unpack(const void *buffer, size_t size, void *tags, size_t bytes);
size_t mte_tags_class(unsigned int index, size_t bytes);

#endif
