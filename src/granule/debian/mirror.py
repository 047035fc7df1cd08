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
_SUITE = re.compile(r"(?P<name>[a-z]+)(?P<pocket>-security|-updates|-backports)?")
_KNOWN = frozenset({"bookworm", "trixie", "forky", "duke", "sid"})

_RELEASE_URI = re.compile(r"'(?P<uri>[^']+)/dists/(?P<suite>[^/']+)/InRelease'")


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
    keyring = KEYRING if KEYRING.exists() else None
    targets = _ask_apt("indextargets", "--format", _FORMAT, "Created-By: Packages")
    if targets:
        return from_index_targets(targets, keyring)
    # Nobody has run "apt-get update" yet, as in a fresh container.
    return from_release_uris(_ask_apt("update", "--print-uris"), keyring)


def _ask_apt(*arguments: str) -> list[str]:
    command = ["apt-get", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise MissingToolError(
            "apt-get is missing: Granule fetches kernels and its userland with apt, "
            "so run it on Debian or in a Debian container."
        ) from None
    return done.stdout.splitlines()


def from_index_targets(lines: Iterable[str], keyring: Path | None) -> Mirror:
    """The mirror named by `apt-get indextargets`, one "URI CODENAME COMPONENT" a line."""
    words = (line.split() for line in lines)
    return _mirror([(w[0], w[1]) for w in words if len(w) == 3 and w[2] == "main"], keyring)


def from_release_uris(lines: Iterable[str], keyring: Path | None) -> Mirror:
    """The mirror named by `apt-get update --print-uris`: a quoted URI begins each line."""
    matches = (_RELEASE_URI.match(line) for line in lines)
    return _mirror([(m["uri"], m["suite"]) for m in matches if m], keyring)


def _mirror(repositories: Iterable[tuple[str, str]], keyring: Path | None) -> Mirror:
    """The mirror among (URI, suite) pairs: the first of each kind that is Debian's."""
    found: dict[str, str] = {}
    for uri, suite in repositories:
        match = _SUITE.fullmatch(suite)
        if match and match["name"] in _KNOWN:
            kind = "security" if match["pocket"] == "-security" else "archive"
            found.setdefault(kind, uri.rstrip("/"))
    if "archive" not in found:
        raise MachineError(
            "This machine's apt has no Debian sources: add Debian's archive to "
            "/etc/apt/sources.list.d and run 'apt-get update'."
        )
    return Mirror(found["archive"], found.get("security"), keyring)
