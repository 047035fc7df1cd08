# SPDX-License-Identifier: GPL-2.0-or-later
"""The archive a guest sends before it powers off."""

import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from granule.errors import GuestError
from granule.targets.job import Status


@dataclass(frozen=True, slots=True)
class Results:
    """The members of the archive; ``kallsyms`` is None unless asked for."""

    status: Status
    stdout: bytes
    stderr: bytes
    uname: str
    dmesg: str
    kallsyms: str | None


def read_results(path: Path) -> Results:
    """Reads the archive; raises GuestError if it is missing, cut short or damaged.

    The guest writes ``status`` last, so an archive that has it is complete.
    """
    members = _members(path)
    if "status" not in members:
        raise GuestError("The guest powered off without its results")
    return Results(
        status=Status.parse(_text(members, "status")),
        stdout=members.get("stdout", b""),
        stderr=members.get("stderr", b""),
        uname=_text(members, "uname").strip(),
        dmesg=_text(members, "dmesg"),
        kallsyms=_text(members, "kallsyms") if "kallsyms" in members else None,
    )


def _members(path: Path) -> dict[str, bytes]:
    members: dict[str, bytes] = {}
    try:
        with tarfile.open(path, "r:") as archive:
            for member in archive:
                content = archive.extractfile(member)
                if content is not None:
                    members[member.name] = content.read()
    except (tarfile.TarError, OSError, EOFError) as error:
        raise GuestError("The guest powered off without its results") from error
    return members


def _text(members: Mapping[str, bytes], name: str) -> str:
    return members.get(name, b"").decode(errors="replace")
