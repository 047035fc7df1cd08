# SPDX-License-Identifier: GPL-2.0-or-later
"""What a claim sees of the runs of one kernel."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from granule.claims.judge import Sample
from granule.claims.model import Claim
from granule.events import Level, Selection
from granule.findings import Finding, operations, region
from granule.store import RunRecord


@dataclass(frozen=True, slots=True)
class EventAtLevel:
    """One event at one exception level."""

    selection: Selection
    level: Level

    def __str__(self) -> str:
        return f"{self.selection.name}:{self.level}"


class Side:
    """The runs of one kernel, as a claim looks at them."""

    def __init__(self, finding: Finding, claim: Claim) -> None:
        """Raises ShortfallError for a run that does not say what it did."""
        workload = finding.cell.workload
        self._runs = finding.runs
        self._workload = workload
        self._functions = claim.functions
        self._operations = tuple(operations(workload, run) for run in self._runs)

    @property
    def leaves(self) -> frozenset[str]:
        """Every event counted in any run."""
        return frozenset(leaf for run in self._runs for leaf in region(self._workload, run).events)

    @property
    def seen(self) -> bool:
        """Whether any run executed one of the claim's functions."""
        return any(self._profiles(run) for run in self._runs)

    def sample(self, event: EventAtLevel) -> Sample:
        """The event in every run."""
        return Sample(tuple(self._count(event, run) for run in self._runs), self._operations)

    def _count(self, event: EventAtLevel, run: RunRecord) -> int:
        if self._functions:
            events = self._profiles(run)
            return sum(each.get(leaf, 0) for each in events for leaf in event.selection.leaves)
        count = event.selection.count(region(self._workload, run).events)
        return count.u if event.level == "u" else count.k

    def _profiles(self, run: RunRecord) -> list[Mapping[str, int]]:
        """The events of the functions the claim names."""
        return [
            events
            for name, events in region(self._workload, run).functions.items()
            if any(fnmatchcase(name, pattern) for pattern in self._functions or ())
        ]
