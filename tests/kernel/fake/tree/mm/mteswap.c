// SPDX-License-Identifier: GPL-2.0-or-later
int tag_bits = 4;
