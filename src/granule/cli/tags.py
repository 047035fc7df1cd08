# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule tags``."""

from pathlib import Path

import click

from granule.cli.options import json_option
from granule.cli.output import show
from granule.tags import build_coder, read_pages, render_size, size_report


@click.group()
def tags() -> None:
    """Store the MTE tags of pages as the feature mte-swap does."""


@tags.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--totals", is_flag=True, help="Leave out the table with a row for each page.")
@json_option
def size(file: Path, *, totals: bool, as_json: bool) -> None:
    """Show what the tags in FILE take, a page a line, with our coder and with EA0.

    A line has a hexadecimal digit for each granule of 16 bytes, the first granule
    first: 256 for a page of 4 KiB, 1024 for 16 KiB, 4096 for 64 KiB. What follows a
    '#' is left out. FILE may be compressed with xz.

    For each page: the code that is chosen and its bits, and the class, the bytes of the
    buffer it is kept in; 'inline' is in the XArray slot and takes none. The coder is
    the kernel's own C code, compiled for this machine.

    \b
    Examples:
      granule tags size pages.txt
      granule tags size --totals features/mte-swap/corpus/pages/perl-glibc.txt.xz
      granule tags size --json pages.txt
    """
    report = size_report(read_pages(file), build_coder())
    show(report, render_size(report, pages=not totals), as_json=as_json)
