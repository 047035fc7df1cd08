# SPDX-License-Identifier: GPL-2.0-or-later
"""Tags of pages as the kernel would store them when it swaps the pages out."""

from granule.tags.coder import Coder, Stored
from granule.tags.library import build_coder
from granule.tags.pages import TagPage, parse_pages, read_pages
from granule.tags.size import SizeReport, render_size, size_report

__all__ = [
    "Coder",
    "SizeReport",
    "Stored",
    "TagPage",
    "build_coder",
    "parse_pages",
    "read_pages",
    "render_size",
    "size_report",
]
