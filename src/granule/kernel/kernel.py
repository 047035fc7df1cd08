# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel that can be booted, wherever it came from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from granule.kernel.source import SourceRecord
from granule.kernel.store import Entry


@dataclass(frozen=True)
class BuiltKernel:
    """An Image and what belongs to it; `modules` is a lib/modules/RELEASE folder.

    `identity` changes whenever the kernel may have changed.  `vmlinux` has the
    symbols; kernels that were not built here may lack it and the other files.
    """

    spec: str
    image: Path
    release: str
    modules: Path | None
    config: Path | None
    system_map: Path | None
    vmlinux: Path | None
    identity: str
    source: SourceRecord
    log: Path | None = None


def from_entry(entry: Entry, spec: str, source: SourceRecord) -> BuiltKernel:
    """The kernel in an entry of the store, as the answer to a request."""
    folder = entry.folder
    release = entry.manifest.release
    return BuiltKernel(
        spec=spec,
        image=folder / "Image",
        release=release,
        modules=existing(folder / "modules" / "lib" / "modules" / release),
        config=existing(folder / "config"),
        system_map=existing(folder / "System.map"),
        vmlinux=existing(folder / "vmlinux"),
        identity=entry.manifest.identity,
        source=source,
        log=existing(folder / "build.log"),
    )


def existing(path: Path) -> Path | None:
    """The path, if something is there."""
    return path if path.exists() else None
