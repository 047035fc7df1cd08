# SPDX-License-Identifier: GPL-2.0-or-later
"""Did an event move between a baseline and a candidate?

Two questions, kept apart. *Significant*: is there a difference at all? Counts
of a repeatable machine that were the same in every run are exact, so any
difference is one. Otherwise Welch's unequal-variances t-test decides (Welch,
Biometrika 34, 1947), and because many events are asked about at once its
p-values are adjusted by Holm's step-down procedure (Holm, Scand. J. Statist. 6,
1979), which keeps the chance of even one false difference below 5 %.
*Relevant*: is the difference large enough to care about? An event has *moved*
if both hold.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from granule.stats.student import two_sided_p
from granule.stats.summary import Summary, summarize

SIGNIFICANCE = 0.05

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Relevance:
    """Which differences matter: at least ``counts`` counts and ``relative`` of the baseline."""

    relative: float = 0.001
    counts: float = 2

    def holds(self, base: float, difference: float) -> bool:
        """Whether a difference from ``base`` matters. From 0 any ``counts`` counts do."""
        size = abs(difference)
        return size >= self.counts and size >= self.relative * abs(base)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One event in both. ``p`` is the adjusted p-value, None where the counts are exact.

    ``decidable`` is False when there are too few runs to know the spread.
    """

    base: Summary
    cand: Summary
    p: float | None
    significant: bool
    relevant: bool
    decidable: bool = True

    @property
    def difference(self) -> float:
        """Candidate minus baseline, in counts (of the means)."""
        return self.cand.mean - self.base.mean

    @property
    def relative(self) -> float | None:
        """The difference as a part of the baseline; None if the baseline is 0."""
        return self.difference / self.base.mean if self.base.mean else None

    @property
    def moved(self) -> bool:
        """Significant and relevant."""
        return self.significant and self.relevant


def compare(
    base: Sequence[float],
    cand: Sequence[float],
    *,
    repeatable: bool,
    relevance: Relevance | None = None,
) -> Comparison:
    """Compares the runs of one event; see :func:`compare_all`."""
    return compare_all({0: (base, cand)}, repeatable=repeatable, relevance=relevance)[0]


def compare_all(
    runs: Mapping[Key, tuple[Sequence[float], Sequence[float]]],
    *,
    repeatable: bool,
    relevance: Relevance | None = None,
) -> dict[Key, Comparison]:
    """Compares many events, each as (runs of the baseline, runs of the candidate).

    ``repeatable`` says that a run with the same seed gives the same counts.
    """
    limits = relevance or Relevance()
    summaries = {key: (summarize(base), summarize(cand)) for key, (base, cand) in runs.items()}
    tested = {
        key: welch_p(base, cand)
        for key, (base, cand) in summaries.items()
        if not _exact(base, cand, repeatable=repeatable) and _decidable(base, cand)
    }
    adjusted = holm(tested)
    return {
        key: _judge(base, cand, adjusted.get(key), limits, repeatable=repeatable)
        for key, (base, cand) in summaries.items()
    }


def welch_p(base: Summary, cand: Summary) -> float:
    """Two-sided p-value of Welch's t-test; both need at least two runs."""
    base_error, cand_error = base.variance / base.runs, cand.variance / cand.runs
    error = base_error + cand_error
    if not error:
        return float(base.mean == cand.mean)
    degrees = error**2 / (
        base_error**2 / (base.runs - 1) + cand_error**2 / (cand.runs - 1)
    )  # Satterthwaite's approximation
    return two_sided_p((cand.mean - base.mean) / math.sqrt(error), degrees)


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """Holm's adjusted p-values: multiplied by the number of hypotheses not yet rejected."""
    adjusted: dict[Key, float] = {}
    largest = 0.0
    for rank, key in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[key]))
        adjusted[key] = largest
    return adjusted


def _judge(
    base: Summary, cand: Summary, p: float | None, limits: Relevance, *, repeatable: bool
) -> Comparison:
    exact = _exact(base, cand, repeatable=repeatable)
    significant = base.mean != cand.mean if exact else p is not None and p < SIGNIFICANCE
    return Comparison(
        base=base,
        cand=cand,
        p=p,
        significant=significant,
        relevant=limits.holds(base.mean, cand.mean - base.mean),
        decidable=exact or _decidable(base, cand),
    )


def _exact(base: Summary, cand: Summary, *, repeatable: bool) -> bool:
    return repeatable and base.constant and cand.constant


def _decidable(base: Summary, cand: Summary) -> bool:
    return base.runs > 1 and cand.runs > 1
