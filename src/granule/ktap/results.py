# SPDX-License-Identifier: GPL-2.0-or-later
"""Test results, how they add up, and where two runs of the same tests differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """What a test said of itself."""

    PASS = "pass"
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True)
class Result:
    """One test that has no tests below it.

    `path` names it from the outermost suite inwards; `note` is what follows
    the directive of a skipped test.
    """

    path: tuple[str, ...]
    verdict: Verdict
    note: str = ""

    @property
    def name(self) -> str:
        """The path as people write it."""
        return " / ".join(self.path)


@dataclass(frozen=True)
class Summary:
    """How many tests passed, failed and were skipped."""

    passed: int
    failed: int
    skipped: int

    @property
    def total(self) -> int:
        """Tests in all."""
        return self.passed + self.failed + self.skipped


@dataclass(frozen=True)
class Difference:
    """A test whose verdict is not the same in two runs; None where it is missing."""

    name: str
    first: Verdict | None
    second: Verdict | None


def summarise(results: Iterable[Result]) -> Summary:
    """Count results by verdict."""
    counts = Counter(result.verdict for result in results)
    return Summary(counts[Verdict.PASS], counts[Verdict.FAIL], counts[Verdict.SKIP])


def compare(first: Iterable[Result], second: Iterable[Result]) -> list[Difference]:
    """The tests whose verdicts differ, in order of name."""
    one = {result.name: result.verdict for result in first}
    two = {result.name: result.verdict for result in second}
    return [
        Difference(name, one.get(name), two.get(name))
        for name in sorted(one.keys() | two.keys())
        if one.get(name) is not two.get(name)
    ]
