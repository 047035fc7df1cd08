# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule diff``."""

from pathlib import Path

import click

from granule.cli import options
from granule.cli.measuring import measured
from granule.cli.output import show
from granule.errors import UsageError
from granule.events import Catalog
from granule.report import diff_report
from granule.report.text import render_diff
from granule.run import check_log, check_success
from granule.stats import Relevance
from granule.targets import Counting


@click.command()
@click.argument("base", metavar="BASE")
@click.argument("candidate", metavar="CAND")
@options.counting_options
@options.top_option
@click.option(
    "--threshold",
    default=0.1,
    show_default=True,
    type=click.FloatRange(min=0),
    metavar="PERCENT",
    help="Changes below this part of the baseline do not matter.",
)
@options.json_option
def diff(base: str, candidate: str, top: int, threshold: float, as_json: bool) -> None:
    """Show which events a change moved, and in which functions.

    BASE and CAND are kernels: revisions of the kernel tree in the current
    directory, or anything --kernel of 'granule stat' takes. The regions that the command
    marks (guest/include/granule.h) are compared, or else all it does.

    \b
    Examples:
      granule diff HEAD~1 HEAD -- ./mybench
      granule diff v6.12 my-branch -e tlbi -e dsb -- ./mybench
      granule diff old/Image new/Image --cpus 4 -n 5 -- perf bench mem memcpy
    """
    request, catalog = options.Request.current(), Catalog.shipped()
    if not request.command:
        raise UsageError(
            "Name two kernels and then a command, as in 'granule diff HEAD~1 HEAD -- ./mybench'."
        )
    kernels, counting = [base, candidate], Counting(profile=True)
    before, after = measured(request, kernels, catalog, counting, Path.cwd())
    check_success(before)
    check_success(after)
    limits = Relevance(relative=threshold / 100)
    report = diff_report(before, after, catalog, request.events, limits)
    show(report, render_diff(report, top), as_json=as_json)
    check_log(before)
    check_log(after)
