# SPDX-License-Identifier: GPL-2.0-or-later
"""What this machine has and lacks, with the command that installs it."""

import platform
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.console import RenderableType
from rich.table import Table

from granule import cache, shipped
from granule.errors import MissingToolError
from granule.report.model import Model
from granule.targets.version import find_emulator

_GIB = 1 << 30
_ROOM = 5 * _GIB
"""Free disk a first kernel build and userland want, in bytes."""


class Finding(Model):
    """One thing looked for. ``remedy`` is a command, or empty if all is well."""

    name: str
    purpose: str
    needed: bool
    found: str | None
    remedy: str = ""


class DoctorReport(Model):
    """All of ``granule doctor``."""

    format: Literal["granule-doctor"] = "granule-doctor"
    version: Literal[1] = 1
    findings: tuple[Finding, ...]

    @property
    def lacking(self) -> tuple[Finding, ...]:
        """What is needed and not there."""
        return tuple(f for f in self.findings if f.needed and f.found is None)


@dataclass(frozen=True, slots=True)
class _Tool:
    """A program looked for on PATH, or a header looked for among the system's."""

    name: str
    purpose: str
    package: str
    needed: bool = True

    def examine(self) -> Finding:
        found = self._header() if self.name.endswith(".h") else shutil.which(self.name)
        remedy = "" if found else f"apt install {self.package}"
        return Finding(
            name=self.name, purpose=self.purpose, needed=self.needed, found=found, remedy=remedy
        )

    def _header(self) -> str | None:
        folders = (Path("/usr/include"), *Path("/usr/include").glob("*-linux-gnu"))
        return next((str(f / self.name) for f in folders if (f / self.name).exists()), None)


_BUILD = "build kernels"
_TOOLS = (
    _Tool("make", "build guest programs and kernels", "make"),
    _Tool("apt-get", "fetch Debian packages", "apt"),
    _Tool("dpkg-deb", "unpack Debian packages", "dpkg"),
    _Tool("zstd", "unpack kernel modules", "zstd"),
    _Tool("git", "read revisions of kernel trees", "git"),
    _Tool("flex", _BUILD, "flex"),
    _Tool("bison", _BUILD, "bison"),
    _Tool("bc", _BUILD, "bc"),
    _Tool("gcc", _BUILD, "gcc"),
    _Tool("openssl/opensslv.h", _BUILD, "libssl-dev"),
    _Tool("gelf.h", _BUILD, "libelf-dev"),
    _Tool("cargo", "build the counting plugin", "cargo"),
    _Tool("ccache", "build kernels again sooner", "ccache", needed=False),
    _Tool("shellcheck", "work on Granule itself", "shellcheck", needed=False),
)


def examine() -> DoctorReport:
    """Looks for everything; installs and changes nothing."""
    tools = [tool.examine() for tool in (*_compiler(), *_TOOLS)]
    return DoctorReport(findings=(_emulator(), _plugin(), *tools, _disk()))


def require(report: DoctorReport) -> None:
    """Raises MissingToolError if something needed lacks, naming it all."""
    if report.lacking:
        names = ", ".join(finding.name for finding in report.lacking)
        raise MissingToolError(f"This machine lacks {names}: 'make setup' installs everything.")


def render(report: DoctorReport) -> Iterator[RenderableType]:
    """One line per thing."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2))
    for finding in report.findings:
        table.add_row(
            _mark(finding), finding.name, finding.found or finding.remedy, finding.purpose
        )
    yield table


def _mark(finding: Finding) -> str:
    if finding.found is not None:
        return "ok"
    return "MISSING" if finding.needed else "optional"


def _compiler() -> tuple[_Tool, ...]:
    purpose = "build kernels and guest programs for arm64"
    if platform.machine() == "aarch64":
        return ()
    return (_Tool("aarch64-linux-gnu-gcc", purpose, "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"),)


def _emulator() -> Finding:
    return _tried("QEMU", "the emulated machine", lambda: find_emulator().text)


def _plugin() -> Finding:
    path = shipped.plugin()
    return Finding(
        name="counting plugin",
        purpose="count events",
        needed=True,
        found=str(path) if path.exists() else None,
        remedy="" if path.exists() else "make setup",
    )


def _disk() -> Finding:
    free = shutil.disk_usage(_existing(cache.root())).free
    enough = free >= _ROOM
    return Finding(
        name="disk",
        purpose=f"{_ROOM // _GIB} GiB for kernels and userlands",
        needed=True,
        found=f"{free / _GIB:.1f} GiB free at {cache.root()}" if enough else None,
        remedy="" if enough else "free some, or set GRANULE_CACHE to another disk",
    )


def _existing(path: Path) -> Path:
    return path if path.exists() else _existing(path.parent)


def _tried(name: str, purpose: str, find: Callable[[], str]) -> Finding:
    try:
        return Finding(name=name, purpose=purpose, needed=True, found=find())
    except MissingToolError as error:
        return Finding(name=name, purpose=purpose, needed=True, found=None, remedy=error.message)
