/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that the tag coder needs of the kernel.  Elsewhere, for tests, another
 * header with the same guard stands in for it.
 */
#ifndef __ARM64_MM_MTE_TAG_CODER_INTERNAL_H
#define __ARM64_MM_MTE_TAG_CODER_INTERNAL_H

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unaligned.h>

#endif
