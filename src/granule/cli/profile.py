# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule profile``."""

import click

from granule.cli import options
from granule.cli.measuring import measured
from granule.cli.output import show
from granule.events import Catalog
from granule.report import profile_report
from granule.report.text import render_profile
from granule.run import check_success
from granule.targets import Counting


@click.command()
@options.kernel_option
@options.counting_options
@options.top_option
@options.json_option
def profile(kernel: str, top: int, as_json: bool) -> None:
    """Show in which kernel functions events happen.

    Every event is counted, none is sampled. The first event orders the table.

    \b
    Examples:
      granule profile -- perf bench futex hash -t 1 -r 1
      granule profile -e tlbi -e instructions:k -- ./mybench
    """
    request, catalog = options.Request.current(), Catalog.shipped()
    (measurement,) = measured(request, [kernel], catalog, Counting(profile=True))
    report = profile_report(measurement, catalog, request.events)
    show(report, render_profile(report, top), as_json=as_json)
    check_success(measurement)
