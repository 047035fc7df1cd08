# SPDX-License-Identifier: GPL-2.0-or-later
"""Progress for people: bars on a terminal, plain lines elsewhere; always on stderr."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from granule.progress import Progress as ProgressProtocol
from granule.progress import Step

QUIET = 10.0
"""Seconds between two plain lines about the same step."""


def choose_progress(stream: TextIO | None = None) -> ProgressProtocol:
    """Bars if the stream (standard error unless given) is a terminal, else lines."""
    stream = stream or sys.stderr
    console = Console(file=stream)
    return TerminalProgress(console) if console.is_terminal else PlainProgress(stream)


class TerminalProgress:
    """A bar for every step under way, a line for every one that is finished."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._open = 0
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            TaskProgressColumn(),
            TextColumn("{task.fields[note]}", style="dim", markup=False),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )

    @contextmanager
    def step(self, title: str) -> Iterator[Step]:
        """See :class:`granule.progress.Progress`."""
        start = time.monotonic()
        task = self._enter(_sentence(title))
        mark = ("✗", "red")
        try:
            yield _BarStep(self._bars, task)
            mark = ("✓", "green")
        finally:
            self._leave(task)
            elapsed = time.monotonic() - start
            line = Text.assemble(mark, f" {_sentence(title)} ", (f"({elapsed:.1f} s)", "dim"))
            self._console.print(line)

    def _enter(self, title: str) -> TaskID:
        with self._lock:
            if not self._open:
                self._bars.start()
            self._open += 1
            return self._bars.add_task(title, total=None, note="")

    def _leave(self, task: TaskID) -> None:
        with self._lock:
            self._bars.remove_task(task)
            self._open -= 1
            if not self._open:
                self._bars.stop()


class _BarStep:
    def __init__(self, bars: Progress, task: TaskID) -> None:
        self._bars = bars
        self._task = task

    def advance(self, done: int, total: int | None = None) -> None:
        self._bars.update(self._task, completed=done, total=total)

    def note(self, text: str) -> None:
        self._bars.update(self._task, note=text)


class PlainProgress:
    """A line when a step begins, one when it ends, and a sign of life now and then."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock

    @contextmanager
    def step(self, title: str) -> Iterator[Step]:
        """See :class:`granule.progress.Progress`."""
        start = self._clock()
        self._write(f"{_sentence(title)} …")
        ending = "failed"
        try:
            yield _LineStep(title, self._write, self._clock)
            ending = "done"
        finally:
            self._write(f"{_sentence(title)}: {ending} ({self._clock() - start:.1f} s)")

    def _write(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()


class _LineStep:
    def __init__(
        self, title: str, write: Callable[[str], None], clock: Callable[[], float]
    ) -> None:
        self._title = title
        self._write = write
        self._clock = clock
        self._last = clock()

    def advance(self, done: int, total: int | None = None) -> None:
        self._say(f"{done / total:.0%}" if total else f"{done}")

    def note(self, text: str) -> None:
        self._say(text)

    def _say(self, text: str) -> None:
        if self._clock() - self._last >= QUIET:
            self._last = self._clock()
            self._write(f"{_sentence(self._title)}: {text}")


def _sentence(title: str) -> str:
    return title[:1].upper() + title[1:]
