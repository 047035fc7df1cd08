# SPDX-License-Identifier: GPL-2.0-or-later
"""Which programs the guest certainly lacks, in a userland like Debian's."""

from pathlib import Path

import pytest

from granule.command import Command
from granule.errors import FormatError, UsageError
from granule.lookup import check_program
from granule.userland import cpio

FILES = [
    cpio.directory("userland"),
    cpio.link("userland/bin", "usr/bin"),
    cpio.directory("userland/usr"),
    cpio.directory("userland/usr/bin"),
    cpio.file("userland/usr/bin/mawk", b"\x7fELF" + bytes(101), 0o755),
    cpio.link("userland/usr/bin/awk", "/etc/alternatives/awk"),
    cpio.link("userland/usr/bin/loop", "loop"),
    cpio.link("userland/usr/bin/gone", "../lib/gone"),
    cpio.file("userland/usr/bin/notes", b"for people", 0o644),
    cpio.directory("userland/usr/bin/folder"),
    cpio.directory("userland/etc"),
    cpio.directory("userland/etc/alternatives"),
    cpio.link("userland/etc/alternatives/awk", "../../usr/bin/mawk"),
    cpio.directory("userland/opt"),
    cpio.file("userland/opt/tool", b"#!/bin/sh", 0o755),
    cpio.directory("userland/root"),
    cpio.directory("userland/tmp"),
]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "userland.cpio"
    path.write_bytes(cpio.archive(FILES))
    return path


def check(archive: Path, name: str, *, path: str = "", copies: tuple[str, ...] = ()) -> None:
    environment = (("PATH", path),) if path else ()
    check_program(Command((name,), tuple(map(Path, copies))), environment, archive)


@pytest.mark.parametrize(
    "name", ["mawk", "awk", "/bin/awk", "/usr/bin/mawk", "../usr/bin/mawk", "/opt/tool"]
)
def test_what_is_there_is_found(archive: Path, name: str) -> None:
    check(archive, name)


@pytest.mark.parametrize(
    "name",
    ["gawk", "notes", "folder", "gone", "loop", "tool", "./mawk", "/bin/gawk", "/usr/bin/gone"],
)
def test_what_is_not_is_missed(archive: Path, name: str) -> None:
    with pytest.raises(UsageError, match=rf"no program '{name}'.*--copy"):
        check(archive, name)


@pytest.mark.parametrize("name", ["/proc/self/exe", "/tmp/made", "../dev/shm/x"])
def test_what_only_the_running_guest_knows_may_be_there(archive: Path, name: str) -> None:
    check(archive, name)


def test_a_path_is_told_from_a_name(archive: Path) -> None:
    for name in ("./gawk", "build/gawk", "/home/me/gawk"):
        with pytest.raises(UsageError, match="and this machine no such file"):
            check(archive, name)
    for name in ("gawk", "/usr/bin/gawk"):
        with pytest.raises(UsageError, match="Debian package"):
            check(archive, name)


def test_what_cannot_be_executed_is_for_the_guest_to_say(archive: Path) -> None:
    check(archive, "/usr/bin/notes")
    check(archive, "/usr/bin/folder")


def test_copies_lie_where_the_command_starts(archive: Path) -> None:
    for name in ("./mybench", "tools/run", "/root/mybench"):
        check(archive, name, copies=("build/mybench", "tools"))
    with pytest.raises(UsageError, match="no program 'mybench'"):
        check(archive, "mybench", copies=("mybench",))
    check(archive, "mybench", path="/bin:.", copies=("mybench",))


def test_the_command_s_own_path_is_searched(archive: Path) -> None:
    check(archive, "tool", path="/opt")
    with pytest.raises(UsageError, match="no program 'mawk'"):
        check(archive, "mawk", path="/opt")


@pytest.mark.parametrize("size", [0, 50, 400, 1500])
def test_an_archive_cut_short_is_not_believed(archive: Path, size: int) -> None:
    archive.write_bytes(archive.read_bytes()[:size])
    with pytest.raises(FormatError, match="granule cache clear userland"):
        check(archive, "mawk")
