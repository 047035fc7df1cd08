# SPDX-License-Identifier: GPL-2.0-or-later
"""The functions whose events a change moved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from granule.events import Catalog, Level, Selection
from granule.report.header import counts_of
from granule.report.model import Figure, Model
from granule.run import Measurement
from granule.stats import Comparison, Relevance, compare_all
from granule.symbols import USER, SymbolTable, by_function

Presence = Literal["in both", "only in base", "only in cand"]
Events = Mapping[str, int]

INSTRUCTIONS = "instructions"


class FunctionEvent(Model):
    """One event of a function. ``change`` is in counts, of the means."""

    event: str
    base: Figure
    cand: Figure
    change: float


class FunctionMove(Model):
    """A function with the events that moved in it.

    ``presence`` says which kernel has the function at all: one that is only in
    the baseline was removed, renamed or inlined.
    """

    function: str
    level: Level
    presence: Presence
    events: tuple[FunctionEvent, ...]

    def change(self, event: str) -> float:
        """By how much an event moved; 0 if it did not."""
        return next((found.change for found in self.events if found.event == event), 0)


@dataclass(frozen=True, slots=True)
class FunctionRuns:
    """One region of one kernel: function to events in every run, and all functions there are."""

    runs: tuple[Mapping[str, Events], ...]
    known: frozenset[str]

    @classmethod
    def of(cls, measurement: Measurement, region: str) -> "FunctionRuns":
        """Attributes every run with its own symbols: each boots at another address."""
        tables = [
            SymbolTable.parse(outcome.kallsyms) if outcome.kallsyms else SymbolTable(())
            for outcome in measurement.outcomes
        ]
        places = [counts.region(region).places for counts in counts_of(measurement)]
        return cls(
            tuple(by_function(here, table) for here, table in zip(places, tables, strict=True)),
            frozenset(name for table in tables for name in table.functions),
        )

    @property
    def names(self) -> frozenset[str]:
        """Every function in which anything was counted."""
        return frozenset(name for run in self.runs for name in run)

    def counts(self, function: str, selection: Selection) -> list[int]:
        """What a selection adds up to in a function, run by run."""
        return [_sum(selection, run.get(function, {})) for run in self.runs]


def moved_functions(
    base: Measurement,
    cand: Measurement,
    region: str,
    catalog: Catalog,
    expressions: Sequence[str],
    relevance: Relevance,
) -> tuple[FunctionMove, ...]:
    """The functions in which any selected event moved, the largest change first.

    Without expressions the events are the catalogue's overview. Empty if the
    measurements were not profiled.
    """
    sides = FunctionRuns.of(base, region), FunctionRuns.of(cand, region)
    keys = _keys(sides, catalog, expressions)
    found = compare_all(
        {key: (sides[0].counts(*key), sides[1].counts(*key)) for key in keys},
        repeatable=base.settings.repeatable,
        relevance=relevance,
    )
    moved = _grouped({key: comparison for key, comparison in found.items() if comparison.moved})
    moves = [_move(function, events, sides) for function, events in moved.items()]
    return tuple(sorted(moves, key=_largest_first))


def _keys(
    sides: tuple[FunctionRuns, FunctionRuns], catalog: Catalog, expressions: Sequence[str]
) -> list[tuple[str, Selection]]:
    counted = {leaf for side in sides for run in side.runs for ev in run.values() for leaf in ev}
    selections = catalog.select(expressions, counted)
    functions = sorted(sides[0].names | sides[1].names)
    return [
        (function, selection)
        for function in functions
        for selection in selections
        if _fits(function, selection)
        and any(any(side.counts(function, selection)) for side in sides)
    ]


def _fits(function: str, selection: Selection) -> bool:
    return ("u" if function == USER else "k") in selection.levels


def _sum(selection: Selection, events: Events) -> int:
    return sum(events.get(leaf, 0) for leaf in selection.leaves)


def _grouped(
    found: Mapping[tuple[str, Selection], Comparison],
) -> dict[str, list[tuple[Selection, Comparison]]]:
    groups: dict[str, list[tuple[Selection, Comparison]]] = {}
    for (function, selection), comparison in found.items():
        groups.setdefault(function, []).append((selection, comparison))
    return groups


def _move(
    function: str,
    events: Sequence[tuple[Selection, Comparison]],
    sides: tuple[FunctionRuns, FunctionRuns],
) -> FunctionMove:
    return FunctionMove(
        function=function,
        level="u" if function == USER else "k",
        presence=_presence(function, sides),
        events=tuple(
            FunctionEvent(
                event=selection.name,
                base=Figure.of_summary(comparison.base),
                cand=Figure.of_summary(comparison.cand),
                change=comparison.difference,
            )
            for selection, comparison in events
        ),
    )


def _presence(function: str, sides: tuple[FunctionRuns, FunctionRuns]) -> Presence:
    in_base, in_cand = (function in side.known for side in sides)
    if in_base and not in_cand:
        return "only in base"
    if in_cand and not in_base:
        return "only in cand"
    return "in both"


def _largest_first(move: FunctionMove) -> tuple[float, float, str]:
    total = sum(abs(event.change) for event in move.events)
    return -abs(move.change(INSTRUCTIONS)), -total, move.function
