# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule events``: the catalogue."""

from collections.abc import Iterator
from typing import Literal

from rich.console import RenderableType
from rich.table import Table

from granule.events import Catalog
from granule.report.model import Model


class EventName(Model):
    """A name for ``-e``. ``leaves`` are the patterns a total sums; a leaf has none."""

    event: str
    description: str
    leaves: tuple[str, ...]


class EventsReport(Model):
    """All of ``granule events``."""

    format: Literal["granule-events"] = "granule-events"
    version: Literal[1] = 1
    events: tuple[EventName, ...]


def events_report(catalog: Catalog) -> EventsReport:
    """Totals first, then leaves, in the catalogue's order."""
    totals = [
        EventName(event=t.name, description=t.description, leaves=t.leaves) for t in catalog.totals
    ]
    leaves = [EventName(event=e.name, description=e.description, leaves=()) for e in catalog.events]
    return EventsReport(events=(*totals, *leaves))


def render_events(report: EventsReport) -> Iterator[RenderableType]:
    """One table."""
    table = Table("event", "meaning", box=None, pad_edge=False, padding=(0, 2))
    for event in report.events:
        sums = f" (sum of {', '.join(event.leaves)})" if event.leaves else ""
        table.add_row(event.event, f"{event.description}{sums}")
    yield table
