# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule features``, ``granule checkout`` and ``granule refresh``."""

from pathlib import Path

import click

from granule import cache
from granule.cli.options import json_option
from granule.cli.output import show
from granule.cli.progress import choose_progress
from granule.features import checkpatch
from granule.features.checkout import BASE
from granule.kernel import editing, shipped
from granule.report.features import features_report
from granule.report.text import render_features


@click.command()
@click.option("--checkpatch", "check", is_flag=True, help="Run the kernel's checkpatch.pl on all.")
@json_option
def features(check: bool, as_json: bool) -> None:
    """List the kernel work that '+NAME' adds to a kernel.

    With --checkpatch, exits with 1 if the kernel's own checker complains of a patch
    or of a new file.

    \b
    Examples:
      granule features
      granule features --checkpatch
    """
    if check:
        _check()
        return
    report = features_report(shipped().features.load_all())
    show(report, render_features(report), as_json=as_json)


def _check() -> None:
    verdicts = list(editing.check_patches(cache.root(), choose_progress()))
    checkpatch.require(verdicts)
    click.echo(checkpatch.summary(verdicts))


_name = click.argument("name")
_directory = click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))


@click.command()
@_name
@_directory
def checkout(name: str, directory: Path) -> None:
    """Check a feature out as a git tree, a commit for each patch.

    Below them are the features it comes after, below those the unpatched source.
    Change the commits as you like; 'granule refresh' writes them back.

    \b
    Examples:
      granule checkout mte-sync ~/mte-sync
      cd ~/mte-sync && git rebase -i refs/granule/base
    """
    feature = editing.checkout(name, directory, cache.root(), choose_progress())
    click.echo(f"{directory}: {len(feature.patches)} commits on top of {BASE}")


@click.command()
@_name
@_directory
def refresh(name: str, directory: Path) -> None:
    """Write the commits of a checkout back into features/NAME.

    A new file that only one commit touches goes to src/, all else into patches.
    Authors, dates and messages are kept; nothing is signed off for anybody.

    \b
    Example:
      granule refresh mte-sync ~/mte-sync
    """
    feature = editing.refresh(name, directory, cache.root(), choose_progress())
    click.echo(f"{feature.folder}: {len(feature.patches)} patches")
