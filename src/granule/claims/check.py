# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges claims by what is in the store: one verdict for each event, from raw counts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from granule.claims.feature import FeatureClaims
from granule.claims.judge import Evidence, Judgement, judge, promise, unit_of
from granule.claims.model import Claim
from granule.claims.verdict import Verdict
from granule.errors import ShortfallError, UsageError
from granule.events import BOTH, Catalog, Level, Selection
from granule.findings import Finding, Findings
from granule.samples import EventAtLevel, Sample, Samples
from granule.stats import Comparison, compare_all

_LEVELS: tuple[Level, ...] = ("u", "k")


@dataclass(frozen=True, slots=True)
class Promise:
    """A claim of a feature in one cell of its plan."""

    feature: str
    claim: Claim
    workload: str
    configuration: str


def check(
    features: Sequence[FeatureClaims], findings: Mapping[str, Findings], catalog: Catalog
) -> tuple[Verdict, ...]:
    """Verdicts on every claim whose plan is among the findings, in the order of the features.

    Raises UsageError for a claim about an event or a cell that does not exist.
    """
    return tuple(
        verdict
        for feature in features
        for claim in feature.claims
        if claim.plan in findings
        for verdict in _check_claim(feature.feature, claim, findings[claim.plan], catalog)
    )


def _check_claim(
    feature: str, claim: Claim, findings: Findings, catalog: Catalog
) -> Iterator[Verdict]:
    for workload in claim.workloads:
        for configuration in claim.configurations:
            promise = Promise(feature, claim, workload, configuration)
            yield from _Trial(promise, findings, catalog).verdicts()


class _Trial:
    """One promise with its measurements."""

    def __init__(self, promise: Promise, findings: Findings, catalog: Catalog) -> None:
        self._promise = promise
        self._claim = promise.claim
        self._catalog = catalog
        self._plan = findings.plan
        kernels = self._plan.baseline, self._plan.candidate_of(promise.feature)
        self._baseline = _found(findings, kernels[0], promise)
        self._candidate = _found(findings, kernels[1], promise)
        self._workload = self._candidate.cell.workload

    def verdicts(self) -> list[Verdict]:
        """One for each event."""
        try:
            if lack := self._lack():
                return self._not_judged(lack)
            return self._judged()
        except ShortfallError as error:
            return self._not_judged(error.message)
        except UsageError as error:
            raise UsageError(f"{self._name}: {error.message}") from error

    @property
    def _name(self) -> str:
        return f"Claim '{self._claim.name}' of feature '{self._promise.feature}'"

    def _lack(self) -> str:
        """A sentence about what is missing for a judgement; empty if nothing is."""
        sides = [self._candidate]
        if self._claim.limit.kind.needs_baseline:
            sides.insert(0, self._baseline)
        for side in sides:
            if not side.complete:
                return f"not measured on {side.cell.spec}: {self._plan.command}"
            if side.doubts:
                return f"doubtful on {side.cell.spec}: {side.doubts[0]}"
        if self._claim.functions and not self._workload.profile:
            return f"workload '{self._workload.name}' of the plan needs 'profile = true'"
        return ""

    def _judged(self) -> list[Verdict]:
        cand = Samples(self._candidate, self._claim.functions)
        base = Samples(self._baseline, self._claim.functions) if self._baseline.complete else None
        sides = [cand, base] if base else [cand]
        if self._claim.functions and not any(side.seen for side in sides):
            names = ", ".join(self._claim.functions)
            return self._not_judged(f"neither kernel executed {names}: renamed or inlined?")
        events = self._events(frozenset().union(*(side.leaves for side in sides)))
        samples = {
            event: (base.sample(event) if base else None, cand.sample(event)) for event in events
        }
        compared = self._compare(samples)
        return [
            self._verdict(
                str(event), judge(Evidence(self._claim.limit, *pair, compared.get(event)))
            )
            for event, pair in samples.items()
        ]

    def _compare(
        self, samples: Mapping[EventAtLevel, tuple[Sample | None, Sample]]
    ) -> Mapping[EventAtLevel, Comparison]:
        rates = {
            event: ([float(rate) for rate in base.rates], [float(rate) for rate in cand.rates])
            for event, (base, cand) in samples.items()
            if base
        }
        repeatable = all(run.repeatable for run in (*self._baseline.runs, *self._candidate.runs))
        return compare_all(rates, repeatable=repeatable)

    def _events(self, leaves: frozenset[str]) -> list[EventAtLevel]:
        """What the claim is about, without its exceptions."""
        left_out = {
            (leaf, level)
            for event in self._select(self._claim.exceptions or (), leaves)
            for leaf, level in _leaves(event)
        }
        return [
            event
            for event in self._select(self._claim.events, leaves)
            if not event.selection.leaves or set(_leaves(event)) - left_out
        ]

    def _select(self, expressions: Sequence[str], leaves: frozenset[str]) -> list[EventAtLevel]:
        """A glob nothing was counted for stands for itself: none of it is an answer too."""
        found: dict[EventAtLevel, None] = {}
        for expression in expressions:
            selections = self._catalog.select([expression], leaves)
            for selection in selections or (_nothing(expression),):
                plain = replace(selection, levels=BOTH)
                for level in self._levels(selection):
                    found.setdefault(EventAtLevel(plain, level))
        return list(found)

    def _levels(self, selection: Selection) -> list[Level]:
        """Functions are the kernel's, so of them only EL1 is known."""
        return [
            level
            for level in _LEVELS
            if level in selection.levels and (level == "k" or not self._claim.functions)
        ]

    def _not_judged(self, reason: str) -> list[Verdict]:
        return [self._verdict(event, None, reason) for event in self._claim.events]

    def _verdict(self, event: str, found: Judgement | None, reason: str = "") -> Verdict:
        runs = (*self._baseline.runs, *self._candidate.runs) if found else ()
        return Verdict(
            claim=self._claim.name,
            feature=self._promise.feature,
            statement=self._claim.statement,
            plan=self._plan.name,
            workload=self._promise.workload,
            configuration=self._promise.configuration,
            event=event,
            functions=self._claim.functions or (),
            baseline_kernel=self._baseline.cell.spec,
            candidate_kernel=self._candidate.cell.spec,
            baseline=_float(found.baseline) if found else None,
            candidate=_float(found.candidate) if found else None,
            unit=unit_of(self._claim.limit.kind),
            limit=self._claim.limit,
            promise=promise(self._claim.limit),
            holds=found.holds if found else False,
            reason=found.reason if found else reason,
            run_ids=tuple(dict.fromkeys(run.id for run in runs)),
        )


def _found(findings: Findings, kernel: str, promise: Promise) -> Finding:
    found = findings.of(kernel, promise.configuration, promise.workload)
    if found is None:
        raise UsageError(
            f"Claim '{promise.claim.name}' of feature '{promise.feature}' is about workload "
            f"'{promise.workload}' in configuration '{promise.configuration}', which plan "
            f"'{findings.plan.name}' does not measure on {kernel}."
        )
    return found


def _leaves(event: EventAtLevel) -> list[tuple[str, Level]]:
    return [(leaf, event.level) for leaf in event.selection.leaves]


def _nothing(expression: str) -> Selection:
    name, _, level = expression.partition(":")
    levels = frozenset(each for each in _LEVELS if each in level) if level else BOTH
    return Selection(name, (), levels)


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
