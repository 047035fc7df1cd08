# SPDX-License-Identifier: GPL-2.0-or-later
from fractions import Fraction

import pytest

from granule.stats.distribution import distribution, percentile


def test_of_a_thousand_the_tail_is_the_last_ten_and_the_last_one() -> None:
    found = distribution({100: 990, 200: 9, 5000: 1})
    assert (found.number, found.median, found.p99, found.p999) == (1000, 100, 100, 200)
    assert found.maximum == 5000
    assert found.mean == pytest.approx(105.8)


@pytest.mark.parametrize(("slow", "p99"), [(10, 1), (11, 9)])
def test_a_percentile_is_the_first_value_that_covers_its_share(slow: int, p99: int) -> None:
    assert distribution({1: 1000 - slow, 9: slow}).p99 == p99


def test_the_textbook_example_of_the_nearest_rank() -> None:
    # https://en.wikipedia.org/wiki/Percentile#Worked_examples_of_the_nearest-rank_method
    times = dict.fromkeys((15, 20, 35, 40, 50), 1)
    ranks = (5, 30, 40, 50, 100)
    assert [percentile(times, Fraction(p)) for p in ranks] == [15, 20, 20, 35, 50]


def test_one_value_is_every_percentile() -> None:
    found = distribution({7: 1})
    assert (found.median, found.p999, found.mean) == (7, 7, 7)


def test_nothing_has_no_distribution() -> None:
    with pytest.raises(ValueError, match="no values"):
        distribution({})
