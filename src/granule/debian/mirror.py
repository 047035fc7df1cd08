# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the Debian archive is: asked of the machine's own apt, never assumed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from granule.errors import MachineError, MissingToolError

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")

_FORMAT = "$(REPO_URI) $(CODENAME) $(COMPONENT)"

# Release names Debian itself has given; anything else (a vendor's own
# repository, another distribution) is no Debian archive.
_RELEASE = re.compile(r"(?P<name>[a-z]+)(?P<pocket>-security|-updates|-backports)?")
_KNOWN = frozenset({"bookworm", "trixie", "forky", "duke", "sid"})


@dataclass(frozen=True)
class Mirror:
    """The two repositories of the Debian archive.

    `archive` serves releases, their updates and backports; `security` serves
    security updates and may be missing.  `keyring` holds the keys that may
    sign them, or None to let apt use the machine's trusted keys.
    """

    archive: str
    security: str | None
    keyring: Path | None

    def sources(self, release: str) -> str:
        """The sources.list text for `release`, such as "bookworm"."""
        return "".join(f"{line}\n" for line in self._lines(release))

    def _lines(self, release: str) -> Iterator[str]:
        signed = f"[signed-by={self.keyring}] " if self.keyring else ""
        for suite in _archive_suites(release):
            yield f"deb {signed}{self.archive} {suite} main"
        if self.security and release != "sid":
            yield f"deb {signed}{self.security} {release}-security main"


def _archive_suites(release: str) -> tuple[str, ...]:
    if release == "sid":
        return (release,)
    return (release, f"{release}-updates", f"{release}-backports")


def discover() -> Mirror:
    """The mirror this machine's apt uses.

    Raises MachineError when the machine has no apt or no Debian sources.
    """
    command = ["apt-get", "indextargets", "--format", _FORMAT, "Created-By: Packages"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise MissingToolError(
            "apt-get is missing: Granule fetches kernels and its userland with apt, "
            "so run it on Debian or in a Debian container."
        ) from None
    keyring = KEYRING if KEYRING.exists() else None
    return from_index_targets(done.stdout.splitlines(), keyring)


def from_index_targets(lines: Iterable[str], keyring: Path | None) -> Mirror:
    """The mirror named by `apt-get indextargets`, one "URI CODENAME COMPONENT" a line."""
    archive: str | None = None
    security: str | None = None
    for uri, pocket in _debian_targets(lines):
        if pocket == "-security":
            security = security or uri
        else:
            archive = archive or uri
    if archive is None:
        raise MachineError(
            "This machine's apt has no Debian sources: add Debian's archive to "
            "/etc/apt/sources.list.d and run 'apt-get update'."
        )
    return Mirror(archive, security, keyring)


def _debian_targets(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(URI, pocket) of the lines that are Debian's; the pocket is "" for a release."""
    for line in lines:
        words = line.split()
        match = _RELEASE.fullmatch(words[1]) if len(words) == 3 else None
        if match and match["name"] in _KNOWN and words[2] == "main":
            yield words[0].rstrip("/"), match["pocket"] or ""
