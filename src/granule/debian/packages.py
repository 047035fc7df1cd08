# SPDX-License-Identifier: GPL-2.0-or-later
"""Package files: their names, the cache they are kept in, and unpacking."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from granule.digest import file_sha256
from granule.errors import MachineError


@dataclass(frozen=True, order=True)
class Package:
    """One version of a binary package."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}={self.version}"


@dataclass(frozen=True)
class PackageCache:
    """Package files apt has verified, each with its checksum beside it.

    The checksum is written last, so a file without one is not trusted.
    """

    directory: Path
    architecture: str

    def find(self, package: Package) -> Path | None:
        """The intact file of `package`, or None; a damaged one is removed."""
        for architecture in (self.architecture, "all"):
            path = self.directory / file_name(package, architecture)
            if path.exists():
                if _is_intact(path):
                    return path
                path.unlink()
        return None

    def keep(self, downloaded: Path) -> Path:
        """Move a file apt has just verified into the cache."""
        self.directory.mkdir(parents=True, exist_ok=True)
        path = self.directory / downloaded.name
        checksum = file_sha256(downloaded)
        downloaded.replace(path)
        _checksum_path(path).write_text(checksum)
        return path


def file_name(package: Package, architecture: str) -> str:
    """The name apt gives a downloaded package, with the epoch's colon escaped."""
    return f"{package.name}_{package.version.replace(':', '%3a')}_{architecture}.deb"


def unpack(deb: Path, into: Path) -> None:
    """Unpack a package's files into a folder, following links to folders in it.

    The links matter on releases whose packages still ship /bin and /lib: they
    must land in /usr/bin and /usr/lib.  Raises MachineError when it fails.
    """
    into.mkdir(parents=True, exist_ok=True)
    extract = ["tar", "-x", "--keep-directory-symlink", "--no-same-owner", "-p", "-C", str(into)]
    with subprocess.Popen(
        ["dpkg-deb", "--fsys-tarfile", str(deb)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as source:
        done = subprocess.run(extract, stdin=source.stdout, capture_output=True, check=False)
        complaint = source.stderr.read() if source.stderr else b""
    if done.returncode or source.returncode:
        reason = (complaint or done.stderr).decode(errors="replace").strip()
        raise MachineError(f"Cannot unpack {deb.name}: {reason}")


def _is_intact(path: Path) -> bool:
    checksum = _checksum_path(path)
    return checksum.exists() and checksum.read_text() == file_sha256(path)


def _checksum_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")
