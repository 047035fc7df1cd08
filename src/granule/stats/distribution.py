# SPDX-License-Identifier: GPL-2.0-or-later
"""How values that were counted one by one are spread: means and tails."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Distribution:
    """Values with how often each occurred. Percentiles are values that occurred.

    ``p99`` is the smallest value that at least 99 % of all do not exceed (the
    nearest rank), so no figure is made up between two that were counted.
    """

    number: int
    mean: float
    median: int
    p99: int
    p999: int
    maximum: int


def distribution(times: Mapping[int, int]) -> Distribution:
    """Describes value → how often; raises ValueError if there is no value."""
    number = sum(times.values())
    if not number:
        raise ValueError("no values to describe")
    return Distribution(
        number=number,
        mean=sum(value * count for value, count in times.items()) / number,
        median=percentile(times, Fraction(50)),
        p99=percentile(times, Fraction(99)),
        p999=percentile(times, Fraction(999, 10)),
        maximum=max(times),
    )


def percentile(times: Mapping[int, int], percent: Fraction) -> int:
    """The nearest-rank percentile; exact, so the rank of 99.9 % of 1000 is 999."""
    rank = max(1, math.ceil(percent / 100 * sum(times.values())))
    return next(value for value, reached in _cumulated(times) if reached >= rank)


def _cumulated(times: Mapping[int, int]) -> Iterable[tuple[int, int]]:
    reached = 0
    for value in sorted(times):
        reached += times[value]
        yield value, reached
