# SPDX-License-Identifier: GPL-2.0-or-later
"""The runs of a cell as numbers: each event in each run, with the operations it did."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cached_property

from granule.events import Level, Selection
from granule.findings import Finding, operations, region
from granule.store import RunRecord


@dataclass(frozen=True)
class Sample:
    """One event in all runs of a cell, run i with seed i, and the operations of each."""

    counts: tuple[int, ...]
    operations: tuple[Fraction, ...]

    @cached_property
    def rates(self) -> tuple[Fraction, ...]:
        """Counts per operation, run by run."""
        return tuple(n / each for n, each in zip(self.counts, self.operations, strict=True))

    @property
    def rate(self) -> Fraction:
        """Their mean."""
        return sum(self.rates, Fraction(0)) / len(self.rates)

    @property
    def mean(self) -> Fraction:
        """The mean of the raw counts."""
        return Fraction(sum(self.counts), len(self.counts))


@dataclass(frozen=True, slots=True)
class EventAtLevel:
    """One event at one exception level."""

    selection: Selection
    level: Level

    def __str__(self) -> str:
        return f"{self.selection.name}:{self.level}"


class Samples:
    """The runs of a cell, of which all or only the named kernel functions are looked at."""

    def __init__(self, finding: Finding, functions: Sequence[str] | None = None) -> None:
        """Raises ShortfallError for a run that does not say what it did."""
        workload = finding.cell.workload
        self._runs = finding.runs
        self._workload = workload
        self._functions = functions
        self.operations = tuple(operations(workload, run) for run in self._runs)

    @property
    def leaves(self) -> frozenset[str]:
        """Every event counted in any run."""
        return frozenset(leaf for run in self._runs for leaf in region(self._workload, run).events)

    @property
    def seen(self) -> bool:
        """Whether any run executed one of the functions."""
        return any(self._profiles(run) for run in self._runs)

    def sample(self, event: EventAtLevel) -> Sample:
        """The event in every run."""
        return Sample(tuple(self._count(event, run) for run in self._runs), self.operations)

    def rates(self, event: EventAtLevel) -> list[float]:
        """Counts per operation in every run, for statistics."""
        return [float(rate) for rate in self.sample(event).rates]

    def _count(self, event: EventAtLevel, run: RunRecord) -> int:
        if self._functions:
            events = self._profiles(run)
            return sum(each.get(leaf, 0) for each in events for leaf in event.selection.leaves)
        count = event.selection.count(region(self._workload, run).events)
        return count.u if event.level == "u" else count.k

    def _profiles(self, run: RunRecord) -> list[Mapping[str, int]]:
        """The events of the functions that were named."""
        return [
            events
            for name, events in region(self._workload, run).functions.items()
            if any(fnmatchcase(name, pattern) for pattern in self._functions or ())
        ]
