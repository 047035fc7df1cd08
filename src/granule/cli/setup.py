# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule setup``."""

import subprocess

import click

from granule import shipped


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def setup(arguments: tuple[str, ...]) -> int:
    """Install what 'granule doctor' finds missing.

    That is packages of Debian, the Python environment and the counting plugin.

    \b
    Examples:
      granule setup            asks before it adds a package source
      granule setup --yes      does not ask
      granule setup --undo     removes all it installed, and the package source
    """
    script = shipped.folder() / "scripts" / "setup"
    return subprocess.run([script, *arguments], check=False).returncode
