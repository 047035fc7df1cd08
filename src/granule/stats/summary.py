# SPDX-License-Identifier: GPL-2.0-or-later
"""What several runs of the same thing say together."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from granule.stats.student import critical_value

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Summary:
    """Runs of one event, in counts or in counts per operation.

    ``half_width`` is that of the 95 % Student-t interval of the mean.
    One run has no interval: ``half_width`` is None and ``variance`` 0.
    """

    runs: int
    mean: float
    minimum: float
    maximum: float
    variance: float
    half_width: float | None

    @property
    def constant(self) -> bool:
        """Whether every run gave the same number."""
        return self.minimum == self.maximum


def summarize(counts: Sequence[float]) -> Summary:
    """Describes at least one run; raises ValueError for none."""
    if not counts:
        raise ValueError("no runs to summarize")
    variance = statistics.variance(counts) if len(counts) > 1 else 0.0
    return Summary(
        runs=len(counts),
        mean=statistics.fmean(counts),
        minimum=min(counts),
        maximum=max(counts),
        variance=float(variance),
        half_width=_half_width(len(counts), float(variance)),
    )


def _half_width(runs: int, variance: float) -> float | None:
    if runs < 2:
        return None
    return float(critical_value(CONFIDENCE, runs - 1) * (variance / runs) ** 0.5)
