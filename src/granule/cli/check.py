# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule check``."""

from pathlib import Path

import click

from granule import torture
from granule.claims import feature as features
from granule.claims.check import check as judge
from granule.claims.docket import open_docket
from granule.claims.feature import load_claims
from granule.claims.torture import torture_verdicts
from granule.cli.finding import found
from granule.cli.options import candidate_option, json_option, plans_argument, store_option
from granule.cli.output import show
from granule.events import Catalog
from granule.features import Library
from granule.report.check import check_report, require
from granule.report.text import render_check


@click.command()
@plans_argument
@candidate_option
@store_option
@json_option
def check(names: tuple[str, ...], candidate: str | None, store: Path | None, as_json: bool) -> None:
    """Judge every feature's claims by the measurements in the store.

    Exits with 1 if a claim does not hold, was not measured, if a feature has no
    claims, or if it was not tortured as its patches are today. Nothing is run:
    'granule run' and 'granule torture' do that.

    \b
    Examples:
      granule check
      granule check mte-sync --json
      granule check --candidate linux-6.12 mte-sync   (the baseline must fail)
    """
    findings = found(names, candidate, store)
    plans = [each.plan for each in findings.values()]
    docket = open_docket(load_claims(), plans, every_plan=not names)
    judged = judge(docket.features, findings, Catalog.shipped())
    tried = torture.standings(Library(features.folder()), docket.about, torture.load())
    verdicts = (*judged, *torture_verdicts(tried))
    report = check_report(verdicts, docket.unclaimed)
    show(report.verdicts if as_json else report, render_check(report), as_json=as_json)
    require(report)
