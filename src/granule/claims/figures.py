# SPDX-License-Identifier: GPL-2.0-or-later
"""Exact fractions as people read them: never rounded to what they are not.

A figure that is no whole number has three digits behind the point, a small one its
first two digits, so that nothing looks like 0 that is not.
"""

from fractions import Fraction

_SMALL = Fraction(1, 100)


def rate(value: Fraction) -> str:
    """A count, or counts per operation."""
    if value.denominator == 1:
        return f"{value.numerator:,}"
    if abs(value) < _SMALL:
        return f"{float(value):.2g}"
    return f"{float(value):,.3f}"


def change(value: Fraction) -> str:
    """The same with its sign; U+2212 is the minus of the width of a digit."""
    sign = "+" if value > 0 else "−" if value < 0 else ""
    return f"{sign}{rate(abs(value))}"


def percent(share: Fraction) -> str:
    """A part of the baseline, in percent."""
    value = share * 100
    if value and value < _SMALL:
        return f"{float(value):.2g} %"
    return f"{float(value):,.2f} %"
