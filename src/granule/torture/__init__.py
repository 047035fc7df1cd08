# SPDX-License-Identifier: GPL-2.0-or-later
"""Torture: trials of a kernel that take longer than a change should wait for.

::

    trial ─┬► standing   does a feature's record stand with today's patches?
    record ┘
    campaign ─► conduct ─┬► code      are the instructions of two kernels the same?
                         └► reports   what did a kernel complain of?
"""

from granule.torture.record import Record, Side
from granule.torture.standing import Standing, standings
from granule.torture.trial import Trial, load

__all__ = ["Record", "Side", "Standing", "Trial", "load", "standings"]
