# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule stat``: how often each event happened, by exception level."""

from collections.abc import Sequence
from typing import Literal

from granule.events import Catalog, Counts, Level, Region, Selection
from granule.report.doubts import doubts
from granule.report.header import MachineHeader, counts_of
from granule.report.model import Figure, Label, Model
from granule.run import Measurement


class EventRow(Model):
    """One event. A level that was not asked for is None, and then so is the total."""

    event: str
    description: str
    is_total: bool
    u: Figure | None
    k: Figure | None
    total: Figure | None


class RegionStat(Model):
    """The events of one region. ``opened`` and ``iterations`` are those of the first run."""

    region: str
    opened: int
    iterations: int
    events: tuple[EventRow, ...]


class StatReport(Model):
    """All of ``granule stat``."""

    format: Literal["granule-stat"] = "granule-stat"
    version: Literal[1] = 1
    label: Label = "counted"
    machine: MachineHeader
    doubts: tuple[str, ...]
    regions: tuple[RegionStat, ...]


def stat_report(
    measurement: Measurement, catalog: Catalog, expressions: Sequence[str] = ()
) -> StatReport:
    """Makes the report. Raises UsageError for an event the catalogue does not know."""
    counts = counts_of(measurement)
    names = [region.name for region in counts[0].measured()]
    return StatReport(
        machine=MachineHeader.of(measurement),
        doubts=doubts(measurement),
        regions=tuple(_region(name, counts, catalog, expressions) for name in names),
    )


def _region(
    name: str, counts: Sequence[Counts], catalog: Catalog, expressions: Sequence[str]
) -> RegionStat:
    runs = [run.region(name) for run in counts]
    counted = {leaf for run in runs for leaf in run.events}
    selections = catalog.select(expressions, counted)
    return RegionStat(
        region=name,
        opened=runs[0].opened,
        iterations=len(runs[0].iterations),
        events=tuple(_row(selection, runs, catalog) for selection in selections),
    )


def _row(selection: Selection, runs: Sequence[Region], catalog: Catalog) -> EventRow:
    counts = [selection.count(run.events) for run in runs]
    return EventRow(
        event=selection.name,
        description=catalog.describe(selection.name),
        is_total=selection.is_total,
        u=_figure(selection, "u", [count.u for count in counts]),
        k=_figure(selection, "k", [count.k for count in counts]),
        total=Figure.of([c.total for c in counts]) if len(selection.levels) == 2 else None,
    )


def _figure(selection: Selection, level: Level, counts: Sequence[int]) -> Figure | None:
    return Figure.of(counts) if level in selection.levels else None
