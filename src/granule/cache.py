# SPDX-License-Identifier: GPL-2.0-or-later
"""Where Granule keeps what can be made again."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


def root(environment: Mapping[str, str] = os.environ) -> Path:
    """The cache: ``$GRANULE_CACHE``, else ``$XDG_CACHE_HOME/granule``, else ``~/.cache/granule``.

    The directory need not exist yet.
    """
    if chosen := environment.get("GRANULE_CACHE"):
        return Path(chosen).expanduser().absolute()
    if base := environment.get("XDG_CACHE_HOME"):
        return Path(base).absolute() / "granule"
    return Path.home() / ".cache" / "granule"


def section(name: str) -> Path:
    """The directory of one kind of cached things (``kernels``, ``userland``), made if need be."""
    path = root() / name
    path.mkdir(parents=True, exist_ok=True)
    return path


@dataclass(frozen=True, slots=True)
class SectionSize:
    """How much of the disk one section of the cache takes, in bytes."""

    name: str
    bytes: int


def sizes() -> list[SectionSize]:
    """The sections of the cache with their sizes on disk, the largest first."""
    if not root().is_dir():
        return []
    found = [SectionSize(entry.name, _disk_usage(entry)) for entry in root().iterdir()]
    return sorted(found, key=lambda size: (-size.bytes, size.name))


def clear(name: str | None = None) -> None:
    """Removes one section, or all of them. Removing what is not there is no error."""
    target = root() if name is None else root() / name
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)


def _disk_usage(path: Path) -> int:
    if path.is_symlink() or not path.is_dir():
        return _blocks(path)
    return sum(_blocks(file) for file in path.rglob("*"))


def _blocks(path: Path) -> int:
    return path.lstat().st_blocks * 512
