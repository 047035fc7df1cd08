# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of ``granule profile``."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table

from granule.report.profile import FunctionRow, ProfileReport, RegionProfile
from granule.report.text.parts import doubt_lines, figure, header_lines, heading, log_lines, table


def render_profile(report: ProfileReport, top: int) -> Iterator[RenderableType]:
    """The header, then the ``top`` functions of each region."""
    yield header_lines(report.machine)
    yield from doubt_lines(report.doubts)
    for region in report.regions:
        yield ""
        yield heading(f"Region {region.region}: by function (counted)")
        yield _table(region, top)
        if len(region.functions) > top:
            yield f"… and {len(region.functions) - top} more (--top)."
    yield from log_lines(report.machine)


def _table(region: RegionProfile, top: int) -> Table:
    columns = [column for event in region.events for column in (event, "%")]
    made = table([*columns, "function"])
    made.columns[0].justify = "right"
    made.columns[-1].justify = "left"
    for row in region.functions[:top]:
        made.add_row(*_cells(row))
    return made


def _cells(row: FunctionRow) -> list[str]:
    cells = [cell for e in row.events for cell in (figure(e.count), f"{e.share:.2%}")]
    return [*cells, row.function]
