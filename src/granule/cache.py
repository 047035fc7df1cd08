# SPDX-License-Identifier: GPL-2.0-or-later
"""Where Granule keeps what can be made again."""

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from granule.errors import MachineError, UsageError
from granule.progress import Progress, Step

_Inode = tuple[int, int]
"""A file, whatever its names: its device and its number there."""


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


def sizes(progress: Progress) -> list[SectionSize]:
    """The sections of the cache with their sizes on disk, the largest first.

    A file with several names, as the build directories have of the sources, counts once.
    """
    entries = sections()
    seen: set[_Inode] = set()
    found = []
    with progress.step("measure the cache") as step:
        for done, entry in enumerate(entries):
            step.advance(done, len(entries))
            found.append(SectionSize(entry.name, _disk_usage(entry, seen, step)))
    return sorted(found, key=lambda size: (-size.bytes, size.name))


def sections(name: str | None = None) -> list[Path]:
    """Where the one section of that name is, or where all are.

    Raises UsageError for any other name: a path would lead out of the cache.
    """
    found = sorted(root().iterdir()) if root().is_dir() else []
    if name is None:
        return found
    chosen = [section for section in found if section.name == name]
    if not chosen:
        names = ", ".join(section.name for section in found) or "none"
        raise UsageError(f"The cache has no section '{name}'; it has {names}.")
    return chosen


def clear(name: str | None = None) -> None:
    """Removes one section, or all of them; a link goes, and what it leads to stays.

    Raises UsageError if there is no section of that name, MachineError if it cannot go.
    """
    for section in sections(name):
        try:
            _remove(section)
        except OSError as error:
            raise MachineError(f"Cannot remove {error.filename}: {error.strerror}.") from error


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _disk_usage(path: Path, seen: set[_Inode], step: Step) -> int:
    """What a file takes, or a folder with all in it, without what was ``seen`` before.

    A build that goes on meanwhile may take files away.
    """
    total = _blocks(path.lstat(), seen)
    folders = [] if path.is_symlink() or not path.is_dir() else [str(path)]
    files = 0
    while folders:
        step.note(f"{path.name}: {files:,} files")
        with suppress(FileNotFoundError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                files += 1
                with suppress(FileNotFoundError):
                    total += _blocks(entry.stat(follow_symlinks=False), seen)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return total


def _blocks(status: os.stat_result, seen: set[_Inode]) -> int:
    if status.st_nlink > 1:
        inode = status.st_dev, status.st_ino
        if inode in seen:
            return 0
        seen.add(inode)
    return status.st_blocks * 512
