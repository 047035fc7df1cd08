# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule kernel``."""

from pathlib import Path

import click

from granule import kerneltest, provision
from granule.cli.options import json_option
from granule.cli.output import show
from granule.cli.progress import choose_progress


@click.group()
def kernel() -> None:
    """Build kernels and run their own tests."""


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


@kernel.command()
@click.argument("spec", default="linux-6.12")
@click.option("--counters", is_flag=True, help="Run all twice: counting must change no verdict.")
@json_option
def test(spec: str, counters: bool, as_json: bool) -> None:
    """Run a kernel's KUnit tests and MTE selftests in the guest.

    Exits with 1 if a test fails, or if counting changes a verdict.

    \b
    Examples:
      granule kernel test linux-6.12
      granule kernel test HEAD --counters     (in a kernel tree)
    """
    progress = choose_progress()
    target = provision.target()
    (bootable,) = provision.bootables([spec], progress, directory=Path.cwd())
    selftests = provision.selftests(spec, progress, directory=Path.cwd())
    report = kerneltest.test_kernel(target, bootable, selftests, progress, counters=counters)
    show(report, kerneltest.render(report), as_json=as_json)
    kerneltest.require(report)
