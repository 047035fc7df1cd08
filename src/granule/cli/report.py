# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule report``."""

from pathlib import Path

import click

from granule.claims.check import check
from granule.claims.docket import open_docket
from granule.claims.feature import load_claims
from granule.cli.finding import found
from granule.cli.options import candidate_option, plans_argument, store_option
from granule.errors import UsageError
from granule.events import Catalog
from granule.report.check import check_report
from granule.report.page import provenance, render_page
from granule.report.show import show_report


@click.command()
@plans_argument
@click.option(
    "-o",
    "--output",
    default="report.html",
    show_default=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The page to write.",
)
@candidate_option
@store_option
def report(names: tuple[str, ...], output: Path, candidate: str | None, store: Path | None) -> None:
    """Write one HTML page with all tables, plots and verdicts.

    It also says where they come from, and needs no other file and no network.

    \b
    Examples:
      granule report
      granule report -o mte-sync.html mte-sync
      granule report --candidate linux-6.12+all mte-sync
    """
    findings, catalog = found(names, candidate, store), Catalog.shipped()
    every = list(findings.values())
    docket = open_docket(load_claims(), [each.plan for each in every], every_plan=not names)
    verdicts = check(docket.features, findings, catalog)
    page = render_page(
        show_report(every, catalog), check_report(verdicts, docket.unclaimed), provenance(every)
    )
    try:
        output.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"Cannot write {output}: {error.strerror}.") from error
    click.echo(output)
