# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of ``granule features``."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table

from granule.report.features import FeaturesReport


def render_features(report: FeaturesReport) -> Iterator[RenderableType]:
    """One table."""
    if not report.features:
        yield "There are no features yet."
        return
    table = Table("feature", "title", "upstream", box=None, pad_edge=False, padding=(0, 2))
    table.add_column("patches", justify="right")
    table.add_column("claims", justify="right")
    for each in report.features:
        sums = (str(len(each.patches)), str(len(each.claims)))
        name = f"{each.name} (draft)" if each.draft else each.name
        table.add_row(name, each.title, each.upstream, *sums)
    yield table
