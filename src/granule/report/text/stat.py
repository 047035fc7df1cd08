# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of ``granule stat``."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from rich.console import RenderableType
from rich.table import Table

from granule.report.stat import EventRow, RegionStat, StatReport
from granule.report.text.parts import (
    doubt_lines,
    figure,
    header_lines,
    heading,
    log_lines,
    spread,
    table,
)


def render_stat(report: StatReport) -> Iterator[RenderableType]:
    """The header, then one table per region."""
    yield header_lines(report.machine)
    yield from doubt_lines(report.doubts)
    for region in report.regions:
        yield ""
        yield heading(_title(region))
        yield _table(region, report)
    yield from log_lines(report.machine)


def _table(region: RegionStat, report: StatReport) -> Table:
    many = len(report.machine.runs) > 1
    made = table(["event", ":u", ":k", "total", *(["spread"] if many else [])])
    for rows in _groups(region):
        if made.row_count:
            made.add_row()
        for row in rows:
            made.add_row(*_cells(row, report, many=many))
    return made


def _groups(region: RegionStat) -> Iterator[list[EventRow]]:
    """Families with several members stand apart; single events follow each other."""
    sizes = Counter(_family(row) for row in region.events)
    keyed = groupby(region.events, lambda row: _family(row) if sizes[_family(row)] > 1 else "")
    yield from (list(rows) for _, rows in keyed)


def _title(region: RegionStat) -> str:
    opened = f", opened {region.opened:,} times" if region.opened > 1 else ""
    iterations = f", {region.iterations:,} iterations" if region.iterations else ""
    return f"Region {region.region} (counted{opened}{iterations})"


def _cells(row: EventRow, report: StatReport, *, many: bool) -> list[str]:
    cells = [row.event, figure(row.u), figure(row.k), figure(row.total)]
    if many:
        cells.append(spread(row.total or row.u or row.k, repeatable=report.machine.repeatable))
    return cells


def _family(row: EventRow) -> str:
    return row.event.partition(".")[0]
