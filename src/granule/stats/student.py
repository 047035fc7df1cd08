# SPDX-License-Identifier: GPL-2.0-or-later
"""Student's t distribution, without a numerics library.

The distribution function goes through the regularized incomplete beta function
(Abramowitz and Stegun, 26.5.27), evaluated by its continued fraction (26.5.8)
with the modified method of Lentz (Thompson and Barnett, J. Comput. Phys. 64,
1986). The quantile is found by bisection on it.
"""

import math

_TINY = 1e-300
_PRECISION = 1e-15
_TERMS = 500
_HALVINGS = 200


def two_sided_p(t: float, degrees: float) -> float:
    """Probability of a value at least as far from 0 as ``t``, either way.

    ``degrees`` (of freedom) is positive and need not be an integer.
    """
    if math.isinf(t):
        return 0.0
    return _regularized_beta(degrees / (degrees + t * t), degrees / 2, 0.5)


def critical_value(confidence: float, degrees: float) -> float:
    """The t with ``confidence`` (0.95 for 95 %) of the probability between -t and t."""
    wanted = 1 - confidence
    low, high = 0.0, 1.0
    while two_sided_p(high, degrees) > wanted:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided_p(middle, degrees) > wanted else (low, middle)
    return (low + high) / 2


def _regularized_beta(x: float, a: float, b: float) -> float:
    if x <= 0 or x >= 1:
        return float(x >= 1)
    # The fraction converges fast on this side of the mean only; the other is its mirror.
    if x > (a + 1) / (a + b + 2):
        return 1 - _regularized_beta(1 - x, b, a)
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    return math.exp(log_front) * _beta_fraction(x, a, b) / a


def _beta_fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _TERMS):
        for coefficient in _coefficients(m, x, a, b):
            d = 1 / _not_zero(1 + coefficient * d)
            c = _not_zero(1 + coefficient / c)
            value *= c * d
        if abs(c * d - 1) < _PRECISION:
            break
    return value


def _coefficients(m: int, x: float, a: float, b: float) -> tuple[float, float]:
    even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
    odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
    return even, odd


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
