# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads what a dying kernel says on its console."""

import re
from pathlib import Path

LAST_LINES = 30

_DEATH = re.compile(
    rb"Kernel panic - not syncing[^\r\n]*"
    rb"|Internal error: [^\r\n]*"
    rb"|Unable to handle kernel [^\r\n]*"
    rb"|kernel BUG at [^\r\n]*"
)
_COMPLAINT = re.compile(rb"granule-init: ([^\r\n]*)")
_REPORT = re.compile(rb"\bBUG: [^\r\n]*")


class ConsoleScanner:
    """Follows a console log as it grows and reports the first sign of trouble.

    With ``tolerate_reports`` only what kills the kernel counts as trouble.
    """

    def __init__(self, path: Path, *, tolerate_reports: bool = False) -> None:
        self._path = path
        self._patterns = (_DEATH,) if tolerate_reports else (_DEATH, _REPORT)
        self._offset = 0
        self._partial = b""

    def scan(self) -> str | None:
        """The first alarming line among those completed since the last scan, or None."""
        lines, separator, self._partial = (self._partial + self._new()).rpartition(b"\n")
        return self._find(lines + separator)

    def finish(self) -> str | None:
        """The same for all that is left, once nobody writes any more."""
        return self.scan() or self._find(self._partial)

    def _new(self) -> bytes:
        try:
            with self._path.open("rb") as log:
                log.seek(self._offset)
                text = log.read()
        except FileNotFoundError:
            return b""
        self._offset += len(text)
        return text

    def _find(self, text: bytes) -> str | None:
        matches = [match for pattern in self._patterns if (match := pattern.search(text))]
        first = min(matches, key=lambda match: match.start(), default=None)
        return first[0].decode(errors="replace").strip() if first else None


def complaint_of_init(path: Path) -> str | None:
    """Why init gave up before it could send any results, in its own words."""
    match = _COMPLAINT.search(path.read_bytes()) if path.exists() else None
    return match[1].decode(errors="replace").strip() if match else None


def last_lines(path: Path, count: int = LAST_LINES) -> str:
    """The end of a log, without control characters; empty if there is no log."""
    try:
        text = path.read_bytes()[-count * 400 :].decode(errors="replace")
    except FileNotFoundError:
        return ""
    clean = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[^\n\t -~\u00a0-\uffff]", "", text)
    return "\n".join(clean.splitlines()[-count:])
