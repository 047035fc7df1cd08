# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule show``."""

from pathlib import Path

import click

from granule.cli.finding import found
from granule.cli.options import candidate_option, json_option, store_option
from granule.cli.output import show as show_report_or_json
from granule.events import Catalog
from granule.report.show import show_report
from granule.report.text import render_show


@click.command()
@click.option("--plan", "names", multiple=True, metavar="PLAN", help="Only this plan.")
@click.option("--relative", metavar="KERNEL", help="Compare with this kernel of the plan.")
@candidate_option
@store_option
@json_option
def show(
    names: tuple[str, ...],
    relative: str | None,
    candidate: str | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Show what plans measured, kernels side by side.

    Events are given per operation and in total.

    \b
    Examples:
      granule show
      granule show --plan mte-sync --relative linux-7.3
      granule show --plan mte-sync --candidate linux-6.12+all
    """
    findings = list(found(names, candidate, store).values())
    report = show_report(findings, Catalog.shipped(), relative)
    show_report_or_json(report, render_show(report), as_json=as_json)
