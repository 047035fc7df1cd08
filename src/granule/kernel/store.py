# SPDX-License-Identifier: GPL-2.0-or-later
"""The built kernels: each in a folder named by its identity.

A folder appears by one rename, after everything in it is on the disk, with a
manifest of its files.  So what is there is whole; what is damaged later shows by
the manifest, and is built again.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock
from pydantic import TypeAdapter, ValidationError

from granule.digest import file_sha256
from granule.kernel import disk
from granule.kernel.source import SourceRecord

_MANIFEST = "manifest.json"
_SCRATCH = ".new-"


@dataclass(frozen=True)
class FileRecord:
    """A file as it was published. `changed` is its ctime, which nobody can set."""

    path: str
    size: int
    changed: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What an entry is, and the files in it."""

    identity: str
    spec: str
    release: str
    source: SourceRecord
    fragments: tuple[str, ...]
    compiler: str
    objects: int
    files: tuple[FileRecord, ...] = ()


_MANIFEST_TYPE = TypeAdapter(Manifest)


@dataclass(frozen=True)
class Entry:
    """A published kernel."""

    folder: Path
    manifest: Manifest


@dataclass(frozen=True)
class Store:
    """A folder of entries."""

    folder: Path

    def find(self, identity: str) -> Entry | None:
        """The entry, if it is there and intact; None for a damaged one too."""
        folder = self._entry(identity)
        manifest = _read(folder / _MANIFEST)
        if not manifest or manifest.identity != identity or not _is_intact(folder, manifest):
            return None
        return Entry(folder, manifest)

    def is_damaged(self, identity: str) -> bool:
        """Whether there is something under that name which is not intact."""
        return self._entry(identity).exists() and self.find(identity) is None

    def objects(self, fragments: tuple[str, ...]) -> int | None:
        """How many things the last full build with these fragments made, if any."""
        paths = self.folder.glob(f"*/{_MANIFEST}")
        for path in sorted(paths, key=lambda p: -p.stat().st_mtime):
            manifest = _read(path)
            if manifest and manifest.fragments == fragments and manifest.objects:
                return manifest.objects
        return None

    @contextmanager
    def publishing(self) -> Iterator[Path]:
        """A scratch folder on the store's disk, gone afterwards unless published.

        One process at a time has one, so another that lies there was left by a
        process that died.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self.folder / ".publishing.lock"):
            for left in self.folder.glob(f"{_SCRATCH}*"):
                shutil.rmtree(left)
            scratch = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=self.folder))
            try:
                yield scratch
            finally:
                shutil.rmtree(scratch, ignore_errors=True)

    def publish(self, scratch: Path, manifest: Manifest) -> Entry:
        """Makes a scratch folder the entry of its identity.

        An intact one that another process published meanwhile stays: it may be in
        use.
        """
        if found := self.find(manifest.identity):
            return found
        complete = _with_files(manifest, scratch)
        disk.write_durably(scratch / _MANIFEST, _MANIFEST_TYPE.dump_json(complete, indent=1))
        folder = self._entry(manifest.identity)
        disk.remove(folder)
        scratch.chmod(0o755)
        scratch.rename(folder)
        disk.sync(self.folder)
        return Entry(folder, complete)

    def _entry(self, identity: str) -> Path:
        return self.folder / identity


def _read(path: Path) -> Manifest | None:
    try:
        return _MANIFEST_TYPE.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def _with_files(manifest: Manifest, folder: Path) -> Manifest:
    files = tuple(_recorded(path, folder) for path in _files(folder))
    return replace(manifest, files=files)


def _files(folder: Path) -> Iterator[Path]:
    yield from sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink())


def _recorded(path: Path, folder: Path) -> FileRecord:
    disk.sync(path)
    status = path.stat()
    name = str(path.relative_to(folder))
    return FileRecord(name, status.st_size, status.st_ctime_ns, file_sha256(path))


def _is_intact(folder: Path, manifest: Manifest) -> bool:
    return all(_is_unchanged(folder / record.path, record) for record in manifest.files)


def _is_unchanged(path: Path, record: FileRecord) -> bool:
    """A file whose ctime is as recorded was not touched; another is read whole."""
    try:
        status = path.stat()
    except OSError:
        return False
    if status.st_size != record.size:
        return False
    return status.st_ctime_ns == record.changed or file_sha256(path) == record.sha256
