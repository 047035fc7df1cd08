# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels somebody else built: an Image, or the tree it was built in."""

from __future__ import annotations

from pathlib import Path

from granule.digest import file_sha256
from granule.errors import UsageError
from granule.kernel import image
from granule.kernel.kernel import BuiltKernel, existing
from granule.kernel.source import SourceRecord
from granule.kernel.spec import Built

_IN_TREE = Path("arch/arm64/boot/Image")


def provide(spec: Built) -> BuiltKernel:
    """The kernel at a path, used where it is; UsageError if QEMU cannot boot it."""
    path = _image(spec.path.expanduser().absolute())
    release = image.check(path)
    tree = _tree_of(path)
    digest = file_sha256(path)
    return BuiltKernel(
        spec=str(spec),
        image=path,
        release=release,
        modules=None,
        config=_beside(tree, ".config"),
        system_map=_beside(tree, "System.map"),
        vmlinux=_beside(tree, "vmlinux"),
        identity=digest,
        source=SourceRecord(str(spec), release, digest),
    )


def _image(path: Path) -> Path:
    if path.is_file():
        return path
    if (path / _IN_TREE).is_file():
        return path / _IN_TREE
    if (path / "arch" / "arm64").is_dir():
        raise UsageError(
            f"The kernel tree {path} has no {_IN_TREE}: build it there, or write "
            f"'{path}@HEAD' to have it built."
        )
    raise UsageError(f"{path} is no kernel tree and no Image: give the path of an arm64 Image.")


def _tree_of(path: Path) -> Path | None:
    """The tree an Image lies in, as the kernel's own build leaves it."""
    folder = path.parent
    if folder.parts[-3:] == _IN_TREE.parts[:-1]:
        return folder.parents[2]
    return None


def _beside(tree: Path | None, name: str) -> Path | None:
    return existing(tree / name) if tree else None
