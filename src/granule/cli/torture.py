# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule torture``."""

import click

from granule import lab as labs
from granule import provision
from granule.claims import feature as features
from granule.cli.options import json_option
from granule.cli.output import show
from granule.cli.progress import choose_progress
from granule.features import Library
from granule.store import Store, default_path
from granule.torture import Standing, load, standings
from granule.torture.campaign import Campaign
from granule.torture.grounds import MachineGrounds
from granule.torture.listing import render_torture, require, torture_report


@click.command()
@click.argument("names", metavar="[FEATURE]…", nargs=-1)
@click.option("--list", "only_list", is_flag=True, help="Show how each trial stands, hold none.")
@click.option("--again", is_flag=True, help="Hold trials that have a result already, too.")
@click.option("--trial", "only", multiple=True, metavar="NAME", help="Only these trials.")
@click.option(
    "--candidate",
    default="linux-6.12+all",
    show_default=True,
    metavar="SPEC",
    help="The kernel to try, without fragments: one with all features, or with one alone.",
)
@json_option
def torture(
    names: tuple[str, ...],
    *,
    only_list: bool,
    again: bool,
    only: tuple[str, ...],
    candidate: str,
    as_json: bool,
) -> None:
    """Hold the trials of features, which take hours.

    Debug kernels, other page sizes and long races, as each feature names them. Only
    those run that have no result for today's patches: repeat the command to go on with
    one that was interrupted. Drafts have to be named. Results go to the store, and to
    torture.json beside the patches for 'granule check'. Exits with 1 if a trial failed.

    \b
    Examples:
      granule torture
      granule torture mte-sync --list
      granule torture mte-sync --trial debug --again
      granule torture --candidate linux-6.12+mte-sync mte-sync
    """
    library, trials = Library(features.folder()), load()
    chosen = names or tuple(each.name for each in library.load_all() if not each.about.draft)

    def now() -> list[Standing]:
        every = standings(library, chosen, trials)
        return [each for each in every if not only or each.trial.name in only]

    if not only_list:
        progress = choose_progress()
        campaign = Campaign(
            library=library,
            grounds=MachineGrounds(labs.of_this_machine(progress)),
            target=provision.target(),
            store=Store.open(default_path()),
            progress=progress,
            candidate=candidate,
            again=again,
        )
        campaign.run(now())
    report = torture_report(now())
    show(report, render_torture(report), as_json=as_json)
    require(report)
