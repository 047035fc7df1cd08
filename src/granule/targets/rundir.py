# SPDX-License-Identifier: GPL-2.0-or-later
"""Directories of runs: one each, the oldest removed."""

import shutil
import tempfile
import time
from pathlib import Path

KEPT = 50
"""How many finished runs keep their logs."""


def new_run_directory(parent: Path, kept: int = KEPT) -> Path:
    """A new empty directory below ``parent``, named by the time (UTC)."""
    parent.mkdir(parents=True, exist_ok=True)
    _remove_oldest(parent, kept)
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    return Path(tempfile.mkdtemp(prefix=f"{stamp}-", dir=parent))


def _remove_oldest(parent: Path, kept: int) -> None:
    # A run under way still has its initramfs; however many there are, they stay.
    finished = [d for d in sorted(parent.iterdir()) if not (d / "initramfs.cpio").exists()]
    for directory in finished[: max(0, len(finished) - kept + 1)]:
        shutil.rmtree(directory, ignore_errors=True)
