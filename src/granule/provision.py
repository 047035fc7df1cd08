# SPDX-License-Identifier: GPL-2.0-or-later
"""Brings together what a machine boots: kernel, userland and Granule's own guest programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from granule import cache, shipped
from granule import kernel as kernels
from granule.digest import file_sha256
from granule.progress import Progress
from granule.run import Bootable
from granule.targets import QemuTarget, RememberingTarget
from granule.targets.version import find_emulator
from granule.userland import (
    GuestPrograms,
    Userland,
    build_programs,
    load_recipe,
    module_files,
)
from granule.userland import provide as provide_userland


def target() -> QemuTarget:
    """The emulated machine, checked before anything is built for it.

    Raises MissingToolError if there is no QEMU that will do.
    """
    find_emulator()
    return QemuTarget(shipped.plugin(), cache.section("runs"))


def remembering_target() -> RememberingTarget:
    """The emulated machine, which does not repeat what it did before.

    For what asks the same again and again, such as the tests of kernels that did not change.
    """
    machine = f"{find_emulator().text}, plugin {file_sha256(shipped.plugin())}"
    return RememberingTarget(target(), cache.section("outcomes"), machine)


def bootables(
    specs: Sequence[str], progress: Progress, *, directory: Path | None = None
) -> tuple[Bootable, ...]:
    """What the SPECs name, built where need be.

    With ``directory`` a SPEC may be a revision of the kernel tree there. Raises
    UsageError for a wrong SPEC, before anything is built, and MachineError if a
    part cannot be made.
    """
    parsed = [parse(text, directory) for text in specs]
    built = [kernels.provide(each, cache.root(), progress) for each in parsed]
    here = guest(progress)
    return tuple(bootable(each, here) for each in built)


@dataclass(frozen=True, slots=True)
class Guest:
    """What every kernel boots into: Granule's own programs and Debian's userland."""

    programs: GuestPrograms
    userland: Userland


def guest(progress: Progress) -> Guest:
    """The guest's side, built where need be; raises MachineError if it cannot be made."""
    folder = shipped.folder() / "guest"
    programs = build_programs(folder, cache.root(), progress)
    recipe = load_recipe(folder / "userland.toml")
    return Guest(programs, provide_userland(recipe, cache.root(), progress))


def kernel(text: str, progress: Progress, *, directory: Path | None = None) -> kernels.BuiltKernel:
    """The kernel alone; see :func:`bootables`."""
    return kernels.provide(parse(text, directory), cache.root(), progress)


def selftests(
    text: str, progress: Progress, *, directory: Path | None = None
) -> kernels.Selftests | None:
    """The MTE selftests of the kernel a SPEC names; None if its source is not at hand."""
    parsed = parse(text, directory)
    if not isinstance(parsed, kernels.Linux | kernels.Revision):
        return None
    return kernels.provide_selftests(parsed, cache.root(), progress)


def parse(text: str, directory: Path | None = None) -> kernels.Spec:
    """The kernel a SPEC names, among those that come with Granule; raises UsageError."""
    return kernels.parse(text, kernels.shipped(), directory=directory)


def extended(
    text: str, features: Sequence[str], fragments: Sequence[str], *, directory: Path | None = None
) -> str:
    """The SPEC of the same kernel with more features and fragments; raises UsageError."""
    spec = parse(text, directory)
    return str(kernels.extended(spec, features, fragments, kernels.shipped()))


def prefixes(text: str) -> tuple[str, ...]:
    """The SPECs of a kernel after each patch of its features; raises UsageError."""
    catalog = kernels.shipped()
    return tuple(str(each) for each in kernels.prefixes(parse(text), catalog))


def bootable(kernel: kernels.BuiltKernel, guest: Guest) -> Bootable:
    """A kernel with the guest it boots into."""
    return Bootable(
        spec=kernel.spec,
        release=kernel.release,
        identity=kernel.identity,
        kernel=kernel.image,
        init=guest.programs.init,
        userland=guest.userland.archive,
        modules=module_files(kernel.modules) if kernel.modules else (),
    )
