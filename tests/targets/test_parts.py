# SPDX-License-Identifier: GPL-2.0-or-later
"""The version check, the console scanner, statuses and run directories."""

from pathlib import Path

import pytest

from granule.errors import FormatError, MissingToolError
from granule.targets import Status
from granule.targets.console import ConsoleScanner, last_lines
from granule.targets.rundir import new_run_directory
from granule.targets.version import check_version

BOOKWORM = """QEMU emulator version 7.2.15 (Debian 1:7.2+dfsg-7+deb12u12)
Copyright (c) 2003-2022 Fabrice Bellard and the QEMU Project developers
"""
BACKPORTS = """QEMU emulator version 10.0.2 (Debian 1:10.0.2+ds-2+deb13u1~bpo12+1)
Copyright (c) 2003-2025 Fabrice Bellard and the QEMU Project developers
"""


def test_a_new_enough_emulator() -> None:
    version = check_version(BACKPORTS)
    assert (version.major, version.minor) == (10, 0)
    assert version.text.endswith("bpo12+1)")


def test_an_old_emulator_names_what_to_install() -> None:
    with pytest.raises(MissingToolError, match=r"7\.2 is too old.*apt install -t bookworm-backp"):
        check_version(BOOKWORM)


def test_no_version_at_all() -> None:
    with pytest.raises(MissingToolError, match="names no version"):
        check_version("hello")


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("exit 0\n", Status("exit", 0)),
        ("exit 255", Status("exit", 255)),
        ("signal 11", Status("signal", 11)),
        ("exec 2", Status("exec", 2)),
        ("init cannot mount the root: x", Status("init", message="cannot mount the root: x")),
    ],
)
def test_statuses(line: str, status: Status) -> None:
    assert Status.parse(line) == status


@pytest.mark.parametrize("line", ["", "exit", "exit -1", "fine 0", "signal x"])
def test_statuses_nobody_knows(line: str) -> None:
    with pytest.raises(FormatError):
        Status.parse(line)


def test_a_line_is_judged_when_it_is_complete(tmp_path: Path) -> None:
    log = tmp_path / "console.log"
    scanner = ConsoleScanner(log)
    assert scanner.scan() is None
    log.write_bytes(b"ok\r\nKernel panic - not sync")
    assert scanner.scan() is None
    with log.open("ab") as file:
        file.write(b"ing: Fatal exception\r\nmore\r\n")
    assert scanner.scan() == "Kernel panic - not syncing: Fatal exception"
    assert scanner.scan() is None


def test_the_last_line_needs_no_end(tmp_path: Path) -> None:
    log = tmp_path / "console.log"
    log.write_bytes(b"Internal error: Oops: 0000000096000004 [#1] SMP")
    assert ConsoleScanner(log).finish() == "Internal error: Oops: 0000000096000004 [#1] SMP"


def test_the_first_trouble_is_the_one_reported(tmp_path: Path) -> None:
    log = tmp_path / "console.log"
    log.write_bytes(b"BUG: Bad page map in process a\nKernel panic - not syncing: b\n")
    assert ConsoleScanner(log).finish() == "BUG: Bad page map in process a"
    tolerant = ConsoleScanner(log, tolerate_reports=True)
    assert tolerant.finish() == "Kernel panic - not syncing: b"


@pytest.mark.parametrize("text", [b"DEBUG: all well\n", b"WARNING: CPU: 0 PID: 1\n", b""])
def test_what_is_no_trouble(tmp_path: Path, text: bytes) -> None:
    log = tmp_path / "console.log"
    log.write_bytes(text)
    assert ConsoleScanner(log).finish() is None


def test_the_end_of_a_log_is_readable(tmp_path: Path) -> None:
    log = tmp_path / "console.log"
    log.write_bytes(b"one\r\n\x1b[31mtwo\x1b[0m\x00\r\nthree\xff\r\n")
    assert last_lines(log, 2) == "two\nthree�"
    assert last_lines(tmp_path / "none") == ""


def test_old_runs_make_room(tmp_path: Path) -> None:
    running = new_run_directory(tmp_path, kept=2)
    (running / "initramfs.cpio").touch()
    for _ in range(4):
        newest = new_run_directory(tmp_path, kept=2)
    assert running.exists()
    assert newest.exists()
    assert len(list(tmp_path.iterdir())) == 3
