# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule cache``."""

import sys

import click

from granule import cache as stored
from granule.cli.options import json_option
from granule.cli.output import show
from granule.cli.progress import choose_progress
from granule.errors import UsageError
from granule.report.cache import cache_report, render_cache


@click.group()
def cache() -> None:
    """Show and remove what can be made again.

    Kernels and their sources, the userland, downloaded packages, measurements and the logs
    of runs: all of it is in ~/.cache/granule, or where GRANULE_CACHE says.
    """


@cache.command()
@json_option
def size(*, as_json: bool) -> None:
    """Show where the cache is and what it takes on the disk."""
    report = cache_report(stored.root(), stored.sizes(choose_progress()))
    show(report, render_cache(report), as_json=as_json)


@cache.command()
@click.argument("section", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
def clear(section: str | None, *, yes: bool) -> None:
    """Remove one SECTION of the cache, or all of it.

    What was measured ('store') is measured again, all else built or fetched again, when
    it is needed next.

    \b
    Examples:
      granule cache clear
      granule cache clear userland     (newer packages come in)
      granule cache clear runs --yes
    """
    stored.sections(section)
    if not yes:
        _ask()
    stored.clear(section)


def _ask() -> None:
    if not sys.stdin.isatty():
        raise UsageError("Nobody can be asked whether to remove it: say so with '--yes'.")
    click.confirm("Remove it? It is made again when needed.", abort=True)
