# SPDX-License-Identifier: GPL-2.0-or-later
"""The bytes of cpio archives, checked against cpio(1)."""

from __future__ import annotations

import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from granule.userland import cpio


def test_header_of_a_file() -> None:
    data = cpio.archive([cpio.file("init", b"#!", 0o755)])
    assert data.startswith(
        b"070701" b"00000001" b"000081ED" b"00000000" b"00000000" b"00000001" b"00000000"
        b"00000002" b"00000000" b"00000000" b"00000000" b"00000000" b"00000005" b"00000000"
        b"init\0\0" b"#!\0\0"
    )  # fmt: skip


def test_everything_is_aligned_and_ends_in_the_trailer() -> None:
    data = cpio.archive([cpio.file("a", b"12345")])
    assert len(data) % 4 == 0
    assert data.rstrip(b"\0").endswith(b"TRAILER!!!")


def test_device_numbers() -> None:
    data = cpio.archive([cpio.character_device("dev/console", 5, 1)])
    assert data[6 + 9 * 8 : 6 + 11 * 8] == b"0000000500000001"


@pytest.mark.skipif(shutil.which("cpio") is None, reason="needs cpio")
def test_cpio_reads_it(tmp_path: Path) -> None:
    entries = [
        cpio.directory("granule"),
        cpio.file("granule/argv", b"perf\0bench\0"),
        cpio.file("init", b"program", 0o755),
        cpio.link("granule/link", "argv"),
    ]
    extract = ["cpio", "--extract", "--quiet", "--no-preserve-owner"]
    subprocess.run(extract, input=cpio.archive(entries), cwd=tmp_path, check=True)
    assert (tmp_path / "granule/argv").read_bytes() == b"perf\0bench\0"
    assert stat.S_IMODE((tmp_path / "init").stat().st_mode) == 0o755
    assert str((tmp_path / "granule/link").readlink()) == "argv"
