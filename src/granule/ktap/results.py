# SPDX-License-Identifier: GPL-2.0-or-later
"""Test results, how they add up, and where two runs of the same tests differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
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


def majority(runs: Sequence[Sequence[Result]]) -> list[Result]:
    """Each test once, with the verdict that more than half of the runs gave it.

    A test without such a verdict failed, and so did one that most runs do not have.
    """
    tests = {result.name: result for run in runs for result in run}
    verdicts = [{result.name: result.verdict for result in run} for run in runs]
    return [
        replace(test, verdict=_most([run.get(name) for run in verdicts]))
        for name, test in tests.items()
    ]


def _most(verdicts: Sequence[Verdict | None]) -> Verdict:
    for verdict in (Verdict.PASS, Verdict.SKIP):
        if 2 * verdicts.count(verdict) > len(verdicts):
            return verdict
    return Verdict.FAIL


def compare(first: Iterable[Result], second: Iterable[Result]) -> list[Difference]:
    """The tests whose verdicts differ, in order of name."""
    one = {result.name: result.verdict for result in first}
    two = {result.name: result.verdict for result in second}
    return [
        Difference(name, one.get(name), two.get(name))
        for name in sorted(one.keys() | two.keys())
        if one.get(name) is not two.get(name)
    ]
