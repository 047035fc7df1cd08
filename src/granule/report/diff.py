# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule diff``: which events a change moved, and in which functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from granule.errors import ShortfallError
from granule.events import Catalog, Counts, Level, Region, Selection
from granule.report.doubts import doubts
from granule.report.functions import FunctionMove, moved_functions
from granule.report.header import MachineHeader, counts_of
from granule.report.hints import hints
from granule.report.model import Figure, Label, Model
from granule.run import Measurement
from granule.stats import Comparison, Relevance, Tally, compare_all, tally


class EventMove(Model):
    """One event at one exception level in both kernels.

    ``change`` is candidate minus baseline in counts (of the means), ``relative``
    a part of the baseline (None if that is 0) and ``p`` the adjusted p-value
    (None if the counts are exact).
    """

    event: str
    level: Level
    is_total: bool
    base: Figure
    cand: Figure
    change: float
    relative: float | None
    p: float | None
    significant: bool
    relevant: bool
    decidable: bool

    @property
    def moved(self) -> bool:
        """Significant and relevant."""
        return self.significant and self.relevant


class RegionDiff(Model):
    """One region: every event considered, and the functions that moved.

    ``hints`` are sentences about what else than the change may have moved functions.
    """

    region: str
    events: tuple[EventMove, ...]
    functions: tuple[FunctionMove, ...]
    hints: tuple[str, ...]


class DiffReport(Model):
    """All of ``granule diff``. ``threshold`` is the least relative change that matters."""

    format: Literal["granule-diff"] = "granule-diff"
    version: Literal[1] = 1
    label: Label = "counted"
    base: MachineHeader
    cand: MachineHeader
    threshold: float
    doubts: tuple[str, ...]
    regions: tuple[RegionDiff, ...]
    wins: int
    losses: int
    ties: int
    summary: str


@dataclass(frozen=True, slots=True)
class _Class:
    """A result class: one event at one level in one region."""

    region: str
    selection: Selection
    level: Level


def diff_report(
    base: Measurement,
    cand: Measurement,
    catalog: Catalog,
    expressions: Sequence[str] = (),
    relevance: Relevance | None = None,
) -> DiffReport:
    """Makes the report. Without expressions every event is considered.

    Raises ShortfallError if the two measurements have no region in common.
    """
    limits, repeatable = relevance or Relevance(), base.settings.repeatable
    runs = _Runs(counts_of(base), counts_of(cand))
    classes = {key: runs.of(key) for key in runs.classes(catalog, expressions)}
    comparisons = compare_all(classes, repeatable=repeatable, relevance=limits)
    counted = _tally(comparisons, with_totals=bool(expressions))
    return DiffReport(
        base=MachineHeader.of(base),
        cand=MachineHeader.of(cand),
        threshold=limits.relative,
        doubts=tuple(dict.fromkeys((*doubts(base), *doubts(cand), *runs.lonely()))),
        regions=tuple(
            _region_diff(
                _moves(region, comparisons),
                moved_functions(base, cand, region, catalog, expressions, limits),
                runs.of_region(region),
                repeatable=repeatable,
            )
            for region in runs.regions
        ),
        wins=counted.wins,
        losses=counted.losses,
        ties=counted.ties,
        summary=counted.sentence(),
    )


def _tally(comparisons: Mapping[_Class, Comparison], *, with_totals: bool) -> Tally:
    """A total moves with its leaves: unless it was asked for, it is no class of its own."""
    return tally(
        found for key, found in comparisons.items() if with_totals or not key.selection.is_total
    )


class _Runs:
    """The counts of all runs of both kernels."""

    def __init__(self, base: Sequence[Counts], cand: Sequence[Counts]) -> None:
        self._base = base
        self._cand = cand
        self._only = _names(base[0]).symmetric_difference(_names(cand[0]))
        self.regions = tuple(r.name for r in base[0].measured() if r.name not in self._only)
        if not self.regions:
            raise ShortfallError("The two kernels measured no region in common.")

    def lonely(self) -> tuple[str, ...]:
        """A sentence for each region only one of the kernels reached."""
        return tuple(f"Region '{name}' was reached on one kernel only." for name in self._only)

    def classes(self, catalog: Catalog, expressions: Sequence[str]) -> list[_Class]:
        """The result classes; those that are 0 everywhere say nothing and are left out."""
        return [
            key
            for region in self.regions
            for selection in self._selections(region, catalog, expressions)
            for level in ("u", "k")
            if level in selection.levels
            and any(map(any, self.of(key := _Class(region, selection, level))))
        ]

    def of_region(self, region: str) -> tuple[list[Region], list[Region]]:
        """A region in the runs of the baseline and of the candidate."""
        base, cand = ([run.region(region) for run in runs] for runs in (self._base, self._cand))
        return base, cand

    def of(self, key: _Class) -> tuple[list[int], list[int]]:
        """The counts of a class in the runs of the baseline and of the candidate."""
        return _counts(self._base, key), _counts(self._cand, key)

    def _selections(
        self, region: str, catalog: Catalog, expressions: Sequence[str]
    ) -> tuple[Selection, ...]:
        base, cand = self.of_region(region)
        counted = {leaf for run in (*base, *cand) for leaf in run.events}
        return catalog.select(expressions, counted) if expressions else catalog.everything(counted)


def _names(counts: Counts) -> set[str]:
    return {region.name for region in counts.measured()}


def _counts(runs: Sequence[Counts], key: _Class) -> list[int]:
    counts = [key.selection.count(run.region(key.region).events) for run in runs]
    return [count.u if key.level == "u" else count.k for count in counts]


def _region_diff(
    events: tuple[EventMove, ...],
    functions: tuple[FunctionMove, ...],
    runs: tuple[list[Region], list[Region]],
    *,
    repeatable: bool,
) -> RegionDiff:
    said = hints(*runs) if functions and repeatable else ()
    return RegionDiff(region=runs[0][0].name, events=events, functions=functions, hints=tuple(said))


def _moves(region: str, comparisons: Mapping[_Class, Comparison]) -> tuple[EventMove, ...]:
    return tuple(_move(key, found) for key, found in comparisons.items() if key.region == region)


def _move(key: _Class, found: Comparison) -> EventMove:
    return EventMove(
        event=key.selection.name,
        level=key.level,
        is_total=key.selection.is_total,
        base=Figure.of_summary(found.base),
        cand=Figure.of_summary(found.cand),
        change=found.difference,
        relative=found.relative,
        p=found.p,
        significant=found.significant,
        relevant=found.relevant,
        decidable=found.decidable,
    )
