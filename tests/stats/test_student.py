# SPDX-License-Identifier: GPL-2.0-or-later
"""Against published tables of the t distribution."""

import math

import pytest

from granule.stats.student import critical_value, two_sided_p


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [(1, 12.7062), (2, 4.30265), (4, 2.77645), (9, 2.26216), (30, 2.04227), (1e6, 1.95996)],
)
def test_critical_values_are_those_of_the_tables(degrees: float, expected: float) -> None:
    assert critical_value(0.95, degrees) == pytest.approx(expected, rel=1e-5)


def test_the_smallest_sample_at_a_strict_level() -> None:
    assert critical_value(0.999, 1) == pytest.approx(636.619, rel=1e-5)


def test_p_of_zero_is_one_and_of_infinity_zero() -> None:
    assert two_sided_p(0.0, 3) == 1.0
    assert two_sided_p(math.inf, 3) == 0.0


def test_one_degree_of_freedom_is_the_cauchy_distribution() -> None:
    for t in (0.1, 1.0, 7.5, 1e4):
        assert two_sided_p(t, 1) == pytest.approx(1 - 2 * math.atan(t) / math.pi, rel=1e-6)


def test_p_does_not_depend_on_the_sign() -> None:
    assert two_sided_p(-2.5, 7.3) == two_sided_p(2.5, 7.3)
