# SPDX-License-Identifier: GPL-2.0-or-later
"""Patches as ``git format-patch`` writes them, and the whole files that belong to them.

A new file is not kept as a diff: it lies in ``src/`` under its kernel path, and
the patch that adds it says so after its ``---`` line::

    ---
    Overlay: mm/foo/core.c
     mm/Makefile   |  1 +

*Splicing* puts the diff of such files back, which makes a patch git can apply.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from granule.errors import FormatError
from granule.features import git

_CUT = "---\n"
_DIFF = "diff --git "
_OVERLAY = re.compile(r"Overlay: (?P<path>\S+)\n")
_PATHS = re.compile(
    r"^(?:diff --git a/(?P<same>\S+) b/(?P=same)|(?:---|\+\+\+) [ab]/(?P<side>[^\t\n]+)"
    r"|(?:rename|copy) (?:from|to) (?P<moved>.+))\t?$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Mail:
    """The text of a patch: up to its ``---`` line, the overlays, the rest, the diffs."""

    message: str
    overlays: tuple[str, ...]
    statistics: str
    diffs: tuple[str, ...]

    def text(self) -> str:
        """The patch as one file."""
        lines = "".join(f"Overlay: {path}\n" for path in self.overlays)
        return self.message + lines + self.statistics + "".join(self.diffs)


def parse(text: str) -> Mail:
    """Takes a patch apart; ValueError says what is missing."""
    head, *diffs = _split_before(text, _DIFF)
    message, *rest = _split_after(head, _CUT)
    if not rest:
        raise ValueError("it has no '---' line after its message")
    after = "".join(rest)
    overlays: list[str] = []
    while match := _OVERLAY.match(after):
        overlays.append(match["path"])
        after = after[match.end() :]
    return Mail(message, tuple(overlays), after, tuple(diffs))


def _split_before(text: str, start: str) -> list[str]:
    return re.split(f"^(?={re.escape(start)})", text, flags=re.MULTILINE)


def _split_after(text: str, line: str) -> list[str]:
    return re.split(f"(?<=\n{re.escape(line)})", text, maxsplit=1)


@dataclass(frozen=True)
class Patch:
    """A patch of a feature; ``sources`` is the folder of the files it owns."""

    name: str
    mail: Mail
    sources: Path

    @property
    def digest(self) -> str:
        """The sha256 of what it does and says."""
        total = hashlib.sha256(encode(self.mail.text()))
        for path in self.mail.overlays:
            total.update(hashlib.sha256((self.sources / path).read_bytes()).digest())
            total.update(bytes([is_executable(self.sources / path)]))
        return total.hexdigest()

    def paths(self) -> frozenset[str]:
        """The kernel files it may touch."""
        found = (m["same"] or m["side"] or m["moved"] for m in _PATHS.finditer(self._diff_text()))
        return frozenset((*found, *self.mail.overlays))

    def spliced(self) -> str:
        """The patch as git applies it, with the diffs of the files it owns."""
        added = (_diff_of_new(self.sources, path) for path in self.mail.overlays)
        mail = self.mail
        return mail.message + mail.statistics + "".join((*added, *mail.diffs))

    def _diff_text(self) -> str:
        return "".join(self.mail.diffs)


def decode(content: bytes) -> str:
    """The text of a patch; what is not UTF-8 survives."""
    return content.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The bytes :func:`decode` read."""
    return text.encode("utf-8", "surrogateescape")


def is_executable(path: Path) -> bool:
    """Whether git would give it mode 100755."""
    return bool(path.stat().st_mode & 0o100)


def _diff_of_new(folder: Path, path: str) -> str:
    arguments = ("diff", "--no-index", "--binary", "--no-renames", "--", "/dev/null", path)
    done = git.run(folder, *arguments, check=False)
    if done.returncode != 1:
        raise FormatError(f"git cannot read {folder / path}: {decode(done.stderr).strip()}")
    return decode(done.stdout)


def read_series(folder: Path) -> tuple[Patch, ...]:
    """The patches of a feature in order; each file beside them must belong to one.

    A feature that has only begun has none. Raises FormatError.
    """
    names = series_names(folder)
    patches = tuple(_read_patch(folder, name) for name in names)
    if stray := sorted({path.name for path in (folder / "patches").glob("*.patch")} - {*names}):
        raise FormatError(
            f"{folder / 'series'} does not name patches/{stray[0]}: add or remove it."
        )
    _check_owners(folder, patches)
    return patches


def series_names(folder: Path) -> tuple[str, ...]:
    """The names in a ``series``."""
    try:
        lines = (folder / "series").read_text().splitlines()
    except FileNotFoundError:
        return ()
    names = tuple(line.strip() for line in lines if is_name(line))
    if twice := [name for name in names if names.count(name) > 1]:
        raise FormatError(f"{folder / 'series'} names {twice[0]} twice.")
    return names


def is_name(line: str) -> bool:
    """Whether a line of a ``series`` names a patch."""
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _read_patch(folder: Path, name: str) -> Patch:
    path = folder / "patches" / name
    if PurePosixPath(name).name != name or not path.is_file():
        raise FormatError(f"{folder / 'series'} names {name}, but there is no patches/{name}.")
    try:
        return Patch(name, parse(decode(path.read_bytes())), folder / "src")
    except ValueError as error:
        raise FormatError(f"{path} is no patch of git format-patch: {error}.") from None


def _check_owners(folder: Path, patches: Sequence[Patch]) -> None:
    """Each file in ``src/`` is owned by one patch, and each that a patch owns is there."""
    owners: dict[str, str] = {}
    for patch in patches:
        for path in patch.mail.overlays:
            where = f"{folder / 'patches' / patch.name}: 'Overlay: {path}'"
            if path not in (sources := set(_sources(folder / "src"))):
                raise FormatError(f"{where} names no file of src/ (it has {len(sources)}).")
            if path in owners:
                raise FormatError(f"{where} is owned by {owners[path]} already.")
            owners[path] = patch.name
    if stray := sorted(set(_sources(folder / "src")) - set(owners)):
        raise FormatError(
            f"No patch of {folder.name} owns {folder / 'src' / stray[0]}: write "
            f"'Overlay: {stray[0]}' after the '---' line of the one that adds it."
        )


def _sources(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix()
