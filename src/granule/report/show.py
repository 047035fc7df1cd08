# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule show``: what plans measured, kernel beside kernel."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from granule.errors import UsageError
from granule.events import BOTH, Catalog, Level, Selection
from granule.findings import Findings, region
from granule.plan import Configuration, Plan, Workload
from granule.report.by_function import function_rows
from granule.report.cell import CellTable, EventRow, IterationRow, KernelTally
from granule.report.columns import Column, compared, kernel_figure
from granule.report.model import Label, Model
from granule.report.published import PublishedTable, published_events, published_table
from granule.samples import EventAtLevel, Samples
from granule.stats import Comparison, tally
from granule.stats.distribution import distribution

_LEVELS: tuple[Level, ...] = ("u", "k")


class PlanTables(Model):
    """All tables of a plan. ``missing`` is the command that measures what is not there."""

    plan: str
    title: str
    baseline: str
    cells: tuple[CellTable, ...]
    published: PublishedTable | None
    command: str


class ShowReport(Model):
    """All of ``granule show``."""

    format: Literal["granule-show"] = "granule-show"
    version: Literal[1] = 1
    label: Label = "counted"
    plans: tuple[PlanTables, ...]


def show_report(
    found: Sequence[Findings], catalog: Catalog, relative: str | None = None
) -> ShowReport:
    """Makes the report; ``relative`` names another kernel to compare with than the baseline.

    Raises UsageError for a kernel that no plan measures.
    """
    kernels = {kernel for findings in found for kernel in findings.plan.kernels}
    if relative is not None and relative not in kernels:
        raise UsageError(
            f"No plan measures a kernel '{relative}'; they measure {', '.join(sorted(kernels))}."
        )
    return ShowReport(plans=tuple(_plan(findings, catalog, relative) for findings in found))


def _plan(findings: Findings, catalog: Catalog, relative: str | None) -> PlanTables:
    plan = findings.plan
    baseline = relative if relative in plan.kernels else plan.baseline
    cells = tuple(
        _Cell(findings, configuration, workload, baseline or plan.baseline, catalog).table()
        for workload in plan.workloads
        for configuration in plan.configurations
        if _applies(plan, configuration, workload)
    )
    return PlanTables(
        plan=plan.name,
        title=plan.title,
        baseline=baseline or plan.baseline,
        cells=cells,
        published=published_table(plan, cells),
        command=plan.command,
    )


def _applies(plan: Plan, configuration: Configuration, workload: Workload) -> bool:
    wanted = configuration.name, workload.name
    return any((cell.configuration.name, cell.workload.name) == wanted for cell in plan.cells)


