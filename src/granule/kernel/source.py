# SPDX-License-Identifier: GPL-2.0-or-later
"""Sources that come as Debian packages: found, unpacked once, recorded."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from filelock import FileLock
from pydantic import TypeAdapter

from granule.debian import AptRoot, apt_root, host_release, unpack
from granule.digest import file_sha256
from granule.errors import MachineError, MissingToolError, UsageError
from granule.kernel import disk
from granule.kernel.catalog import PackagedKernel
from granule.progress import Progress

_Found = TypeVar("_Found")

_UNPACKED_SIZE = 2 << 30


@dataclass(frozen=True)
class FeatureRecord:
    """A feature that was applied; `digest` is the sha256 of its patches and new files."""

    name: str
    digest: str


@dataclass(frozen=True)
class SourceRecord:
    """Where a kernel's source is from; `digest` is a sha256 or a git commit."""

    name: str
    version: str
    digest: str
    features: tuple[FeatureRecord, ...] = ()


_RECORD = TypeAdapter(SourceRecord)
_RECORD_NAME = "source.json"


@dataclass(frozen=True)
class SourceTree:
    """A kernel tree on the disk, and where it is from."""

    directory: Path
    record: SourceRecord


def packaged(kernel: PackagedKernel, cache: Path, progress: Progress) -> SourceTree:
    """The source of a packaged kernel, unpacked once and then only found.

    A newer version is fetched only after `forget`, so a request does not change
    under the user.
    """
    folder = cache / "sources" / kernel.package
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock"):
        return recorded(folder) or _fetch(kernel, folder, cache, progress)


def forget(kernel: PackagedKernel, cache: Path, progress: Progress) -> None:
    """Makes the next request fetch the newest version that Debian has by now."""
    folder = cache / "sources" / kernel.package
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock"):
        (folder / _RECORD_NAME).unlink(missing_ok=True)
    for release in dict.fromkeys(_named(kernel.releases)):
        apt_root(cache, release).update(progress)


def recorded(folder: Path) -> SourceTree | None:
    """The source that was unpacked here; the record is written last."""
    record = folder / _RECORD_NAME
    tree = folder / "tree"
    if not record.exists() or not (tree / "Makefile").exists():
        return None
    return SourceTree(tree, _RECORD.validate_json(record.read_bytes()))


def _fetch(kernel: PackagedKernel, folder: Path, cache: Path, progress: Progress) -> SourceTree:
    disk.need(cache, _UNPACKED_SIZE, f"unpack {kernel.package}")
    version, deb = _download(kernel, cache, progress)
    with progress.step(f"Unpacking {kernel.package} {version}"):
        return unpacked(kernel.package, version, deb, folder)


def unpacked(package: str, version: str, deb: Path, folder: Path) -> SourceTree:
    """The source in a package file, unpacked into `folder` and recorded there."""
    (folder / _RECORD_NAME).unlink(missing_ok=True)
    _unpack_tree(deb, folder)
    record = SourceRecord(package, version, file_sha256(deb))
    disk.write_durably(folder / _RECORD_NAME, _RECORD.dump_json(record))
    return SourceTree(folder / "tree", record)


def _download(kernel: PackagedKernel, cache: Path, progress: Progress) -> tuple[str, Path]:
    def get(root: AptRoot) -> tuple[str, Path]:
        version = root.candidate(kernel.package)
        return version, root.download(kernel.package, version, progress)

    return first_release(kernel, cache, get)


def first_release(kernel: PackagedKernel, cache: Path, ask: Callable[[AptRoot], _Found]) -> _Found:
    """What the first of the kernel's releases answers that has the package."""
    releases = tuple(dict.fromkeys(_named(kernel.releases)))
    for release in releases:
        try:
            return ask(apt_root(cache, release))
        except UsageError:
            continue  # this release does not have it
    raise MachineError(
        f"No package {kernel.package} in Debian {', '.join(releases)}: its mirror may be "
        "out of date; name another kernel, or the path of an Image."
    )


def _named(releases: Sequence[str]) -> list[str]:
    return [host_release() if release == "host" else release for release in releases]


def _unpack_tree(deb: Path, folder: Path) -> None:
    """The tarball in the package, as `tree`; other files are not kept."""
    if not shutil.which("xz"):
        raise MissingToolError("Unpacking a kernel needs xz: run 'apt-get install xz-utils'.")
    scratch = folder / "unpacking"
    disk.remove(scratch)
    unpack(deb, scratch)
    tarballs = list(scratch.glob("usr/src/linux-source-*.tar.*"))
    if len(tarballs) != 1:
        raise MachineError(f"{deb.name} holds no kernel source; remove it from the cache.")
    tree = scratch / "tree"
    tree.mkdir()
    command = ["tar", "-x", "--no-same-owner", "--strip-components=1", "-C", str(tree)]
    done = subprocess.run([*command, "-f", str(tarballs[0])], capture_output=True, check=False)
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip()
        raise MachineError(f"Cannot unpack {tarballs[0].name}: {reason}")
    disk.remove(folder / "tree")
    tree.rename(folder / "tree")
    disk.remove(scratch)
