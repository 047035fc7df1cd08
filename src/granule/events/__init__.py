# SPDX-License-Identifier: GPL-2.0-or-later
"""Events: what was counted (:mod:`counts`) and what the names mean (:mod:`catalog`)."""

from granule.events.catalog import BOTH, Catalog, Level, Selection
from granule.events.counts import ByLevel, Counts, Place, Region, Stack

__all__ = [
    "BOTH",
    "ByLevel",
    "Catalog",
    "Counts",
    "Level",
    "Place",
    "Region",
    "Selection",
    "Stack",
]
