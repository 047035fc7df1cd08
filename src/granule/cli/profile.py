# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule profile``."""

from pathlib import Path

import click

from granule.cli import options
from granule.cli.measuring import measured
from granule.cli.output import show
from granule.events import Catalog
from granule.report import profile_report
from granule.report.flame import check_place, stacks_wanted, write_flame_graph
from granule.report.text import render_profile
from granule.run import check_log, check_success
from granule.targets import Counting


@click.command()
@options.kernel_option
@options.counting_options
@options.top_option
@click.option(
    "--flame",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw the kernel's call stacks at the first event (FILE.svg, else folded text).",
)
@options.json_option
def profile(kernel: str, top: int, flame: Path | None, as_json: bool) -> None:
    """Show in which kernel functions events happen.

    Every event is counted, none is sampled; only a flame graph of instructions is
    made of samples. The first event orders the table.

    \b
    Examples:
      granule profile -- perf bench futex hash -t 1 -r 1
      granule profile -e tlbi -e instructions:k -- ./mybench
      granule profile -e tlbi --flame tlbi.svg -- ./mybench
    """
    request, catalog = options.Request.current(), Catalog.shipped()
    if flame:
        check_place(flame)
    stacks = stacks_wanted(request.events) if flame else None
    counting = Counting(profile=True, stacks=stacks)
    (measurement,) = measured(request, [kernel], catalog, counting)
    report = profile_report(measurement, catalog, request.events)
    if flame and stacks:
        write_flame_graph(measurement, flame, stacks.partition(":")[0])
    show(report, render_profile(report, top), as_json=as_json)
    check_success(measurement)
    check_log(measurement)
