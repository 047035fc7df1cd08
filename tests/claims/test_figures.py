# SPDX-License-Identifier: GPL-2.0-or-later
from fractions import Fraction

import pytest

from granule.claims.figures import change, percent, rate


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(1234567), "1,234,567"),
        (Fraction(1_000_001, 1000), "1,000.001"),
        (Fraction(97, 100_000), "0.00097"),
        (Fraction(1, 1_000_000), "1e-06"),
        (Fraction(-5, 2), "-2.500"),
    ],
)
def test_a_figure_never_looks_like_another(value: Fraction, text: str) -> None:
    assert rate(value) == text


def test_a_change_has_its_sign_unless_it_is_none() -> None:
    assert [change(Fraction(n, 2)) for n in (3, -3, 0)] == ["+1.500", "−1.500", "0"]


def test_a_small_part_is_not_rounded_away() -> None:
    assert [percent(Fraction(n, 1_000_000)) for n in (1000, 1, 0)] == [
        "0.10 %",
        "0.0001 %",
        "0.00 %",
    ]
