# SPDX-License-Identifier: GPL-2.0-or-later
import io

import pytest
from rich.console import Console

from granule.cli.progress import PlainProgress, TerminalProgress, choose_progress


def test_a_file_gets_plain_lines() -> None:
    assert isinstance(choose_progress(io.StringIO()), PlainProgress)


def test_plain_lines_say_how_a_step_ended() -> None:
    stream = io.StringIO()
    now = [0.0]
    progress = PlainProgress(stream, clock=lambda: now[0])
    with progress.step("boot the kernel"):
        now[0] = 2.5
    with pytest.raises(RuntimeError), progress.step("fail"):
        raise RuntimeError
    assert stream.getvalue().splitlines() == [
        "Boot the kernel …",
        "Boot the kernel: done (2.5 s)",
        "Fail …",
        "Fail: failed (0.0 s)",
    ]


def test_plain_lines_are_few() -> None:
    stream = io.StringIO()
    now = [0.0]
    with PlainProgress(stream, clock=lambda: now[0]).step("download") as step:
        for second in range(31):
            now[0] = float(second)
            step.advance(second, 30)
    middle = stream.getvalue().splitlines()[1:-1]
    assert middle == ["Download: 33%", "Download: 67%", "Download: 100%"]


def test_a_terminal_keeps_a_line_per_finished_step() -> None:
    stream = io.StringIO()
    progress = TerminalProgress(Console(file=stream, force_terminal=True, width=100))
    with progress.step("build") as outer:
        outer.advance(1, 2)
        with progress.step("compile [x]") as inner:
            inner.note("mm/mmap.c")
    text = stream.getvalue()
    assert "✓" in text
    assert "Compile [x]" in text
