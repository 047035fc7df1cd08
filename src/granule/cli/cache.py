# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule cache``."""

import sys

import click
from rich.filesize import decimal

from granule import cache as stored
from granule.cli.progress import choose_progress
from granule.errors import UsageError


@click.group()
def cache() -> None:
    """Show and remove what can be made again: kernels, userlands, logs of runs.

    It is in ~/.cache/granule, or where GRANULE_CACHE says.
    """


@cache.command()
def size() -> None:
    """Show where the cache is and what it takes on the disk."""
    click.echo(stored.root())
    for section in stored.sizes(choose_progress()):
        click.echo(f"{decimal(section.bytes):>12}  {section.name}")


@cache.command()
@click.argument("section", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
def clear(section: str | None, *, yes: bool) -> None:
    """Remove one SECTION of the cache, or all of it."""
    stored.sections(section)
    if not yes:
        _ask()
    stored.clear(section)


def _ask() -> None:
    if not sys.stdin.isatty():
        raise UsageError("Nobody can be asked whether to remove it: say so with '--yes'.")
    click.confirm("Remove it? It is made again when needed.", abort=True)
