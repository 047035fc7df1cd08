# SPDX-License-Identifier: GPL-2.0-or-later
"""Does one event keep to a limit? Pure: from raw counts to a judgement.

Everything that can be decided in whole numbers is: counts per operation are
fractions, never rounded, and nothing is divided by a baseline, so that one of 0
needs no rule of its own. Only whether a difference is significant is a matter
of floating point (:mod:`granule.stats`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from granule.claims.figures import change, percent, rate
from granule.claims.model import Kind, Limit
from granule.samples import Sample
from granule.stats import Comparison

Unit = Literal["counts", "counts per operation"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a limit holds, the two figures that decide it, and why in words.

    :func:`unit_of` has the unit of the figures.
    """

    holds: bool
    baseline: Fraction | None
    candidate: Fraction
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a limit is judged by.

    ``baseline`` may be missing where the kind needs none. ``comparison`` is that
    of the counts per operation, adjusted for all events of the claim.
    """

    limit: Limit
    baseline: Sample | None
    candidate: Sample
    comparison: Comparison | None

    @property
    def both(self) -> tuple[Sample, Sample]:
        """Baseline and candidate of a kind that needs both."""
        if self.baseline is None:
            raise ValueError(f"{self.limit.kind} is about a difference and needs a baseline")
        return self.baseline, self.candidate


def unit_of(kind: Kind) -> Unit:
    """The unit of the figures that decide a kind of limit."""
    return "counts" if kind in (Kind.AT_MOST, Kind.IDENTICAL) else "counts per operation"


def promise(limit: Limit) -> str:
    """A limit in words."""
    value = limit.exact_value
    match limit.kind:
        case Kind.AT_MOST:
            return f"at most {rate(value)}"
        case Kind.CHANGE_PER_OPERATION:
            tolerance = f" ± {rate(limit.exact_tolerance)}" if limit.tolerance else ""
            return f"{change(value)}{tolerance} per operation"
        case Kind.RATIO_AT_MOST:
            return f"at most {limit.value:g} of the baseline"
        case Kind.WORSE_BY_AT_MOST:
            return f"at most {percent(value)} more"
        case Kind.UNCHANGED_WITHIN:
            return f"at most {percent(value)} more or less"
        case Kind.IDENTICAL:
            return "the same in every run"


def judge(evidence: Evidence) -> Judgement:
    """Judges one event by one limit."""
    return _JUDGES[evidence.limit.kind](evidence)


def _at_most(evidence: Evidence) -> Judgement:
    most = Fraction(max(evidence.candidate.counts))
    limit = evidence.limit.exact_value
    baseline = evidence.baseline.mean if evidence.baseline else None
    return Judgement(most <= limit, baseline, most, f"{rate(most)} counted")


def _change_per_operation(evidence: Evidence) -> Judgement:
    base, cand = evidence.both
    moved, limit = cand.rate - base.rate, evidence.limit
    holds = abs(moved - limit.exact_value) <= limit.exact_tolerance
    return _per_operation(base, cand, _moved(base, cand), holds=holds)


def _ratio_at_most(evidence: Evidence) -> Judgement:
    base, cand = evidence.both
    limit = evidence.limit.exact_value
    holds = cand.rate <= limit * base.rate
    if not base.rate:
        return _per_operation(base, cand, _moved(base, cand), holds=holds)
    ratio = f"{float(cand.rate / base.rate):.6g} of the baseline"
    return _per_operation(base, cand, ratio, holds=holds)


def _worse_by_at_most(evidence: Evidence) -> Judgement:
    base, cand = evidence.both
    return _within(evidence, cand.rate - base.rate)


def _unchanged_within(evidence: Evidence) -> Judgement:
    base, cand = evidence.both
    return _within(evidence, abs(cand.rate - base.rate))


def _within(evidence: Evidence, excess: Fraction) -> Judgement:
    """Whether an excess is explained by chance, too small to matter, or as promised."""
    base, cand = evidence.both
    found = evidence.comparison
    if found is None or not found.decidable:
        reason = "one run cannot tell chance from change on several CPUs; give the plan more runs"
        return _per_operation(base, cand, reason, holds=False)
    matters = excess * _operations(base, cand) >= Fraction(str(evidence.limit.floor))
    exceeds = excess > evidence.limit.exact_value * base.rate
    holds = not (found.significant and matters and exceeds)
    return _per_operation(base, cand, _moved(base, cand), holds=holds)


def _identical(evidence: Evidence) -> Judgement:
    base, cand = evidence.both
    holds = base.counts == cand.counts
    differing = sum(map(int.__ne__, base.counts, cand.counts)) + abs(
        len(base.counts) - len(cand.counts)
    )
    reason = "the same in every run" if holds else f"different in {differing} of the runs"
    return Judgement(holds, base.mean, cand.mean, reason)


_JUDGES: Mapping[Kind, Callable[[Evidence], Judgement]] = {
    Kind.AT_MOST: _at_most,
    Kind.CHANGE_PER_OPERATION: _change_per_operation,
    Kind.RATIO_AT_MOST: _ratio_at_most,
    Kind.WORSE_BY_AT_MOST: _worse_by_at_most,
    Kind.UNCHANGED_WITHIN: _unchanged_within,
    Kind.IDENTICAL: _identical,
}


def _per_operation(base: Sample, cand: Sample, reason: str, *, holds: bool) -> Judgement:
    return Judgement(holds, base.rate, cand.rate, reason)


def _operations(base: Sample, cand: Sample) -> Fraction:
    """Operations of a run, for turning a difference of rates back into counts."""
    every = (*base.operations, *cand.operations)
    return sum(every, Fraction(0)) / len(every)


def _moved(base: Sample, cand: Sample) -> str:
    moved = cand.rate - base.rate
    if not moved:
        return "no change"
    if not base.rate:
        return f"{change(moved)} per operation where the baseline has none"
    share = percent(abs(moved) / base.rate)
    return f"{change(moved)} per operation, {share} {'more' if moved > 0 else 'less'}"
