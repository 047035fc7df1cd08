# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds a command's program among the guest's files before anything boots.

Only what is certain is said: a name that leads to where files come and go while the
guest runs (`/proc`, `/tmp`, …) may be there.
"""

import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from granule.command import Command, missing_program
from granule.errors import FormatError
from granule.userland.initramfs import ENVIRONMENT

_HOME = PurePosixPath("/root")
_MOUNTED = frozenset({"/dev", "/proc", "/run", "/sys", "/tmp"})  # noqa: S108 of the guest
_LINKS = 40
"""How many links the kernel follows before it gives up."""

_MAGIC = b"070701"
_HEADER_SIZE = 110
_PREFIX = "userland"


@dataclass(frozen=True, slots=True)
class File:
    """A file of the guest: its mode with the type's bits, and what it links to if a link."""

    mode: int
    target: str = ""


Files = Mapping[str, File]
"""The files of a userland by absolute path."""


def check_program(command: Command, environment: Sequence[tuple[str, str]], archive: Path) -> None:
    """Raises UsageError if the guest whose userland is in ``archive`` has no such program."""
    name = command.argv[0]
    path = dict(environment).get("PATH", ENVIRONMENT["PATH"])
    copies = frozenset(copy.name or copy.resolve().name for copy in command.copies)
    if not _may_have(name, path, read_files(archive), copies):
        raise missing_program(name)


def read_files(archive: Path) -> Files:
    """The files of a userland; raises FormatError if the archive is none."""
    with archive.open("rb") as file:
        return dict(_members(file, archive))


def _members(file: BinaryIO, archive: Path) -> Iterator[tuple[str, File]]:
    """Of each member the header alone, and of a link what it leads to."""
    while True:
        header = file.read(_HEADER_SIZE)
        if len(header) < _HEADER_SIZE or not header.startswith(_MAGIC):
            raise FormatError(
                f"The userland {archive} is damaged: remove it with 'granule cache clear userland'."
            )
        mode, size, name_size = (int(header[at : at + 8], 16) for at in (14, 54, 94))
        name = file.read(_padded(_HEADER_SIZE + name_size) - _HEADER_SIZE)[: name_size - 1]
        if name == b"TRAILER!!!":
            return
        target = file.read(size) if stat.S_ISLNK(mode) else b""
        file.seek(_padded(size) - len(target), 1)
        path = name.decode(errors="surrogateescape").removeprefix(_PREFIX) or "/"
        yield path, File(mode, target.decode(errors="surrogateescape"))


def _padded(size: int) -> int:
    return size + -size % 4


def _may_have(name: str, path: str, files: Files, copies: frozenset[str]) -> bool:
    """Whether init might find it; what it does is in guest/init/command.c.

    What has a slash it executes, whatever that is; what has none must be a program.
    """
    if "/" in name:
        place = _resolved(_HOME / name, files, copies)
        return place is None or place in files
    folders = [folder for folder in path.split(":") if folder]
    places = [_resolved(_HOME / folder / name, files, copies) for folder in folders]
    return any(place is None or _is_program(files.get(place)) for place in places)


def _is_program(file: File | None) -> bool:
    return file is not None and stat.S_ISREG(file.mode) and bool(file.mode & 0o111)


def _resolved(path: PurePosixPath, files: Files, copies: frozenset[str]) -> str | None:
    """The path without links; None where only the running guest knows what is there."""
    ahead = list(reversed(path.parts[1:]))
    place = PurePosixPath("/")
    links = 0
    while ahead:
        place = _step(place, ahead.pop())
        if _is_open(place, copies):
            return None
        found = files.get(str(place))
        if found is None or not stat.S_ISLNK(found.mode):
            continue
        links += 1
        if links > _LINKS:
            break
        ahead.extend(reversed([part for part in PurePosixPath(found.target).parts if part != "/"]))
        place = PurePosixPath("/") if found.target.startswith("/") else place.parent
    return str(place)


def _step(place: PurePosixPath, part: str) -> PurePosixPath:
    return place.parent if part == ".." else place / part


def _is_open(place: PurePosixPath, copies: frozenset[str]) -> bool:
    return str(place) in _MOUNTED or (place.parent == _HOME and place.name in copies)
