# SPDX-License-Identifier: GPL-2.0-or-later
"""Build directories: one for each tree and configuration, a few kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from granule.kernel import disk
from granule.progress import Progress

# Each takes about 0.3 GiB, and 1.7 more with a checkout of a user's tree; the copy of
# a packaged source is made of links.
_KEPT = 4


@dataclass(frozen=True)
class Work:
    """A build directory, held by this process until the context is left."""

    folder: Path

    @property
    def output(self) -> Path:
        """Where make writes."""
        return self.folder / "out"

    @property
    def log(self) -> Path:
        """What make said last."""
        return self.folder / "build.log"

    def has_objects(self) -> bool:
        """Whether a build was begun here before."""
        return (self.output / ".config").exists()

    def finish(self, *, keep: bool) -> None:
        """After a build that worked: drops what no later build starts from."""
        if keep:
            self.folder.touch()
        else:
            disk.remove(self.output)


@contextmanager
def open_work(cache: Path, key: str, progress: Progress) -> Iterator[Work]:
    """The build directory for a key; waits while another process uses it."""
    base = cache / "work"
    name = hashlib.sha256(key.encode()).hexdigest()[:16]
    base.mkdir(parents=True, exist_ok=True)
    lock = FileLock(base / f"{name}.lock")
    _acquire(lock, progress)
    try:
        folder = base / name
        folder.mkdir(exist_ok=True)
        folder.touch()
        _drop_oldest(base)
        yield Work(folder)
    finally:
        lock.release()


def _acquire(lock: FileLock, progress: Progress) -> None:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        with progress.step("Waiting for another process that builds this kernel"):
            lock.acquire()


def _drop_oldest(base: Path) -> None:
    """Removes the build directories used longest ago, but none in use."""
    built = (path for path in base.iterdir() if (path / "out").is_dir())
    for folder in sorted(built, key=lambda p: -p.stat().st_mtime)[_KEPT:]:
        lock = FileLock(base / f"{folder.name}.lock")
        try:
            with lock.acquire(timeout=0):
                disk.remove(folder)
        except Timeout:
            continue
