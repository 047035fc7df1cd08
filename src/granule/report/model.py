# SPDX-License-Identifier: GPL-2.0-or-later
"""What every report is made of. The JSON of ``--json`` is these models as they are.

Each report names its ``format`` and ``version``; a version changes when a name or a
meaning does. ``label`` says how figures came about: counted or timed.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from granule.stats import Summary, summarize

Label = Literal["counted", "timed"]


class Model(BaseModel):
    """A part of a report."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")


class Figure(Model):
    """All runs together. ``interval`` is half the 95 % interval of the mean.

    In counts, where the least and the most are whole numbers, or per operation.
    """

    mean: float
    minimum: int | float
    maximum: int | float
    interval: float | None = None

    @classmethod
    def of(cls, counts: Sequence[float]) -> "Figure":
        """The figure of at least one run."""
        return cls.of_summary(summarize(counts))

    @classmethod
    def of_summary(cls, summary: Summary) -> "Figure":
        """The figure of runs already summarized."""
        return cls(
            mean=summary.mean,
            minimum=summary.minimum,
            maximum=summary.maximum,
            interval=summary.half_width,
        )

    @property
    def constant(self) -> bool:
        """Whether every run gave the same count."""
        return self.minimum == self.maximum
