# SPDX-License-Identifier: GPL-2.0-or-later

from granule.events.counts import ByLevel, Counts, Place, Region, Stack

__all__ = ["ByLevel", "Counts", "Place", "Region", "Stack"]
