# SPDX-License-Identifier: GPL-2.0-or-later
"""An apt of one's own for a Debian release and an architecture."""

from __future__ import annotations

import functools
import platform
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from granule.debian.apt import Apt, StaleListsError
from granule.debian.mirror import Mirror, discover
from granule.debian.packages import Package, PackageCache
from granule.errors import DownloadError, UsageError
from granule.progress import Progress, SilentProgress

# "Inst libc6 (2.36-9+deb12u10 Debian:12.11/stable [arm64])"
_PLANNED = re.compile(r"Inst (?P<name>\S+) \((?P<version>\S+) ")


@dataclass(frozen=True)
class AptRoot:
    """The packages of one release and architecture.

    Nothing is fetched twice: package lists are fetched once and then only by
    `update`, package files are kept.  Every method raises UsageError for a
    package that does not exist, DownloadError when the mirror cannot be reached
    (StaleListsError when it no longer has a version) and MachineError when the disk is full.
    """

    apt: Apt
    packages: PackageCache
    mirror: Mirror
    release: str

    def update(self, progress: Progress | None = None) -> None:
        """Fetch the package lists of the release again."""
        title = f"fetch package lists of Debian {self.release}"
        with (progress or SilentProgress()).step(title), self._locked():
            sources = self._prepare()
            self.apt.get("update")
            self._fetched.write_text(sources)

    def candidate(self, package: str) -> str:
        """The version apt would install."""
        return self._candidates([package])[package]

    def newest_matching(self, pattern: str) -> Package:
        """The newest package whose whole name matches a regular expression."""
        self._need_lists()
        names = [n for n in self.apt.cache("pkgnames").split() if re.fullmatch(pattern, n)]
        if not names:
            raise UsageError(
                f"Debian {self.release} has no package that matches '{pattern}'; "
                "fetch newer package lists, or ask for another version."
            )
        found = [Package(n, v) for n, v in self._candidates(names).items()]
        return max(found, key=functools.cmp_to_key(_older_first))

    def plan(
        self, packages: Sequence[str], progress: Progress | None = None
    ) -> tuple[Package, ...]:
        """`packages` and all they depend on, in the order apt would unpack them."""
        self._need_lists(progress)
        planned = self.apt.get("--simulate", "-qq", "install", *packages)
        found = _PLANNED.finditer(planned)
        return tuple(Package(m["name"].partition(":")[0], m["version"]) for m in found)

    def download(
        self, package: str, version: str | None = None, progress: Progress | None = None
    ) -> Path:
        """The file of a package, of its candidate version unless told.

        A candidate the mirror no longer has is looked for once more, in newer
        package lists.
        """
        if version is not None:
            return self.download_all([Package(package, version)], progress)[0]
        try:
            return self.download(package, self.candidate(package), progress)
        except StaleListsError:
            self.update(progress)
            return self.download(package, self.candidate(package), progress)

    def download_all(
        self, wanted: Sequence[Package], progress: Progress | None = None
    ) -> tuple[Path, ...]:
        """The files of packages, in their order; fetches those not yet there."""
        with self._locked():
            missing = [p for p in wanted if self.packages.find(p) is None]
            if missing:
                self._need_lists()
                self._fetch(missing, progress or SilentProgress())
        return tuple(self._downloaded(package) for package in wanted)

    def _fetch(self, missing: Sequence[Package], progress: Progress) -> None:
        title = _title(missing)
        with progress.step(title) as step, tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            folder = Path(scratch)
            self.apt.download(
                [str(p) for p in missing], folder, lambda percent: step.advance(int(percent), 100)
            )
            for deb in sorted(folder.glob("*.deb")):
                self.packages.keep(deb)

    def _downloaded(self, package: Package) -> Path:
        path = self.packages.find(package)
        if path is None:
            raise DownloadError(f"apt did not download {package}; run the command again.")
        return path

    def _candidates(self, names: Sequence[str]) -> dict[str, str]:
        self._need_lists()
        shown = self.apt.cache("policy", *names)
        versions = parse_policy(shown)
        unknown = [name for name in names if name not in versions]
        if unknown:
            raise UsageError(
                f"Debian {self.release} has no package '{unknown[0]}' for this architecture."
            )
        return versions

    def _need_lists(self, progress: Progress | None = None) -> None:
        """Lists of this very mirror: another one's would name other files."""
        if self._prepare() != (self._fetched.read_text() if self._fetched.exists() else ""):
            self.update(progress)

    def _prepare(self) -> str:
        sources = self.mirror.sources(self.release)
        self.apt.prepare(self.packages.architecture, sources)
        return sources

    @property
    def folder(self) -> Path:
        """Where lists and configuration are kept."""
        return self.apt.directory

    @property
    def _fetched(self) -> Path:
        return self.folder / "lists-fetched"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        # Reentrant through the singleton: download_all may have to update.
        with FileLock(self.folder / "lock", is_singleton=True):
            yield


def apt_root(
    cache: Path, release: str, architecture: str = "arm64", mirror: Mirror | None = None
) -> AptRoot:
    """The apt root for a release such as "bookworm", kept in Granule's cache folder.

    The mirror is the machine's own unless told.
    """
    base = cache.absolute() / "debian"
    return AptRoot(
        Apt(base / f"{release}-{architecture}"),
        PackageCache(base / "packages", architecture),
        mirror or discover(),
        release,
    )


def host_release() -> str:
    """The code name of the Debian release this machine runs, such as "bookworm"."""
    name = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    return name or "sid"


def parse_policy(text: str) -> dict[str, str]:
    """Package name to candidate version, from the output of `apt-cache policy`."""
    versions: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if line and not line[0].isspace():
            name = line.rstrip(":")
        elif line.strip().startswith("Candidate:"):
            version = line.split()[1]
            if version != "(none)":
                versions[name] = version
    return versions


def _older_first(one: Package, other: Package) -> int:
    if one.version == other.version:
        return (one.name > other.name) - (one.name < other.name)
    older = ["dpkg", "--compare-versions", one.version, "lt", other.version]
    return -1 if subprocess.run(older, check=False).returncode == 0 else 1


def _title(missing: Sequence[Package]) -> str:
    if len(missing) == 1:
        return f"download {missing[0].name} {missing[0].version}"
    return f"download {len(missing)} packages"
