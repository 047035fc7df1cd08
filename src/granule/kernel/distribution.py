# SPDX-License-Identifier: GPL-2.0-or-later
"""The distribution's own kernel: fetched as a package, nothing built."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock
from pydantic import TypeAdapter, ValidationError

from granule.debian import AptRoot, Package, unpack
from granule.digest import file_sha256
from granule.errors import MachineError
from granule.kernel import disk, image
from granule.kernel.catalog import PackagedKernel
from granule.kernel.kernel import BuiltKernel, from_entry
from granule.kernel.source import SourceRecord, first_release
from granule.kernel.store import Entry, Manifest, Store
from granule.progress import Progress

SPEC = "debian"
_UNPACKED_SIZE = 1 << 30


@dataclass(frozen=True)
class _Current:
    """The identity of the kernel that `debian` stands for."""

    identity: str


_CURRENT = TypeAdapter(_Current)


def provide(kernel: PackagedKernel, store: Store, cache: Path, progress: Progress) -> BuiltKernel:
    """Debian's kernel, fetched once and then only found."""
    store.folder.mkdir(parents=True, exist_ok=True)
    with FileLock(store.folder / "debian.lock"):
        entry = found(store) or _fetch(kernel, store, cache, progress)
    return from_entry(entry, SPEC, entry.manifest.source)


def found(store: Store) -> Entry | None:
    """Debian's kernel, if it was fetched before and nothing of it is damaged since."""
    try:
        current = _CURRENT.validate_json(pointer_file(store).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
    return store.find(current.identity)


def pointer_file(store: Store) -> Path:
    """The file that says which kernel `debian` is; without it the newest is fetched."""
    return store.folder / "debian.json"


def _fetch(kernel: PackagedKernel, store: Store, cache: Path, progress: Progress) -> Entry:
    disk.need(cache, _UNPACKED_SIZE, "unpack Debian's kernel")

    def get(root: AptRoot) -> tuple[Package, Path]:
        package = root.newest_matching(kernel.package)
        return package, root.download(package.name, package.version, progress)

    package, deb = first_release(kernel, cache, get)
    with progress.step(f"Unpacking {package.name}{_why_again(store)}"):
        entry = unpacked(package, deb, store)
    current = _CURRENT.dump_json(_Current(entry.manifest.identity))
    disk.write_durably(pointer_file(store), current)
    return entry


def _why_again(store: Store) -> str:
    """A pointer that leads to no whole kernel is what is left of a damaged one."""
    if not pointer_file(store).exists():
        return ""
    return " again, as the kernel in the cache is damaged"


def unpacked(package: Package, deb: Path, store: Store) -> Entry:
    """The kernel of a package file, published in the store."""
    digest = file_sha256(deb)
    with store.publishing() as scratch:
        release = _arrange(deb, scratch)
        source = SourceRecord(package.name, package.version, digest)
        manifest = Manifest(digest, SPEC, release, source, (), "Debian's", 0)
        return store.publish(scratch, manifest)


def _arrange(deb: Path, scratch: Path) -> str:
    """Puts the files of a package where a built kernel has them; returns its release."""
    unpack(deb, scratch / "package")
    package = scratch / "package"
    images = list(package.glob("boot/vmlinuz-*"))
    if len(images) != 1:
        raise MachineError(f"{deb.name} holds no kernel: remove it from the cache.")
    image.check(images[0])
    release = images[0].name.removeprefix("vmlinuz-")
    images[0].rename(scratch / "Image")
    (package / "boot" / f"config-{release}").rename(scratch / "config")
    _move_modules(package, scratch / "modules" / "lib" / "modules", release)
    disk.remove(package)
    return release


def _move_modules(package: Path, into: Path, release: str) -> None:
    into.mkdir(parents=True)
    for modules in (package / "lib", package / "usr" / "lib"):
        if (modules / "modules" / release).is_dir():
            (modules / "modules" / release).rename(into / release)
            return
