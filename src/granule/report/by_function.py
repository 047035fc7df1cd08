# SPDX-License-Identifier: GPL-2.0-or-later
"""In which kernel functions the events of a table happened, where a profile was kept."""

from collections import Counter
from collections.abc import Iterator, Sequence

from granule.findings import region
from granule.report.columns import Column, KernelFigure, compared, kernel_figure
from granule.report.model import Model
from granule.samples import EventAtLevel
from granule.symbols import USER

_FUNCTIONS = 10
"""Functions shown for an event: those in which it happened most, on any kernel."""


class FunctionRow(Model):
    """One event in one kernel function."""

    event: str
    function: str
    figures: tuple[KernelFigure, ...]


def function_rows(
    columns: Sequence[Column], base: Column | None, events: Sequence[EventAtLevel]
) -> tuple[FunctionRow, ...]:
    """The functions of each kernel event, the most frequent first; empty without a profile."""
    kernel_events = [event for event in events if event.level == "k"]
    return tuple(row for event in kernel_events for row in _rows(columns, base, event))


def _rows(
    columns: Sequence[Column], base: Column | None, event: EventAtLevel
) -> Iterator[FunctionRow]:
    for function in _most(columns, event):
        known = base.of_function(function) if base else None
        narrowed = [column.of_function(function) for column in columns]
        yield FunctionRow(
            event=str(event),
            function=function,
            figures=tuple(
                kernel_figure(column, event, compared(known, column, [event]).get(event))
                for column in narrowed
            ),
        )


def _most(columns: Sequence[Column], event: EventAtLevel) -> list[str]:
    largest: Counter[str] = Counter()
    for column in columns:
        for function, count in _counts(column, event).items():
            largest[function] = max(largest[function], count)
    return [function for function, count in largest.most_common(_FUNCTIONS) if count]


def _counts(column: Column, event: EventAtLevel) -> Counter[str]:
    """Function to count, over all runs of a kernel."""
    counts: Counter[str] = Counter()
    for run in column.finding.runs:
        for function, events in region(column.finding.cell.workload, run).functions.items():
            if function != USER:
                counts[function] += sum(events.get(leaf, 0) for leaf in event.selection.leaves)
    return counts
