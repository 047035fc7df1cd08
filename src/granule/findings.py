# SPDX-License-Identifier: GPL-2.0-or-later
"""What the store knows about the cells of a plan."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path

from granule.errors import ShortfallError
from granule.events.doubts import doubts
from granule.lab import Lab
from granule.plan import ITERATIONS, Cell, Plan, Workload
from granule.store import RegionRecord, RunRecord, Store


@dataclass(frozen=True)
class Finding:
    """The runs of a cell that are there, by seed, and how many are missing."""

    cell: Cell
    runs: tuple[RunRecord, ...]
    missing: int

    @property
    def complete(self) -> bool:
        """Whether all runs the plan asks for are there."""
        return not self.missing

    @property
    def doubts(self) -> tuple[str, ...]:
        """Sentences about what makes the counts doubtful; empty in healthy runs."""
        workload = self.cell.workload
        found = (doubts([region(workload, run)], run.diagnostics) for run in self.runs)
        counted = dict.fromkeys(sentence for each in found for sentence in each)
        return (*([self.complaint] if self.complaint else []), *counted)

    @property
    def complained(self) -> tuple[RunRecord, ...]:
        """The runs in which the kernel complained though the workload does not tolerate it."""
        if self.cell.workload.tolerate_reports:
            return ()
        return tuple(run for run in self.runs if run.reports)

    @property
    def complaint(self) -> str:
        """A sentence about what the kernel complained of in its log; empty in healthy runs."""
        lines = dict.fromkeys(line for run in self.complained for line in run.reports)
        if not lines:
            return ""
        more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        return f"The kernel complained in its log: {next(iter(lines))}{more}."


class Findings:
    """The cells of one plan."""

    def __init__(self, plan: Plan, findings: Iterable[Finding]) -> None:
        self.plan = plan
        self._found = {finding.cell.names: finding for finding in findings}

    def of(self, kernel: str, configuration: str, workload: str) -> Finding | None:
        """The finding of a cell; None if the plan does not measure it."""
        return self._found.get((kernel, configuration, workload))

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found.values())


def find(plan: Plan, lab: Lab, store: Store) -> Findings:
    """Looks up every cell; nothing is built, so a kernel that never was has no runs."""
    keys = {cell.names: _keys(plan, cell, lab) for cell in plan.cells}
    runs = store.find(key for some in keys.values() for key in some)
    return Findings(plan, (_finding(cell, keys[cell.names], runs) for cell in plan.cells))


def check_logs(every: Iterable[Findings]) -> None:
    """Raises ShortfallError if a kernel complained and the workload does not tolerate it."""
    for finding in (finding for findings in every for finding in findings):
        if finding.complained:
            raise ShortfallError(
                f"{finding.cell.workload.name} on {finding.cell.spec}: {finding.complaint} "
                "No claim about it holds unless the plan says 'tolerate_reports = true'.",
                log=Path(finding.complained[0].log),
            )


def operations(workload: Workload, run: RunRecord) -> Fraction:
    """How many operations a run did; raises ShortfallError if its output does not say."""
    match workload.operations:
        case int(number):
            return Fraction(number)
        case str(word) if word == ITERATIONS:
            return _positive(Fraction(region(workload, run).iteration_count), workload)
        case expression:
            return _positive(_number_in(run.stdout, expression, workload), workload)


def region(workload: Workload, run: RunRecord) -> RegionRecord:
    """The region a workload is about; raises ShortfallError if the run did not reach it."""
    found = run.region(workload.region)
    if found is None or not found.opened:
        names = ", ".join(region.name for region in run.regions) or "none"
        raise ShortfallError(
            f"Workload '{workload.name}' did not reach its region '{workload.region}'; "
            f"the regions of the run are: {names}."
        )
    return found


def _keys(plan: Plan, cell: Cell, lab: Lab) -> list[str]:
    identity = lab.identity(cell.spec)
    if identity is None:
        return []
    return [lab.conditions(plan, cell, identity, seed).key for seed in cell.workload.seeds]


def _finding(cell: Cell, keys: list[str], runs: Mapping[str, RunRecord]) -> Finding:
    found = tuple(runs[key] for key in keys if key in runs)
    return Finding(cell, found, cell.workload.runs - len(found))


def _number_in(text: str, expression: str, workload: Workload) -> Fraction:
    match = re.search(expression, text)
    try:
        return Fraction(Decimal(match[1].replace(",", ""))) if match else Fraction(0)
    except (InvalidOperation, OverflowError, ValueError):
        raise ShortfallError(
            f"Workload '{workload.name}' says it did '{match and match[1]}' operations, "
            "which is no number."
        ) from None


def _positive(number: Fraction, workload: Workload) -> Fraction:
    if number <= 0:
        raise ShortfallError(
            f"Workload '{workload.name}' does not say how many operations it did; the plan "
            f"looks for: {workload.operations}."
        )
    return number
