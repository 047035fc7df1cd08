# SPDX-License-Identifier: GPL-2.0-or-later
"""Brings together what a machine boots: kernel, userland and Granule's own guest programs."""

from collections.abc import Sequence
from pathlib import Path

from granule import cache, shipped
from granule import kernel as kernels
from granule.progress import Progress
from granule.run import Bootable
from granule.targets import QemuTarget
from granule.targets.version import find_emulator
from granule.userland import build_programs, load_recipe, module_files
from granule.userland import provide as provide_userland


def target() -> QemuTarget:
    """The emulated machine, checked before anything is built for it.

    Raises MissingToolError if there is no QEMU that will do.
    """
    find_emulator()
    return QemuTarget(shipped.plugin(), cache.section("runs"))


def bootables(
    specs: Sequence[str], progress: Progress, *, directory: Path | None = None
) -> tuple[Bootable, ...]:
    """What the SPECs name, built where need be.

    With ``directory`` a SPEC may be a revision of the kernel tree there. Raises
    UsageError for a wrong SPEC, before anything is built, and MachineError if a
    part cannot be made.
    """
    parsed = [_parse(text, directory) for text in specs]
    built = [kernels.provide(each, cache.root(), progress) for each in parsed]
    guest = shipped.folder() / "guest"
    programs = build_programs(guest, cache.root(), progress)
    recipe = load_recipe(guest / "userland.toml")
    userland = provide_userland(recipe, cache.root(), progress)
    return tuple(_bootable(each, programs.init, userland.archive) for each in built)


def kernel(text: str, progress: Progress, *, directory: Path | None = None) -> kernels.BuiltKernel:
    """The kernel alone; see :func:`bootables`."""
    return kernels.provide(_parse(text, directory), cache.root(), progress)


def selftests(
    text: str, progress: Progress, *, directory: Path | None = None
) -> kernels.Selftests | None:
    """The MTE selftests of the kernel a SPEC names; None if its source is not at hand."""
    parsed = _parse(text, directory)
    if not isinstance(parsed, kernels.Linux | kernels.Revision):
        return None
    return kernels.provide_selftests(parsed, cache.root(), progress)


def _parse(text: str, directory: Path | None) -> kernels.Spec:
    return kernels.parse(text, kernels.shipped(), directory=directory)


def _bootable(kernel: kernels.BuiltKernel, init: Path, userland: Path) -> Bootable:
    return Bootable(
        spec=kernel.spec,
        release=kernel.release,
        identity=kernel.identity,
        kernel=kernel.image,
        init=init,
        userland=userland,
        modules=module_files(kernel.modules) if kernel.modules else (),
    )
