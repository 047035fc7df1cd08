# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule doctor``."""

import click

from granule import doctor as examination
from granule.cli.options import json_option
from granule.cli.output import show


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Show what this machine lacks, and how to install it.

    Exits with 3 if something needed is missing.
    """
    report = examination.examine()
    show(report, examination.render(report), as_json=as_json)
    examination.require(report)
