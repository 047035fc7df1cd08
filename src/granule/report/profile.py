# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule profile``: events by kernel function."""

from collections.abc import Sequence
from typing import Literal

from granule.events import Catalog, Selection
from granule.report.doubts import doubts
from granule.report.functions import INSTRUCTIONS, FunctionRuns
from granule.report.header import MachineHeader, counts_of
from granule.report.model import Figure, Label, Model
from granule.run import Measurement
from granule.symbols import USER


class FunctionCount(Model):
    """An event in a function. ``share`` is the part of the event's total, 0 to 1."""

    event: str
    count: Figure
    share: float


class FunctionRow(Model):
    """A function with all selected events."""

    function: str
    events: tuple[FunctionCount, ...]


class RegionProfile(Model):
    """The functions of a region; the first event orders them."""

    region: str
    events: tuple[str, ...]
    functions: tuple[FunctionRow, ...]


class ProfileReport(Model):
    """All of ``granule profile``."""

    format: Literal["granule-profile"] = "granule-profile"
    version: Literal[1] = 1
    label: Label = "counted"
    machine: MachineHeader
    doubts: tuple[str, ...]
    regions: tuple[RegionProfile, ...]


def profile_report(
    measurement: Measurement, catalog: Catalog, expressions: Sequence[str] = ()
) -> ProfileReport:
    """Makes the report; without expressions it is about instructions."""
    chosen = tuple(expressions) or (INSTRUCTIONS,)
    regions = [region.name for region in counts_of(measurement)[0].measured()]
    return ProfileReport(
        machine=MachineHeader.of(measurement),
        doubts=doubts(measurement),
        regions=tuple(_region(measurement, region, catalog, chosen) for region in regions),
    )


def _region(
    measurement: Measurement, region: str, catalog: Catalog, expressions: Sequence[str]
) -> RegionProfile:
    functions = FunctionRuns.of(measurement, region)
    counted = {leaf for run in functions.runs for events in run.values() for leaf in events}
    selections = catalog.select(expressions, counted)
    totals = {s.name: _total(functions, s) for s in selections}
    rows = [_row(name, functions, selections, totals) for name in functions.names]
    seen = [row for row in rows if any(event.count.mean for event in row.events)]
    return RegionProfile(
        region=region,
        events=tuple(selection.name for selection in selections),
        functions=tuple(sorted(seen, key=_most_first)),
    )


def _total(functions: FunctionRuns, selection: Selection) -> float:
    fitting = [name for name in functions.names if _level(name) in selection.levels]
    return sum(Figure.of(functions.counts(name, selection)).mean for name in fitting)


def _row(
    name: str,
    functions: FunctionRuns,
    selections: Sequence[Selection],
    totals: dict[str, float],
) -> FunctionRow:
    return FunctionRow(
        function=name,
        events=tuple(_count(name, functions, s, totals[s.name]) for s in selections),
    )


def _count(name: str, functions: FunctionRuns, selection: Selection, total: float) -> FunctionCount:
    counts = functions.counts(name, selection)
    if _level(name) not in selection.levels:
        counts = [0] * len(counts)
    figure = Figure.of(counts)
    return FunctionCount(
        event=selection.name, count=figure, share=figure.mean / total if total else 0.0
    )


def _level(function: str) -> Literal["u", "k"]:
    return "u" if function == USER else "k"


def _most_first(row: FunctionRow) -> tuple[tuple[float, ...], str]:
    return tuple(-event.count.mean for event in row.events), row.function