class _Cell:
    """The kernels of one workload in one configuration, the baseline first."""

    def __init__(
        self,
        findings: Findings,
        configuration: Configuration,
        workload: Workload,
        baseline: str,
        catalog: Catalog,
    ) -> None:
        self._configuration = configuration
        self._workload = workload
        self._catalog = catalog
        self._plan = findings.plan
        order = sorted(findings.plan.kernels, key=lambda kernel: kernel != baseline)
        every = [(kernel, findings.of(kernel, *self._names)) for kernel in order]
        there = [(kernel, finding) for kernel, finding in every if finding]
        self._missing = tuple(kernel for kernel, finding in there if not finding.complete)
        self._columns = [
            Column(kernel, finding, Samples(finding)) for kernel, finding in there if finding.runs
        ]
        first = self._columns[0] if self._columns else None
        self._base = first if first and first.kernel == baseline else None

    @property
    def _names(self) -> tuple[str, str]:
        return self._configuration.name, self._workload.name

    def table(self) -> CellTable:
        """The table, with what is there."""
        leaves = frozenset[str]().union(*(column.samples.leaves for column in self._columns))
        rows = self._rows(leaves)
        classes = self._classes(rows, leaves)
        moves = {column.kernel: compared(self._base, column, classes) for column in self._columns}
        return CellTable(
            workload=self._workload.name,
            configuration=self._configuration.name,
            region=self._workload.region,
            runs=self._workload.runs,
            operations=float(self._base.samples.operations[0]) if self._base else None,
            rows=tuple(self._row(event, moves) for event in rows),
            functions=function_rows(self._columns, self._base, rows),
            iterations=self._iterations(),
            tallies=tuple(_tally(kernel, found) for kernel, found in moves.items() if found),
            missing=self._missing,
            doubts=self._doubts(),
        )

    def _classes(self, rows: Sequence[EventAtLevel], leaves: frozenset[str]) -> list[EventAtLevel]:
        """What the tally considers: every row, and every leaf event that happened."""
        every = [EventAtLevel(Selection(leaf, (leaf,)), lv) for leaf in leaves for lv in _LEVELS]
        return list(dict.fromkeys([*rows, *filter(self._happens, every)]))

    def _doubts(self) -> tuple[str, ...]:
        return tuple(
            f"{column.kernel}: {doubt}"
            for column in self._columns
            for doubt in column.finding.doubts
        )

    def _rows(self, leaves: frozenset[str]) -> list[EventAtLevel]:
        """The events the plan chose or others published, each level once."""
        chosen = self._workload.events or self._plan.events
        if chosen and self._workload.published:
            chosen = tuple(dict.fromkeys((*chosen, *published_events(self._plan))))
        events = (
            EventAtLevel(replace(selection, levels=BOTH), level)
            for selection in self._catalog.select(chosen, leaves)
            for level in _LEVELS
            if self._is_shown(selection, level)
        )
        return list(dict.fromkeys(events))

    def _is_shown(self, selection: Selection, level: Level) -> bool:
        """A level at which nothing happened is left out, unless the plan names it."""
        if level not in selection.levels:
            return False
        return len(selection.levels) == 1 or self._happens(EventAtLevel(selection, level))

    def _happens(self, event: EventAtLevel) -> bool:
        return any(any(column.samples.sample(event).counts) for column in self._columns)

    def _row(
        self, event: EventAtLevel, moves: Mapping[str, Mapping[EventAtLevel, Comparison]]
    ) -> EventRow:
        """The event on each kernel; ``moves`` are the comparisons by kernel."""
        return EventRow(
            event=str(event),
            is_total=event.selection.is_total,
            figures=tuple(
                kernel_figure(column, event, moves[column.kernel].get(event))
                for column in self._columns
            ),
        )

    def _iterations(self) -> tuple[IterationRow, ...]:
        """A row for each kernel, if the workload marks its iterations."""
        rows = [row for column in self._columns if (row := self._iteration_row(column))]
        if not rows or self._base is None or rows[0].kernel != self._base.kernel:
            return tuple(rows)
        return (rows[0], *(_against(rows[0], row) for row in rows[1:]))

    def _iteration_row(self, column: Column) -> IterationRow | None:
        times: Counter[int] = Counter()
        for run in column.finding.runs:
            for instructions, count in region(self._workload, run).iterations.items():
                times[instructions.total] += count
        if not times:
            return None
        found = distribution(times)
        return IterationRow(
            kernel=column.kernel,
            iterations=found.number,
            mean=found.mean,
            median=found.median,
            p99=found.p99,
            p999=found.p999,
            maximum=found.maximum,
        )


def _against(base: IterationRow, row: IterationRow) -> IterationRow:
    """Iterations execute instructions, so no figure of the baseline is 0."""
    return row.model_copy(
        update={
            "mean_change": row.mean / base.mean - 1,
            "p99_change": row.p99 / base.p99 - 1,
            "p999_change": row.p999 / base.p999 - 1,
        }
    )


def _tally(kernel: str, moves: Mapping[EventAtLevel, Comparison]) -> KernelTally:
    """A total moves with its leaves, so it is no class of its own."""
    counted = tally(found for event, found in moves.items() if not event.selection.is_total)
    return KernelTally(
        kernel=kernel,
        wins=counted.wins,
        losses=counted.losses,
        ties=counted.ties,
        summary=counted.sentence(),
    )
