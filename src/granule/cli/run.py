# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule run``."""

from pathlib import Path

import click

from granule import lab as labs
from granule import provision
from granule.cli.finding import chosen
from granule.cli.options import candidate_option, jobs_option, plans_argument, store_option
from granule.cli.progress import choose_progress
from granule.execute import execute
from granule.findings import check_logs, find
from granule.store import Store, default_path


@click.command()
@plans_argument
@candidate_option
@store_option
@jobs_option
def run(
    names: tuple[str, ...], candidate: str | None, store: Path | None, jobs: int | None
) -> None:
    """Measure what plans ask for, and keep it in the store.

    Only what is missing is run: repeat the command to resume one that was
    interrupted. Without PLAN all plans are executed. Exits with 1 if a kernel
    complained in its log during a run.

    \b
    Examples:
      granule run mte-sync
      granule run --candidate linux-6.12 mte-sync
      granule run ./my-plan.toml --store my-runs.sqlite
    """
    plans = chosen(names, candidate)
    progress = choose_progress()
    kept = Store.open(store or default_path())
    lab = labs.of_this_machine(progress)
    done = execute(plans, lab, provision.target(), kept, progress, jobs)
    click.echo(f"{done.done} measured, {done.reused} had been measured before: {kept.path}")
    check_logs(find(plan, lab, kept) for plan in plans)
