# SPDX-License-Identifier: GPL-2.0-or-later
"""How long work tells what it is doing, without knowing who watches.

Library code takes a :class:`Progress` and never prints. The command line has
one that draws bars on a terminal and one that writes plain lines.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Step(Protocol):
    """A piece of work under way."""

    def advance(self, done: int, total: int | None = None) -> None:
        """``done`` of ``total`` units are finished; ``None`` if no one knows how many."""
        ...

    def note(self, text: str) -> None:
        """Says in a few words what happens right now."""
        ...


class Progress(Protocol):
    """Somebody who wants to know which steps are under way."""

    def step(self, title: str) -> AbstractContextManager[Step]:
        """Opens a step; it is finished when the context is left, failed when by an error.

        The title is an imperative phrase without a full stop: ``boot the kernel``.
        """
        ...


class _SilentStep:
    def advance(self, done: int, total: int | None = None) -> None:
        pass

    def note(self, text: str) -> None:
        pass


class SilentProgress:
    """Tells nobody."""

    @contextmanager
    def step(self, title: str) -> Iterator[Step]:  # noqa: ARG002 the protocol's name
        """See :class:`Progress`."""
        yield _SilentStep()
