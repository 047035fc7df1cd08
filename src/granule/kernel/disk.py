# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that are there wholly or not at all, and space for them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from granule.errors import MachineError

_GIB = 1 << 30


def need(folder: Path, size: int, purpose: str) -> None:
    """Raises MachineError unless the disk of `folder` has `size` bytes free."""
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < size:
        raise MachineError(
            f"To {purpose} takes {size / _GIB:.1f} GiB and the disk of {folder} has "
            f"{free / _GIB:.1f} free: free some, or point GRANULE_CACHE at another disk."
        )


def write_durably(path: Path, data: bytes) -> None:
    """Replaces a file; a crash leaves the old one or the new one."""
    scratch = path.with_name(f"{path.name}.new")
    scratch.write_bytes(data)
    sync(scratch)
    scratch.replace(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Waits until a file, or the list of a folder, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(path: Path) -> None:
    """Removes a folder with all in it; one that is not there is no error."""
    if path.exists():
        shutil.rmtree(path)
