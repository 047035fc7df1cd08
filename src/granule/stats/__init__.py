# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics: pure functions from numbers to numbers; nothing here runs or prints."""

from granule.stats.compare import Comparison, Relevance, compare, compare_all
from granule.stats.summary import Summary, summarize
from granule.stats.tally import Tally, tally

__all__ = [
    "Comparison",
    "Relevance",
    "Summary",
    "Tally",
    "compare",
    "compare_all",
    "summarize",
    "tally",
]
