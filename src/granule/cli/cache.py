# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule cache``."""

import click
from rich.filesize import decimal

from granule import cache as stored


@click.group()
def cache() -> None:
    """Show and remove what can be made again: kernels, userlands, logs of runs."""


@cache.command()
def size() -> None:
    """Show where the cache is and what it takes on the disk."""
    click.echo(stored.root())
    for section in stored.sizes():
        click.echo(f"{decimal(section.bytes):>12}  {section.name}")


@cache.command()
@click.argument("section", required=False)
@click.confirmation_option("--yes", prompt="Remove it? It is made again when needed.")
def clear(section: str | None) -> None:
    """Remove one SECTION of the cache, or all of it."""
    stored.clear(section)
