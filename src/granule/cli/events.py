# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule events``."""

import click

from granule.cli.options import json_option
from granule.cli.output import show
from granule.events import Catalog
from granule.report.events import events_report, render_events


@click.command()
@json_option
def events(as_json: bool) -> None:
    """List the events that can be counted, and what they mean.

    Every name can be given to -e, with ':u' for EL0 or ':k' for EL1.

    \b
    Examples:
      granule events
      granule stat -e tlbi,dsb:k -e 'mrs.*' -- ls
    """
    report = events_report(Catalog.shipped())
    show(report, render_events(report), as_json=as_json)
