# SPDX-License-Identifier: GPL-2.0-or-later
"""The tree of files an image is made from: unpacked packages and additions."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from granule.debian import unpack
from granule.errors import BuildError
from granule.progress import Step
from granule.userland.recipe import Recipe

# Debian's merged /usr: these are links, whatever a package ships.
_MERGED = ("bin", "sbin", "lib")

# The folders init mounts on or copies into.
_MOUNT_POINTS = ("dev", "proc", "sys", "run", "tmp", "root")


def make_tree(recipe: Recipe, debs: Sequence[Path], tree: Path, step: Step) -> None:
    """Fill the folder `tree`; raises MachineError when a package cannot be unpacked."""
    _merge_usr(tree)
    for done, deb in enumerate(debs):
        step.advance(done, len(debs))
        step.note(deb.name.partition("_")[0])
        unpack(deb, tree)
    _check_merged_usr(tree)
    _leave_out(tree, recipe.leave_out)
    _add_folders(tree, _MOUNT_POINTS)
    _add_links(tree, recipe.links)
    _add_files(tree, recipe.files)


def _merge_usr(tree: Path) -> None:
    for name in _MERGED:
        (tree / "usr" / name).mkdir(parents=True)
        (tree / name).symlink_to(f"usr/{name}")


def _check_merged_usr(tree: Path) -> None:
    """A package that replaced a link by a folder would hide half the programs."""
    for name in _MERGED:
        if not (tree / name).is_symlink():
            raise BuildError(f"A package replaced the link /{name} in the userland by a folder.")


def _leave_out(tree: Path, patterns: Iterable[str]) -> None:
    for pattern in patterns:
        for path in sorted(tree.glob(pattern.lstrip("/"))):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()


def _add_folders(tree: Path, names: Iterable[str]) -> None:
    for name in names:
        (tree / name).mkdir(exist_ok=True)


def _add_links(tree: Path, links: Iterable[tuple[str, str]]) -> None:
    for path, target in links:
        place = tree / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(target)


def _add_files(tree: Path, files: Iterable[tuple[str, str]]) -> None:
    for path, text in files:
        place = tree / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
