# SPDX-License-Identifier: GPL-2.0-or-later
"""A listener for long work."""

from collections.abc import Iterator
from contextlib import contextmanager

from granule.progress import Step


class Recorder:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.titles: list[str] = []
        self.notes: list[str] = []
        self.counts: list[tuple[int, int | None]] = []

    @contextmanager
    def step(self, title: str) -> Iterator[Step]:
        self.titles.append(title)
        yield self

    def advance(self, done: int, total: int | None = None) -> None:
        self.counts.append((done, total))

    def note(self, text: str) -> None:
        self.notes.append(text)
