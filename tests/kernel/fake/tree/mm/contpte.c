// SPDX-License-Identifier: GPL-2.0-or-later
int page_table_entries = 512;
