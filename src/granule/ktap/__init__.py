# SPDX-License-Identifier: GPL-2.0-or-later
"""Test results in KTAP, the kernel's test anything protocol.

KUnit prints it to the kernel log, kselftests to their standard output. Source:
Documentation/dev-tools/ktap.rst of the kernel tree.
"""

from granule.ktap.parser import parse
from granule.ktap.results import (
    Difference,
    Result,
    Summary,
    Verdict,
    compare,
    majority,
    summarise,
)

__all__ = [
    "Difference",
    "Result",
    "Summary",
    "Verdict",
    "compare",
    "majority",
    "parse",
    "summarise",
]
