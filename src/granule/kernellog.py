# SPDX-License-Identifier: GPL-2.0-or-later
"""What a kernel complains of in its log: warnings, bugs, lockdep, KASAN, stalls, leaks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

# KASAN, slab and soft lockups say BUG; WARN() and lockdep say WARNING.
_REPORT = re.compile(
    r"(?:\bBUG\b"
    r"|\bWARNING: "
    r"|\bODEBUG: "
    r"|\bUBSAN: "
    r"|\bINFO: (?:task .* blocked|possible |trying to register|rcu.*stall|.*(?:lockup|stall))"
    r"|rcu.*(?:self-detected stall|detected stalls|kthread starved)"
    r"|kmemleak: \d+ new suspected"
    r"|kmemleak: .*(?:disabled|Cannot)"
    r"|locking correctness validator"
    r"|Unable to handle kernel"
    r"|Internal error: "
    r"|Kernel panic).*"
)
_PREFIX = re.compile(r"^(?:<\d+>)?\[[^\]]*\] *(?:\[[^\]]*\] *)?")
_VARYING = (
    (re.compile(r"CPU: \d+(?: UID: \d+)? PID: \d+ at "), ""),
    (re.compile(r"\+0x[0-9a-f]+/0x[0-9a-f]+"), ""),
    (re.compile(r"\b(?:0x)?[0-9a-f]{8,}\b"), "ADDRESS"),
    (re.compile(r"(?<![A-Za-z_\d])\d+"), "N"),
)


def reports(log: str) -> list[str]:
    """The first line of each report, once, without what differs from boot to boot.

    Reports of the same kind at the same place are one, so that the logs of two
    kernels can be compared.
    """
    return list(_by_kind(log))


def first_lines(log: str) -> list[str]:
    """The first line of the first report of each kind, as the kernel wrote it."""
    return list(_by_kind(log).values())


def _by_kind(log: str) -> dict[str, str]:
    kinds: dict[str, str] = {}
    for line in _found(log.splitlines()):
        kinds.setdefault(_steady(line), line)
    return kinds


def _found(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if found := _REPORT.search(_PREFIX.sub("", line)):
            yield found[0].rstrip()


def _steady(line: str) -> str:
    for pattern, replacement in _VARYING:
        line = pattern.sub(replacement, line)
    return " ".join(line.split())
