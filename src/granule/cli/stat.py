# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule stat``."""

import click

from granule.cli import options
from granule.cli.measuring import measured
from granule.cli.output import show
from granule.events import Catalog
from granule.report import stat_report
from granule.report.text import render_stat
from granule.run import check_log, check_success
from granule.targets import Counting


@click.command()
@options.kernel_option
@options.counting_options
@options.json_option
def stat(kernel: str, as_json: bool) -> None:
    """Count the events of a command, like perf stat.

    A command with a slash that exists on this machine is copied into the guest. The
    regions that it marks (guest/include/granule.h) are counted, or else all it does.
    Without -e the table is an overview; -e '*' shows every event.

    \b
    Examples:
      granule stat -- perf bench futex hash -t 1 -r 1
      granule stat -e 'tlbi.*:k' -e dsb -- ./mybench --loops 10
      granule stat --kernel linux-6.12 --cpus 4 -n 5 -- ./mybench
      granule stat --env GLIBC_TUNABLES=glibc.mem.tagging=3 -- ./mybench
    """
    request, catalog = options.Request.current(), Catalog.shipped()
    # Where several CPUs wait for each other decides whether their counts can be believed.
    counting = Counting(profile=request.cpus > 1)
    (measurement,) = measured(request, [kernel], catalog, counting)
    report = stat_report(measurement, catalog, request.events)
    show(report, render_stat(report), as_json=as_json)
    check_success(measurement)
    check_log(measurement)
