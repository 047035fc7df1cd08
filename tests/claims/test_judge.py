# SPDX-License-Identifier: GPL-2.0-or-later
from fractions import Fraction

import pytest

from granule.claims.judge import Evidence, Judgement, judge, promise
from granule.claims.model import Kind, Limit
from granule.samples import Sample
from granule.stats import compare

_NEW = "+0.001 per operation where the baseline has none"


def _sample(*counts: int, operations: int = 1000) -> Sample:
    return Sample(counts, (Fraction(operations),) * len(counts))


def _judge(
    kind: Kind, value: float, base: Sample, cand: Sample, *, repeatable: bool = True, **more: float
) -> Judgement:
    comparison = compare(
        [float(rate) for rate in base.rates],
        [float(rate) for rate in cand.rates],
        repeatable=repeatable,
    )
    return judge(Evidence(Limit(kind=kind, value=value, **more), base, cand, comparison))


def test_at_most_is_about_the_worst_run_and_needs_no_baseline() -> None:
    evidence = Evidence(Limit(kind=Kind.AT_MOST, value=5), None, _sample(0, 6, 0), None)
    found = judge(evidence)
    assert not found.holds
    assert found.baseline is None
    assert found.candidate == 6
    assert found.reason == "6 counted"
    assert judge(Evidence(evidence.limit, None, _sample(0, 5), None)).holds


@pytest.mark.parametrize(("cand", "holds"), [(3000, True), (3001, False), (5000, False)])
def test_a_change_is_exact(cand: int, holds: bool) -> None:
    found = _judge(Kind.CHANGE_PER_OPERATION, -2, _sample(5000), _sample(cand))
    assert found.holds is holds


def test_a_tolerance_is_in_counts_per_operation() -> None:
    base = _sample(5000)
    assert _judge(Kind.CHANGE_PER_OPERATION, -2, base, _sample(3010), tolerance=0.01).holds
    found = _judge(Kind.CHANGE_PER_OPERATION, -2, base, _sample(3011), tolerance=0.01)
    assert not found.holds
    assert found.reason == "−1.989 per operation, 39.78 % less"
    assert promise(Limit(kind=Kind.CHANGE_PER_OPERATION, value=-2, tolerance=0.01)) == (
        "−2 ± 0.010 per operation"
    )


def test_thirds_of_an_operation_are_not_rounded() -> None:
    base, cand = _sample(10, operations=3), _sample(10, operations=3)
    assert _judge(Kind.CHANGE_PER_OPERATION, 0, base, cand).holds
    found = _judge(Kind.CHANGE_PER_OPERATION, 0.3333333333333333, base, _sample(11, operations=3))
    assert not found.holds


@pytest.mark.parametrize(("cand", "holds"), [(1_001_000, True), (1_001_001, False)])
def test_a_ratio_holds_up_to_its_limit(cand: int, holds: bool) -> None:
    assert _judge(Kind.RATIO_AT_MOST, 1.001, _sample(1_000_000), _sample(cand)).holds is holds


def test_a_ratio_is_per_operation() -> None:
    base, cand = _sample(2000, operations=1000), _sample(2900, operations=1500)
    assert _judge(Kind.RATIO_AT_MOST, 1, base, cand).holds


@pytest.mark.parametrize(("cand", "holds"), [(0, True), (1, False)])
def test_of_nothing_only_nothing_is_a_part(cand: int, holds: bool) -> None:
    found = _judge(Kind.RATIO_AT_MOST, 1.5, _sample(0), _sample(cand))
    assert found.holds is holds
    assert found.reason == ("no change" if holds else _NEW)


@pytest.mark.parametrize(
    ("base", "cand", "holds"),
    [
        (5000, 6000, False),  # one more for each of a thousand operations
        (5000, 4000, True),  # fewer is not worse
        (1_000_000, 1_001_000, True),  # 0.1 %, as promised
        (1_000_000, 1_001_001, False),
        (100, 101, True),  # less than the floor of counts
        (100, 102, False),
        (0, 1, True),
        (0, 2, False),
    ],
)
def test_what_worse_means(base: int, cand: int, holds: bool) -> None:
    found = _judge(Kind.WORSE_BY_AT_MOST, 0.001, _sample(base), _sample(cand))
    assert found.holds is holds


def test_the_floor_is_in_counts_of_a_whole_run() -> None:
    base, cand = _sample(100), _sample(140)
    assert not _judge(Kind.WORSE_BY_AT_MOST, 0.001, base, cand, floor=40).holds
    assert _judge(Kind.WORSE_BY_AT_MOST, 0.001, base, cand, floor=41).holds


@pytest.mark.parametrize(("cand", "holds"), [(999, True), (1001, True), (998, False)])
def test_unchanged_goes_both_ways(cand: int, holds: bool) -> None:
    found = _judge(Kind.UNCHANGED_WITHIN, 0.001, _sample(1000), _sample(cand))
    assert found.holds is holds


def test_chance_is_no_change() -> None:
    base, cand = _sample(1000, 1100, 900), _sample(1010, 1130, 930)
    assert _judge(Kind.WORSE_BY_AT_MOST, 0.001, base, cand).holds
    assert not _judge(Kind.WORSE_BY_AT_MOST, 0.001, base, _sample(2000, 2100, 1900)).holds


def test_one_run_on_several_cpus_promises_nothing() -> None:
    found = _judge(Kind.UNCHANGED_WITHIN, 0.1, _sample(1000), _sample(1000), repeatable=False)
    assert not found.holds
    assert "more runs" in found.reason


def test_identical_compares_run_by_run() -> None:
    assert _judge(Kind.IDENTICAL, 1, _sample(1, 2), _sample(1, 2)).holds
    found = _judge(Kind.IDENTICAL, 1, _sample(1, 2), _sample(2, 1))
    assert not found.holds
    assert found.reason == "different in 2 of the runs"


def test_the_reason_says_what_moved() -> None:
    found = _judge(Kind.WORSE_BY_AT_MOST, 0.001, _sample(5000), _sample(6000))
    assert found.reason == "+1 per operation, 20.00 % more"
    assert [found.baseline, found.candidate] == [5, 6]


def test_a_difference_needs_a_baseline() -> None:
    evidence = Evidence(Limit(kind=Kind.RATIO_AT_MOST, value=1), None, _sample(1), None)
    with pytest.raises(ValueError, match="needs a baseline"):
        judge(evidence)
