# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule kernel``."""

from pathlib import Path

import click

from granule import provision
from granule.cli.progress import choose_progress


@click.group()
def kernel() -> None:
    """Build kernels."""


@kernel.command()
@click.argument("spec", default="debian")
def build(spec: str) -> None:
    """Build or fetch the kernel a SPEC names and print the path of its Image.

    \b
    Examples:
      granule kernel build linux-6.12
      granule kernel build HEAD          (in a kernel tree)
      granule kernel build ../linux@my-branch
    """
    built = provision.kernel(spec, choose_progress(), directory=Path.cwd())
    click.echo(built.image)
