# SPDX-License-Identifier: GPL-2.0-or-later
"""Verdicts on the trials a feature names: no claim holds that outlived its torture.

They have the shape of the other verdicts: the event ``failures`` of a workload that
has the name of the trial, of which the candidate may have none.
"""

from collections.abc import Sequence

from granule.claims.judge import promise
from granule.claims.model import Kind, Limit
from granule.claims.verdict import Verdict
from granule.torture import Standing

_LIMIT = Limit(kind=Kind.AT_MOST, value=0)


def torture_verdicts(standings: Sequence[Standing]) -> tuple[Verdict, ...]:
    """One for each trial of each feature."""
    return tuple(map(_verdict, standings))


def _verdict(standing: Standing) -> Verdict:
    feature, trial, record = standing.feature, standing.trial, standing.record
    plain = f"linux-{feature.about.base}"
    return Verdict(
        claim=f"torture-{trial.name}",
        feature=feature.name,
        statement=trial.statement,
        plan="torture",
        workload=trial.name,
        configuration=",".join(trial.fragments),
        event="failures",
        baseline_kernel=record.baseline.spec if record else trial.spec(plain),
        candidate_kernel=(
            record.candidate.spec if record else trial.spec(f"{plain}+{feature.name}")
        ),
        baseline=None,
        candidate=None if standing.is_due or not record else float(len(record.failures)),
        unit="counts",
        limit=_LIMIT,
        promise=promise(_LIMIT),
        holds=standing.state == "passed",
        reason=standing.reason,
        run_ids=(),
    )
