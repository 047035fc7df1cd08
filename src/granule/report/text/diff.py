# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of ``granule diff``."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table

from granule.report.diff import DiffReport, EventMove, RegionDiff
from granule.report.functions import INSTRUCTIONS, FunctionEvent, FunctionMove
from granule.report.text.parts import (
    doubt_lines,
    figure,
    heading,
    log_lines,
    pair_lines,
    percent,
    signed,
    spread,
    table,
)

_OTHERS = 4


def render_diff(report: DiffReport, top: int) -> Iterator[RenderableType]:
    """What ran, the events that moved, the ``top`` functions that moved, the tally."""
    yield pair_lines(report.base, report.cand)
    yield from doubt_lines(report.doubts)
    for region in report.regions:
        yield ""
        yield from _events(region, report)
        yield ""
        yield from _functions(region.functions, top)
        yield from region.hints
    yield ""
    yield f"{report.summary} (fewer is a win; under {report.threshold:.3%} or 2 counts is a tie)."
    yield from _undecided(report)
    yield from log_lines(report.base)
    yield from log_lines(report.cand)


def _events(region: RegionDiff, report: DiffReport) -> Iterator[RenderableType]:
    moved = [event for event in region.events if event.moved]
    if not moved:
        yield f"Region {region.region}: no event moved (counted)."
        return
    yield heading(f"Region {region.region}: events that moved (counted)")
    yield _event_table(moved, report)


def _event_table(moved: Sequence[EventMove], report: DiffReport) -> Table:
    many = len(report.base.runs) > 1 or len(report.cand.runs) > 1
    columns = ["event", "base", "candidate", "change", "%", *(["spread"] if many else [])]
    made = table(columns)
    for event in moved:
        cells = [f"{event.event}:{event.level}", figure(event.base), figure(event.cand)]
        cells += [signed(event.change), percent(event.relative)]
        made.add_row(*cells, *([_spreads(event, report)] if many else []))
    return made


def _spreads(event: EventMove, report: DiffReport) -> str:
    both = (
        spread(side, repeatable=report.base.repeatable) or "none"
        for side in (event.base, event.cand)
    )
    return " → ".join(both)


def _functions(functions: Sequence[FunctionMove], top: int) -> Iterator[RenderableType]:
    if not functions:
        return
    columns = ["function", "instructions", "base", "candidate", "other events", "note"]
    made = table(columns)
    for column in made.columns[4:]:
        # Words may wrap on a narrow terminal, so that no digit is cut off.
        column.justify, column.no_wrap = "left", False
    for function in functions[:top]:
        made.add_row(*_function_cells(function))
    yield heading("Functions that moved (counted)")
    yield made
    if len(functions) > top:
        yield f"… and {len(functions) - top} more (--top)."


def _function_cells(move: FunctionMove) -> list[str]:
    others = [event for event in move.events if event.event != INSTRUCTIONS]
    instructions = next((e for e in move.events if e.event == INSTRUCTIONS), None)
    return [move.function, *_instruction_cells(instructions), _others(others), _note(move)]


def _instruction_cells(event: FunctionEvent | None) -> list[str]:
    if event is None:
        return ["=", "", ""]
    return [signed(event.change), figure(event.base), figure(event.cand)]


def _others(events: Sequence[FunctionEvent]) -> str:
    largest = sorted(events, key=lambda event: -abs(event.change))
    shown = [f"{event.event} {signed(event.change)}" for event in largest[:_OTHERS]]
    return ", ".join([*shown, *(["…"] if len(largest) > _OTHERS else [])])


def _note(move: FunctionMove) -> str:
    match move.presence:
        case "only in base":
            return "gone: removed, renamed or inlined"
        case "only in cand":
            return "new, renamed or no longer inlined"
        case "in both":
            return _ran(move.events)


def _ran(events: Sequence[FunctionEvent]) -> str:
    instructions = next((e for e in events if e.event == INSTRUCTIONS), None)
    if instructions is None:
        return ""
    if not instructions.base.mean:
        return "did not run before"
    return "" if instructions.cand.mean else "no longer runs"


def _undecided(report: DiffReport) -> Iterator[RenderableType]:
    if any(not event.decidable for region in report.regions for event in region.events):
        yield "One run cannot tell chance from change on several vCPUs: ask for more (-n 5)."
