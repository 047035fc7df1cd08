# SPDX-License-Identifier: GPL-2.0-or-later
"""What ``granule check`` says about one event of one claim."""

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from granule.claims.judge import Unit
from granule.claims.model import Limit


class Verdict(BaseModel):
    """A judgement with all that identifies it.

    ``baseline`` and ``candidate`` are in ``unit``: means of the runs, of a claim
    ``at_most`` the candidate's largest. They are None if there are no runs.
    ``promise`` is the limit in words and ``reason`` what was found instead of it.
    ``run_ids`` are the runs they were recomputed from.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")

    claim: str
    feature: str
    statement: str
    plan: str
    workload: str
    configuration: str
    event: str
    functions: tuple[str, ...] = ()
    baseline_kernel: str
    candidate_kernel: str
    baseline: float | None
    candidate: float | None
    unit: Unit
    limit: Limit
    promise: str
    label: Literal["counted", "timed", "modelled"] = "counted"
    holds: bool
    reason: str
    run_ids: tuple[str, ...]

    @property
    def measured(self) -> bool:
        """Whether there was anything to judge."""
        return self.candidate is not None

    @property
    def claim_name(self) -> str:
        """The claim with the feature it is of."""
        return f"{self.feature}/{self.claim}"
