# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule kernel``."""

from pathlib import Path

import click

from granule import kerneltest, provision
from granule.cli.options import json_option, test_options, test_settings
from granule.cli.output import show
from granule.cli.progress import choose_progress

_LINUX = "linux-6.12"


@click.group()
def kernel() -> None:
    """Build kernels and run their own tests."""


def _split(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(value.split(",")) if value else ()


_features_option = click.option(
    "--features",
    default="",
    metavar="A,B",
    help="Features to apply, or 'all'; the same as '+A,B' in the SPEC. See 'granule features'.",
    callback=_split,
)
_fragments_option = click.option(
    "--fragments",
    default="",
    metavar="X,Y",
    help="Configuration fragments, files of kernel/fragments; the same as ':X,Y' in the SPEC.",
    callback=_split,
)


@kernel.command()
@click.argument("spec", required=False)
@_features_option
@_fragments_option
@click.option("--each-patch", is_flag=True, help="Build the kernel after each patch in turn.")
def build(
    spec: str | None, features: tuple[str, ...], fragments: tuple[str, ...], each_patch: bool
) -> None:
    """Build or fetch a kernel and print the path of its Image.

    Without a SPEC that is Debian's own kernel, or linux-6.12 if features or fragments
    are named.

    \b
    Examples:
      granule kernel build linux-6.12
      granule kernel build linux-6.12+mte-sync:kasan-hw
      granule kernel build --features all --fragments kasan-hw
      granule kernel build --each-patch linux-6.12+mte-sync
      granule kernel build HEAD          (in a kernel tree)
      granule kernel build ../linux@my-branch
    """
    default = _LINUX if features or fragments or each_patch else "debian"
    directory, progress = Path.cwd(), choose_progress()
    wanted = provision.extended(spec or default, features, fragments, directory=directory)
    for text in provision.prefixes(wanted) if each_patch else (wanted,):
        built = provision.kernel(text, progress, directory=directory)
        click.echo(f"{text}\t{built.image}" if each_patch else built.image)


@kernel.command()
@click.argument("spec", default=_LINUX)
@_features_option
@_fragments_option
@click.option("--counters", is_flag=True, help="Run all twice: counting must change no verdict.")
@test_options
@json_option
def test(
    spec: str,
    features: tuple[str, ...],
    fragments: tuple[str, ...],
    counters: bool,
    as_json: bool,
) -> None:
    """Run a kernel's KUnit tests and MTE selftests in the guest.

    With -n a test passes that passes in most runs: chance decides some of KASAN's.
    Exits with 1 if a test fails, or if counting changes a verdict.

    \b
    Examples:
      granule kernel test linux-6.12
      granule kernel test --features all --fragments kasan-hw -n 3
      granule kernel test linux-6.12:kasan-hw --append kasan.mode=async
      granule kernel test HEAD --counters     (in a kernel tree)
    """
    directory, progress = Path.cwd(), choose_progress()
    wanted = provision.extended(spec, features, fragments, directory=directory)
    target = provision.target()
    (bootable,) = provision.bootables([wanted], progress, directory=directory)
    selftests = provision.selftests(wanted, progress, directory=directory)
    report = kerneltest.test_kernel(
        target, bootable, selftests, progress, settings=test_settings(), counters=counters
    )
    show(report, kerneltest.render(report), as_json=as_json)
    kerneltest.require(report)
