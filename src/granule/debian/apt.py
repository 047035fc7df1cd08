# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs apt programs against a private configuration and explains their failures."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from granule.errors import DownloadError, GranuleError, MachineError, UsageError

# Read with -c, after the system's configuration: the machine's proxy settings
# stay, its hooks (which expect root and the system's directories) go. Compressed
# lists are copied here; others apt may leave where they are, for a mirror on a disk.
_CONFIGURATION = """\
#clear APT::Architectures;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::NeverAutoRemove;
#clear DPkg::Pre-Install-Pkgs;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::GzipIndexes "true";
Acquire::Retries "3";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
Dir::State "{directory}/state";
Dir::State::status "{directory}/status";
Dir::Cache "{directory}/cache";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
Dir::Etc::sourcelist "{directory}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
"""

_NO_NETWORK = re.compile(
    r"(Temporary failure resolving|Could not resolve|Could not connect|Cannot initiate the "
    r"connection|Network is unreachable|Connection (timed out|refused|failed)|"
    r"No route to host|Unable to connect)"
)
_DISK_FULL = re.compile(r"(No space left on device|don't have enough free space|Disk quota)")
_STALE = re.compile(r"(404 +Not Found|File not found|Hash Sum mismatch|File has unexpected size)")
_UNKNOWN = re.compile(
    r"(Unable to locate package|No packages found|has no installation candidate|"
    r"Can't select candidate version from package|Version '[^']*' for '[^']*' was not found)"
    r"[^\n]*"
)


class StaleListsError(DownloadError):
    """The mirror no longer has what the package lists name."""


@dataclass(frozen=True)
class Apt:
    """The apt programs bound to one private root in `directory`."""

    directory: Path

    def prepare(self, architecture: str, sources: str) -> None:
        """Write the configuration; repeatable, keeps downloaded lists."""
        for folder in ("state/lists/partial", "cache/archives/partial"):
            (self.directory / folder).mkdir(parents=True, exist_ok=True)
        text = _CONFIGURATION.format(architecture=architecture, directory=self.directory)
        _write_if_changed(self.directory / "status", "")
        _write_if_changed(self.directory / "sources.list", sources)
        _write_if_changed(self._configuration, text)

    @property
    def _configuration(self) -> Path:
        return self.directory / "apt.conf"

    def get(self, *arguments: str, cwd: Path | None = None) -> str:
        """Standard output of `apt-get ARGUMENTS`."""
        return self._run(["apt-get", "-c", str(self._configuration), *arguments], cwd)

    def cache(self, *arguments: str) -> str:
        """Standard output of `apt-cache ARGUMENTS`."""
        return self._run(["apt-cache", "-c", str(self._configuration), *arguments], None)

    def download(self, names: Sequence[str], into: Path, percent: Callable[[float], None]) -> None:
        """Download packages NAME=VERSION into a folder; `percent` hears 0 to 100."""
        reading, writing = os.pipe()
        command = ["apt-get", "-c", str(self._configuration), "-qq"]
        command += ["-o", f"APT::Status-Fd={writing}", "download", *names]
        with (into / "apt.log").open("w+") as log, os.fdopen(reading) as status:
            process = subprocess.Popen(
                command, cwd=into, env=_environment(), pass_fds=(writing,), stdout=log, stderr=log
            )
            os.close(writing)
            for line in status:
                _report_percent(line, percent)
            code = process.wait()
            log.seek(0)
            if code:
                raise explain(log.read())

    def _run(self, command: Sequence[str], cwd: Path | None) -> str:
        done = subprocess.run(
            command, cwd=cwd, env=_environment(), capture_output=True, text=True, check=False
        )
        # apt-get update succeeds when it could fetch nothing: it then warns.
        if done.returncode or "Failed to fetch" in done.stderr:
            raise explain(done.stderr or done.stdout)
        return done.stdout


def _write_if_changed(path: Path, text: str) -> None:
    """Keep the time of an unchanged file: apt trusts its own cache by it."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def _environment() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}


def _report_percent(line: str, percent: Callable[[float], None]) -> None:
    """Read one line of apt's status protocol, "dlstatus:ITEM:PERCENT:TEXT"."""
    kind, _, rest = line.partition(":")
    if kind == "dlstatus":
        percent(float(rest.split(":")[1]))


def explain(output: str) -> GranuleError:
    """The error to raise for what a failing apt program printed."""
    if _DISK_FULL.search(output):
        return MachineError(
            "The disk with Granule's cache is full: free some space, or point "
            "GRANULE_CACHE at another disk."
        )
    unknown = _UNKNOWN.search(output)
    if unknown:
        return UsageError(f"Debian has no such package: {unknown.group(0)}.")
    if _NO_NETWORK.search(output):
        return DownloadError(
            "The Debian mirror cannot be reached: check the network and apt's proxy "
            "settings, then run the command again."
        )
    if _STALE.search(output):
        return StaleListsError(
            "The Debian mirror no longer has a package that Granule's package lists name: "
            "remove the folder 'debian' from Granule's cache and run the command again.",
            details=output,
        )
    return DownloadError(f"apt failed: {_last_complaint(output)}", details=output)


def _last_complaint(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("E:")]
    return (errors or lines or ["it printed nothing"])[0]
