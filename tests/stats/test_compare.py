# SPDX-License-Identifier: GPL-2.0-or-later
import pytest

from granule.stats import Relevance, compare, compare_all, summarize, tally
from granule.stats.compare import holm, welch_p


def test_equal_exact_counts_are_a_tie() -> None:
    result = compare([500], [500], repeatable=True)
    assert not result.significant
    assert result.p is None


def test_one_repeatable_run_each_is_enough() -> None:
    result = compare([1000], [1004], repeatable=True)
    assert result.significant
    assert result.moved
    assert result.relative == pytest.approx(0.004)


def test_one_run_on_several_cpus_decides_nothing() -> None:
    result = compare([1000], [2000], repeatable=False)
    assert not result.significant
    assert not result.decidable


def test_a_significant_difference_can_be_irrelevant() -> None:
    result = compare([1_000_000], [1_000_500], repeatable=True)
    assert result.significant
    assert not result.relevant
    assert not result.moved


@pytest.mark.parametrize(("cand", "moved"), [(101, False), (102, True), (98, True), (99, False)])
def test_one_count_is_never_relevant(cand: int, moved: bool) -> None:
    assert compare([100], [cand], repeatable=True).moved is moved


@pytest.mark.parametrize(("cand", "relevant"), [(10_009, False), (10_010, True)])
def test_relevance_starts_at_the_threshold(cand: int, relevant: bool) -> None:
    assert Relevance(relative=0.001).holds(10_000, cand - 10_000) is relevant


def test_a_new_event_has_no_relative_change_and_moved() -> None:
    result = compare([0], [2], repeatable=True)
    assert result.relative is None
    assert result.moved


def test_spread_that_covers_the_difference_is_a_tie() -> None:
    assert not compare([100, 130, 90], [125, 95, 110], repeatable=True).significant


def test_a_difference_far_outside_the_spread_is_significant() -> None:
    assert compare([100, 101, 102], [200, 201, 203], repeatable=False).significant


def test_welch_against_a_worked_example() -> None:
    # scipy 1.17.1, ttest_ind(a, b, equal_var=False): t = -3.2204702, df = 9.5268
    a = summarize([30, 31, 29, 33, 35, 28])
    b = summarize([36, 32, 39, 37, 34, 41])
    assert welch_p(a, b) == pytest.approx(0.009745359248992098, rel=1e-9)


def test_welch_without_any_spread_decides_by_equality() -> None:
    assert welch_p(summarize([5, 5]), summarize([6, 6])) == 0.0
    assert welch_p(summarize([5, 5]), summarize([5, 5])) == 1.0


def test_holm_adjusts_and_stays_monotone() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx(
        {"a": 0.03, "c": 0.06, "b": 0.06}
    )


def test_holm_never_exceeds_one_and_takes_nothing() -> None:
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


def test_many_events_raise_the_bar() -> None:
    noisy = ([100, 104, 97, 101], [106, 109, 104, 111])
    alone = compare_all({0: noisy}, repeatable=False)[0]
    crowd = {n: noisy if n == 0 else ([10, 12, 11, 9], [11, 10, 12, 10]) for n in range(100)}
    assert alone.significant
    assert not compare_all(crowd, repeatable=False)[0].significant


def test_the_interval_of_a_constant_is_a_point_and_of_one_run_unknown() -> None:
    assert summarize([7, 7, 7]).half_width == 0
    assert summarize([7]).half_width is None


def test_the_interval_of_three_runs() -> None:
    # s = 1, n = 3: 4.30265 / sqrt(3)
    assert summarize([1, 2, 3]).half_width == pytest.approx(2.48414, rel=1e-5)


def test_no_runs_cannot_be_summarized() -> None:
    with pytest.raises(ValueError, match="no runs"):
        summarize([])


def test_the_tally_hides_nothing() -> None:
    results = [compare([100], [n], repeatable=True) for n in (50, 100, 100, 150)]
    assert tally(results).sentence() == (
        "4 result classes were considered, with 1 win, 1 loss and 2 ties"
    )


def test_the_tally_of_one() -> None:
    assert tally([compare([9], [9], repeatable=True)]).sentence() == (
        "1 result class was considered, with 0 wins, 0 losses and 1 tie"
    )
