# SPDX-License-Identifier: GPL-2.0-or-later
"""What goes to standard output: a report as text or as JSON."""

import io
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
    console = Console(file=sys.stdout)
    if console.is_terminal:
        _draw(console, text)
    else:
        click.echo(_plain(text), nl=False)


def warn(sentence: str) -> None:
    """A sentence on standard error, if there is any."""
    if sentence:
        click.echo(f"granule: {sentence}", err=True)


def _draw(console: Console, text: Iterable[RenderableType]) -> None:
    for part in text:
        console.print(part, highlight=False, markup=False)


def _plain(text: Iterable[RenderableType]) -> str:
    """Nothing is cut at a width nobody sees, and no line ends in blanks."""
    stream = io.StringIO()
    _draw(Console(file=stream, width=_PLAIN_WIDTH), text)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())
