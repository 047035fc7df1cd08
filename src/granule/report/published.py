# SPDX-License-Identifier: GPL-2.0-or-later
"""What others published, with ours beside it in columns of its own label.

Theirs were timed, or counted by a CPU; ours are counted by an emulated machine.
So only changes are compared, each relative to its own baseline.
"""

from collections.abc import Iterator, Sequence

from granule import published
from granule.plan import Plan
from granule.report.cell import CellTable, EventRow, IterationRow
from granule.report.model import Label, Model


class OurFigure(Model):
    """The change of one metric in one configuration, as a part of the baseline."""

    configuration: str
    kernel: str
    metric: str
    relative: float | None
    label: Label = "counted"


class PublishedRow(Model):
    """A row as published, and what we have beside it."""

    cells: tuple[str, ...]
    ours: tuple[OurFigure, ...]


class PublishedTable(Model):
    """A published table. ``unmatched`` rows have no counterpart here and are left out."""

    title: str
    source: str
    label: Label
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]
    unmatched: int


def published_table(plan: Plan, cells: Sequence[CellTable]) -> PublishedTable | None:
    """The table the plan names; None if it names none."""
    if plan.published is None:
        return None
    table = published.load(plan.published)
    rows = tuple(
        PublishedRow(cells=row, ours=tuple(_beside(plan, table, row, cells))) for row in table.rows
    )
    shown = rows if table.shape == "table" else tuple(row for row in rows if row.ours)
    return PublishedTable(
        title=table.title,
        source=table.source,
        label=table.label,
        columns=table.columns,
        rows=shown,
        unmatched=len(rows) - len(shown),
    )


def published_events(plan: Plan) -> tuple[str, ...]:
    """The events the plan's published table has counts of."""
    table = published.load(plan.published) if plan.published else None
    if table is None or table.shape != "events":
        return ()
    return tuple(table.cell(row, "event") for row in table.rows)


def _beside(
    plan: Plan, table: published.Table, row: tuple[str, ...], cells: Sequence[CellTable]
) -> Iterator[OurFigure]:
    match table.shape:
        case "events":
            event = table.cell(row, "event")
            for cell in _cells_of(plan, table.name, cells):
                yield from _event(cell, event)
        case "changes":
            metric = table.cell(row, "result_class").partition(" ")[0]
            for cell in _cells_of(plan, table.cell(row, "benchmark"), cells):
                yield from _iterations(cell, metric)
        case "table":
            return


def _cells_of(plan: Plan, benchmark: str, cells: Sequence[CellTable]) -> list[CellTable]:
    """The cells of the workloads that say they correspond to a benchmark."""
    names = {workload.name for workload in plan.workloads if workload.published == benchmark}
    return [cell for cell in cells if cell.workload in names]


def _event(cell: CellTable, event: str) -> Iterator[OurFigure]:
    rows: list[EventRow] = [row for row in cell.rows if row.event == event]
    for row in rows:
        for figure in row.figures:
            if figure.change is not None:
                yield OurFigure(
                    configuration=cell.configuration,
                    kernel=figure.kernel,
                    metric=f"{event} per operation",
                    # Of a figure that is 0 before and after there is no part, but it is the same.
                    relative=figure.relative if figure.change else 0.0,
                )


def _iterations(cell: CellTable, metric: str) -> Iterator[OurFigure]:
    for row in cell.iterations:
        change = _change(row, metric)
        if change is not None:
            yield OurFigure(
                configuration=cell.configuration,
                kernel=row.kernel,
                metric=f"{metric} of instructions per iteration",
                relative=change,
            )


def _change(row: IterationRow, metric: str) -> float | None:
    return {"mean": row.mean_change, "p99": row.p99_change, "p99.9": row.p999_change}.get(metric)
