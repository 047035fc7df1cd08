# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a patch does not apply, in words: feature, patch, kernel file and hunk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from granule.errors import FormatError
from granule.features import git
from granule.features.model import Feature

_REJECTED_FILE = re.compile(r"^Applying patch (?P<path>.+) with \d+ rejects?\.\.\.$", re.MULTILINE)
_REJECTED_HUNK = re.compile(r"^Rejected hunk #(?P<number>\d+)\.$", re.MULTILINE)
_HUNK_LINE = re.compile(r"^@@ -(?P<line>\d+)", re.MULTILINE)
_COMPLAINT = re.compile(r"^error: (?P<path>\S+): (?P<reason>.+)$", re.MULTILINE)
_ERROR = re.compile(r"^(?:error|fatal): (?P<reason>.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """A patch that does not apply: `where` is the place in it, `hunks` what was refused."""

    feature: Feature
    patch: str
    where: str
    hunks: str = ""

    def error(self, base: str) -> FormatError:
        """The patch does not fit the source it is for."""
        return FormatError(
            f"Patch {self.patch} of feature '{self.feature.label}' does not apply to {base}: "
            f"{self.where}.",
            details=self.hunks,
        )

    def collision(self, other: Feature) -> FormatError:
        """The patch fits its source, but not behind another feature."""
        return FormatError(
            f"Features '{other.name}' and '{self.feature.name}' conflict: patch {self.patch} of "
            f"'{self.feature.label}' does not apply behind '{other.label}': {self.where}. "
            "Leave one out, or write 'after' in the one that builds on the other.",
            details=self.hunks,
        )


def diagnose(tree: Path, feature: Feature, mail: Path, complaint: bytes) -> Fault:
    """Finds what of a patch git refuses, in a clean tree; ``complaint`` is what am said."""
    done = git.run(tree, "apply", "--reject", "--verbose", "--", str(mail), check=False)
    said = done.stderr.decode(errors="replace")
    hunks = _rejected(tree, said)
    where = _where(said, hunks) or _last_error(complaint.decode(errors="replace"))
    git.run(tree, "reset", "--quiet", "--hard")
    git.run(tree, "clean", "-ffdxq")
    return Fault(feature, mail.name, where, hunks)


def _rejected(tree: Path, said: str) -> str:
    """The hunks that git left beside the files."""
    paths = (match["path"] for match in _REJECTED_FILE.finditer(said))
    left = (tree / f"{path}.rej" for path in paths)
    return "".join(path.read_text(errors="replace") for path in left if path.exists())


def _where(said: str, hunks: str) -> str:
    """The first place that git names: a hunk, else a file that is not as it should be."""
    file, hunk = _REJECTED_FILE.search(said), _REJECTED_HUNK.search(said)
    if file and hunk:
        line = _HUNK_LINE.search(hunks)
        at = f" at line {line['line']}" if line else ""
        return f"hunk {hunk['number']} of {file['path']}{at} finds other text there"
    if match := _COMPLAINT.search(said):
        return f"{match['path']}: {match['reason']}"
    return ""


def _last_error(said: str) -> str:
    reasons = [match["reason"] for match in _ERROR.finditer(said)]
    return reasons[-1].rstrip(".") if reasons else "git gives no reason"
