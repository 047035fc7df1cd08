# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of ``granule show``."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import RenderableType
from rich.table import Table

from granule.report.by_function import FunctionRow
from granule.report.cell import CellTable, EventRow, IterationRow
from granule.report.columns import KernelFigure
from granule.report.published import OurFigure, PublishedTable
from granule.report.show import PlanTables, ShowReport
from granule.report.text.parts import amount, doubt_lines, figure, heading, percent, table

LEGEND = (
    "* moved: significant, and relevant (0.1 % and 2 counts of a run); ~ significant only; "
    "? too few runs to tell."
)


def render_show(report: ShowReport) -> Iterator[RenderableType]:
    """Every plan, then what the flags mean."""
    for plan in report.plans:
        yield from _plan(plan)
    yield LEGEND


def flag(value: KernelFigure) -> str:
    """One character: see LEGEND."""
    if not value.decidable:
        return "?"
    if not value.significant:
        return ""
    return "*" if value.relevant else "~"


def _plan(plan: PlanTables) -> Iterator[RenderableType]:
    yield heading(f"Plan {plan.plan}: {plan.title}")
    for cell in plan.cells:
        yield ""
        yield from _cell(cell, plan)
    if plan.published:
        yield ""
        yield from _published(plan.published)
    yield ""


def _cell(cell: CellTable, plan: PlanTables) -> Iterator[RenderableType]:
    yield heading(cell_title(cell))
    for kernel in cell.missing:
        yield f"Not measured on {kernel}: {plan.command}"
    yield from doubt_lines(cell.doubts)
    if cell.rows:
        yield _event_table(cell.rows)
    if cell.functions:
        yield heading("By kernel function (counted)")
        yield _function_table(cell.functions)
    if cell.iterations:
        yield heading("Instructions of each iteration, EL0 and EL1 (counted)")
        yield _iteration_table(cell.iterations)
    for tally in cell.tallies:
        yield f"{tally.kernel} against {plan.baseline}: {tally.summary}."


def cell_title(cell: CellTable) -> str:
    """What was measured how often."""
    runs = f", {cell.runs} runs" if cell.runs > 1 else ""
    done = f", {amount(cell.operations)} operations" if cell.operations else ""
    return f"{cell.workload}, {cell.configuration} (counted, region {cell.region}{done}{runs})"


def _event_table(rows: Sequence[EventRow]) -> Table:
    made = table(["event", "kernel", "total", "per operation", "change", "%", ""])
    made.columns[1].justify = "left"
    for row in rows:
        for index, value in enumerate(row.figures):
            made.add_row("" if index else row.event, *_figure_cells(value))
    return made


def _function_table(rows: Sequence[FunctionRow]) -> Table:
    made = table(["event", "function", "kernel", "total", "per operation", "change", "%", ""])
    for column in made.columns[1:3]:
        column.justify = "left"
    for event, group in groupby(rows, lambda row: row.event):
        for number, row in enumerate(group):
            for index, value in enumerate(row.figures):
                first = "" if number or index else event
                made.add_row(first, "" if index else row.function, *_figure_cells(value))
    return made


def _figure_cells(value: KernelFigure) -> list[str]:
    cells = [value.kernel, figure(value.total), amount(value.per_operation)]
    if value.change is None:
        return [*cells, "", "", ""]
    if not value.change:
        return [*cells, "=", "", flag(value)]
    return [*cells, signed_amount(value.change), percent(value.relative), flag(value)]


def signed_amount(value: float) -> str:
    """A change in counts per operation, with its sign."""
    return f"{'+' if value > 0 else '−'}{amount(abs(value))}"


def _iteration_table(rows: Sequence[IterationRow]) -> Table:
    made = table(["kernel", "iterations", "mean", "%", "p99", "%", "p99.9", "%", "largest"])
    for row in rows:
        made.add_row(row.kernel, f"{row.iterations:,}", *iteration_cells(row))
    return made


def iteration_cells(row: IterationRow) -> list[str]:
    """Mean, p99 and p99.9, each with its change, and the largest."""
    cells = [f"{row.mean:,.1f}", share(row.mean_change), f"{row.p99:,}", share(row.p99_change)]
    return [*cells, f"{row.p999:,}", share(row.p999_change), f"{row.maximum:,}"]


def share(relative: float | None) -> str:
    """A relative change; empty for the baseline itself."""
    return "" if relative is None else percent(relative) if relative else "="


def _published(found: PublishedTable) -> Iterator[RenderableType]:
    yield heading(f"Published: {found.title}")
    yield f"Source: {found.source}"
    theirs = [f"{column} ({found.label})" for column in found.columns]
    made = table([*theirs, "ours: change from the baseline (counted)"])
    made.columns[-1].justify = "left"
    for row in found.rows:
        made.add_row(*row.cells, "\n".join(map(ours, row.ours)))
    yield made
    if found.unmatched:
        yield f"{found.unmatched} more published rows have no counterpart in this plan."


def ours(value: OurFigure) -> str:
    """Our figure in words."""
    change = "new" if value.relative is None else share(value.relative)
    return f"{change}  {value.metric}, {value.configuration}, {value.kernel}"
