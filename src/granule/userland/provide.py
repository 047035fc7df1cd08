# SPDX-License-Identifier: GPL-2.0-or-later
"""A recipe's userland: built once, then taken from the cache."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock

from granule.debian import AptRoot, Mirror, Package, StaleListsError, apt_root
from granule.errors import MachineError
from granule.progress import Progress
from granule.userland import cpio
from granule.userland.recipe import Recipe
from granule.userland.tree import make_tree

# Part of the identity: raise it when the same recipe gives another image.
_FORMAT = 2


@dataclass(frozen=True)
class Userland:
    """A userland that can be booted.

    `archive` is a cpio archive of it below "userland", for the initramfs: a run
    that needs no disk is repeatable.  `identity` names the content: same recipe
    and package versions, same identity.  `packages` are (name, version) of all
    that is in it.
    """

    archive: Path
    identity: str
    packages: tuple[tuple[str, str], ...]


def provide(
    recipe: Recipe, cache_dir: Path, progress: Progress, mirror: Mirror | None = None
) -> Userland:
    """The userland of a recipe, kept in Granule's cache folder.

    Packages come from the machine's own mirror unless told.  It needs the
    network the first time only and stays the same from then on: newer packages
    come in when the folder "userland" is removed from the cache.  Processes
    that ask at the same time build it once; an interrupted build leaves nothing
    that is trusted.  Raises UsageError for an unknown package and MachineError
    for everything that fails.
    """
    folder = cache_dir.absolute() / "userland"
    if found := _recorded(recipe, folder):
        return found
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock"):
        if found := _recorded(recipe, folder):
            return found
        root = apt_root(cache_dir, recipe.release, recipe.architecture, mirror)
        return _make(recipe, root, folder, progress)


def _make(recipe: Recipe, root: AptRoot, folder: Path, progress: Progress) -> Userland:
    try:
        userland = _plan_and_build(recipe, root, folder, progress)
    except StaleListsError:
        root.update(progress)
        userland = _plan_and_build(recipe, root, folder, progress)
    _record(recipe, userland, folder)
    return userland


def _plan_and_build(recipe: Recipe, root: AptRoot, folder: Path, progress: Progress) -> Userland:
    packages = root.plan(recipe.packages, progress)
    userland = _named(packages, _digest(recipe, packages), folder)
    if not _is_built(userland):
        _build(recipe, root.download_all(packages, progress), userland, progress)
    return userland


def _is_built(userland: Userland) -> bool:
    return userland.archive.exists()


def _named(packages: Sequence[Package], identity: str, folder: Path) -> Userland:
    versions = tuple(sorted((package.name, package.version) for package in packages))
    return Userland(folder / f"{identity[:32]}.cpio", identity, versions)


def _digest(recipe: Recipe, packages: Sequence[Package]) -> str:
    """Names a recipe and the package versions it is made of."""
    content = {
        "format": _FORMAT,
        "recipe": asdict(recipe),
        "packages": sorted(str(package) for package in packages),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _recorded(recipe: Recipe, folder: Path) -> Userland | None:
    """The userland a recipe once became here, found without asking apt."""
    record = _record_path(recipe, folder)
    if not record.exists():
        return None
    identity, *lines = record.read_text().splitlines()
    userland = _named([Package(*line.split("=", 1)) for line in lines], identity, folder)
    return userland if _is_built(userland) else None


def _record(recipe: Recipe, userland: Userland, folder: Path) -> None:
    lines = [userland.identity, *(f"{name}={version}" for name, version in userland.packages)]
    unfinished = folder / "build-record"
    unfinished.write_text("".join(f"{line}\n" for line in lines))
    unfinished.replace(_record_path(recipe, folder))


def _record_path(recipe: Recipe, folder: Path) -> Path:
    return folder / f"{_digest(recipe, ())[:32]}.packages"


def _build(recipe: Recipe, debs: Sequence[Path], userland: Userland, progress: Progress) -> None:
    folder = userland.archive.parent
    _remove_abandoned(folder)
    try:
        with tempfile.TemporaryDirectory(prefix="build-", dir=folder) as scratch:
            tree = Path(scratch) / "tree"
            with progress.step("unpack the userland") as step:
                make_tree(recipe, debs, tree, step)
            with progress.step("make the userland archive"):
                _publish(_make_archive(tree, Path(scratch)), userland.archive)
    except OSError as error:
        raise MachineError(f"Cannot build the userland: {error.strerror}.") from error


def _make_archive(tree: Path, scratch: Path) -> Path:
    path = scratch / "archive"
    with path.open("wb") as file:
        cpio.write(file, cpio.tree(tree, "userland"))
    return path


def _remove_abandoned(folder: Path) -> None:
    """Scratch folders of builds that were killed; the lock says none is alive."""
    for path in folder.glob("build-*/"):
        shutil.rmtree(path, ignore_errors=True)


def _publish(unfinished: Path, name: Path) -> None:
    """Give a file its name once its bytes are safely on disk."""
    with unfinished.open("rb") as file:
        os.fsync(file.fileno())
    unfinished.replace(name)
