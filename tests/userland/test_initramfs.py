# SPDX-License-Identifier: GPL-2.0-or-later
"""The host's side of the guest protocol."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from granule.errors import UsageError
from granule.userland import Request, build_initramfs, write_initramfs
from granule.userland.modules import Module


@pytest.fixture
def init(tmp_path: Path) -> Path:
    path = tmp_path / "init"
    path.write_bytes(b"init program")
    return path


def members(data: bytes) -> dict[str, tuple[int, bytes]]:
    """Name to mode and content."""
    found: dict[str, tuple[int, bytes]] = {}
    at = 0
    while True:
        fields = [int(data[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        start = at + 110
        name = data[start : start + fields[11] - 1].decode()
        if name == "TRAILER!!!":
            return found
        start = (start + fields[11] + 3) & ~3
        found[name] = (fields[1], data[start : start + fields[6]])
        at = (start + fields[6] + 3) & ~3


def content(init: Path, request: Request, name: str) -> bytes:
    return members(build_initramfs(init, (), request))[name][1]


def test_init_is_the_program(init: Path) -> None:
    found = members(build_initramfs(init, (), Request(("true",))))
    assert found["init"] == (0o100755, b"init program")


def test_arguments_keep_spaces_and_newlines(init: Path) -> None:
    argv = ("sh", "-c", "echo 'a b'\ntrue", "")
    assert content(init, Request(argv), "granule/argv") == b"sh\0-c\0echo 'a b'\ntrue\0\0"


def test_environment_replaces_and_adds(init: Path) -> None:
    request = Request(("true",), environment={"LANG": "C", "ZED": "1"})
    lines = content(init, request, "granule/env").split(b"\0")
    assert lines[0] == b"HOME=/root"
    assert b"LANG=C" in lines
    assert lines[-2:] == [b"ZED=1", b""]


@pytest.mark.parametrize(
    ("request_", "options"),
    [
        (Request(("true",)), b""),
        (Request(("true",), symbols=True), b"symbols=1\n"),
        (Request((), shell=True), b"shell=1\n"),
    ],
)
def test_options(init: Path, request_: Request, options: bytes) -> None:
    assert content(init, request_, "granule/options") == options


def test_modules_are_listed_in_load_order(init: Path) -> None:
    modules = (Module("jbd2", b"j"), Module("ext4", b"e"))
    found = members(build_initramfs(init, modules, Request(("true",))))
    assert found["granule/modules"][1] == b"/granule/module/jbd2.ko\n/granule/module/ext4.ko\n"
    assert found["granule/module/ext4.ko"][1] == b"e"


def test_copies_keep_modes_and_trees(init: Path, tmp_path: Path) -> None:
    program = tmp_path / "bench"
    program.write_bytes(b"p")
    program.chmod(0o750)
    data = tmp_path / "data"
    data.mkdir()
    (data / "b").write_bytes(b"2")
    (data / "a").symlink_to("b")
    copies = (program, data)
    found = members(build_initramfs(init, (), Request(("./bench",), copies=copies)))
    assert found["granule/copy/bench"] == (0o100750, b"p")
    assert found["granule/copy/data/a"] == (0o120777, b"b")
    assert found["granule/copy/data/b"][1] == b"2"


def test_equal_requests_give_equal_bytes(init: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    for name in "zayb":
        (folder / name).touch()
    first = Request(("true",), environment={"B": "1", "A": "2"}, copies=(folder,))
    second = Request(("true",), environment={"A": "2", "B": "1"}, copies=(folder,))
    assert build_initramfs(init, (), first) == build_initramfs(init, (), second)


def test_a_complete_initramfs_is_the_userland_and_the_request(tmp_path: Path) -> None:
    userland = tmp_path / "userland.cpio"
    userland.write_bytes(b"userland")
    complete = io.BytesIO()
    write_initramfs(complete, userland, b"request")
    assert complete.getvalue() == b"userlandrequest"


def test_a_missing_copy_is_named(init: Path) -> None:
    with pytest.raises(UsageError, match="/nonesuch into the guest"):
        build_initramfs(init, (), Request(("true",), copies=(Path("/nonesuch"),)))


def test_two_copies_of_one_name(init: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "init"
    other.parent.mkdir()
    other.touch()
    with pytest.raises(UsageError, match="same name 'init'"):
        build_initramfs(init, (), Request(("true",), copies=(init, other)))
