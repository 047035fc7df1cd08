# SPDX-License-Identifier: GPL-2.0-or-later
"""Wins, losses and ties: the sentence that hides nothing."""

from collections.abc import Iterable
from dataclasses import dataclass

from granule.stats.compare import Comparison


@dataclass(frozen=True, slots=True)
class Tally:
    """How many result classes moved down (wins), up (losses) or did not move (ties).

    Every event counts as a cost here; whether fewer of it is good is the reader's to say.
    """

    wins: int
    losses: int
    ties: int

    @property
    def considered(self) -> int:
        """All result classes."""
        return self.wins + self.losses + self.ties

    def sentence(self) -> str:
        """The tally in words."""
        return (
            f"{_number(self.considered, 'result class', 'result classes')} considered, "
            f"with {self.wins} {'win' if self.wins == 1 else 'wins'}, "
            f"{self.losses} {'loss' if self.losses == 1 else 'losses'} "
            f"and {self.ties} {'tie' if self.ties == 1 else 'ties'}"
        )


def tally(comparisons: Iterable[Comparison]) -> Tally:
    """Counts the verdicts."""
    found = list(comparisons)
    wins = sum(c.moved and c.difference < 0 for c in found)
    losses = sum(c.moved and c.difference > 0 for c in found)
    return Tally(wins, losses, len(found) - wins - losses)


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one} was" if count == 1 else f"{count} {many} were"
