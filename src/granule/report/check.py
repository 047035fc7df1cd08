# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule check``: which claims hold."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from pydantic import RootModel

from granule.claims.verdict import Verdict
from granule.errors import ShortfallError
from granule.report.model import Model

_NAMED = 3


class Verdicts(RootModel[tuple[Verdict, ...]]):
    """The JSON: a list, one verdict for each event of each claim."""


class ClaimResult(Model):
    """All verdicts on one claim of a feature."""

    feature: str
    claim: str
    statement: str
    verdicts: tuple[Verdict, ...]

    @property
    def name(self) -> str:
        """The claim with the feature it is of."""
        return f"{self.feature}/{self.claim}"

    @property
    def holds(self) -> bool:
        """Whether every event keeps to it. A claim about nothing holds nothing."""
        return bool(self.verdicts) and all(verdict.holds for verdict in self.verdicts)

    @property
    def kernels(self) -> tuple[str, ...]:
        """Baseline and candidate, as each configuration builds them."""
        pairs = (f"{v.baseline_kernel} → {v.candidate_kernel}" for v in self.verdicts)
        return tuple(dict.fromkeys(pairs))

    @property
    def run_ids(self) -> tuple[str, ...]:
        """All runs it was judged by."""
        return tuple(dict.fromkeys(run for verdict in self.verdicts for run in verdict.run_ids))

    @property
    def broken(self) -> tuple[Verdict, ...]:
        """The verdicts against it."""
        return tuple(verdict for verdict in self.verdicts if not verdict.holds)


class CheckReport(Model):
    """All of ``granule check``. ``unclaimed`` are features that promise nothing."""

    claims: tuple[ClaimResult, ...]
    unclaimed: tuple[str, ...]

    @property
    def verdicts(self) -> Verdicts:
        """Every verdict, those against first."""
        every = [verdict for claim in self.claims for verdict in claim.verdicts]
        return Verdicts(tuple(sorted(every, key=lambda verdict: verdict.holds)))

    @property
    def broken(self) -> tuple[ClaimResult, ...]:
        """The claims that do not hold."""
        return tuple(claim for claim in self.claims if not claim.holds)

    @property
    def kept(self) -> tuple[ClaimResult, ...]:
        """The claims that hold."""
        return tuple(claim for claim in self.claims if claim.holds)

    @property
    def summary(self) -> str:
        """The tally in words."""
        verdicts = sum(len(claim.verdicts) for claim in self.claims)
        counted = f"{verdicts} verdict{'' if verdicts == 1 else 's'}"
        tally = f"{len(self.kept)} of {len(self.claims)} claims hold ({counted})."
        return " ".join([tally, *(f"Feature '{name}' has no claims." for name in self.unclaimed)])


def check_report(verdicts: Sequence[Verdict], unclaimed: Sequence[str] = ()) -> CheckReport:
    """Makes the report; verdicts on one claim stand together."""
    return CheckReport(claims=tuple(_results(verdicts)), unclaimed=tuple(unclaimed))


def require(report: CheckReport) -> None:
    """Raises ShortfallError, which names claims and events, unless everything holds."""
    if report.broken:
        named = "; ".join(_sentence(claim) for claim in report.broken[:_NAMED])
        more = len(report.broken) - _NAMED
        raise ShortfallError(f"{named}{f'; and {more} more' if more > 0 else ''}.")
    if report.unclaimed:
        names = "', '".join(report.unclaimed)
        raise ShortfallError(f"Feature '{names}' has no claims: write [[claim]] in feature.toml.")
    if not report.claims:
        raise ShortfallError("There is no claim to check: no feature promises anything.")


def _results(verdicts: Sequence[Verdict]) -> Iterator[ClaimResult]:
    for (feature, claim, statement), group in groupby(
        verdicts, lambda verdict: (verdict.feature, verdict.claim, verdict.statement)
    ):
        yield ClaimResult(feature=feature, claim=claim, statement=statement, verdicts=tuple(group))


def _sentence(claim: ClaimResult) -> str:
    """Names the events; of a claim that cannot be judged it says why."""
    if unjudged := next((v for v in claim.broken if not v.measured), None):
        return f"claim {claim.name} cannot be judged ({unjudged.event}): {unjudged.reason}"
    events = list(dict.fromkeys(verdict.event for verdict in claim.broken))
    shown = ", ".join(events[:_NAMED]) + (", …" if len(events) > _NAMED else "")
    return f"claim {claim.name} does not hold: {shown}"
