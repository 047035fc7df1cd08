# SPDX-License-Identifier: GPL-2.0-or-later
"""What goes to standard output: a report as text or as JSON."""

import sys
from collections.abc import Iterable

import click
from pydantic import BaseModel
from rich.console import Console, RenderableType

_PLAIN_WIDTH = 200


def show(report: BaseModel, text: Iterable[RenderableType], *, as_json: bool) -> None:
    """Writes a report, either way."""
    if as_json:
        click.echo(report.model_dump_json(indent=1))
        return
    console = stdout_console()
    for part in text:
        console.print(part, highlight=False, markup=False)


def stdout_console() -> Console:
    """Into a file or a pipe nothing is cut at a width nobody sees."""
    console = Console(file=sys.stdout)
    return console if console.is_terminal else Console(file=sys.stdout, width=_PLAIN_WIDTH)


def warn(sentence: str) -> None:
    """A sentence on standard error, if there is any."""
    if sentence:
        click.echo(f"granule: {sentence}", err=True)
