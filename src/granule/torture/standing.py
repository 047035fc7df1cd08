# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether what is recorded of a feature's trials stands with its patches of today."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from granule.features import Feature, Library
from granule.torture import record as records
from granule.torture.identity import identity
from granule.torture.record import Record
from granule.torture.trial import Trial, pick

State = Literal["passed", "failed", "stale", "missing"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One trial of one feature, whose identity today is ``patches``."""

    feature: Feature
    trial: Trial
    patches: str
    record: Record | None

    @property
    def state(self) -> State:
        """What can be said today."""
        if self.record is None:
            return "missing"
        if (self.record.patches, self.record.trial) != (self.patches, self.trial.digest):
            return "stale"
        return "passed" if self.record.verdict == "pass" else "failed"

    @property
    def is_due(self) -> bool:
        """Whether the trial has no result that is about today's patches."""
        return self.state in ("stale", "missing")

    @property
    def reason(self) -> str:
        """The state in words, with the command that mends it."""
        command = f"granule torture {self.feature.name}"
        match self.state, self.record:
            case "stale", Record(patches=tried, date=date):
                what = "patches" if tried != self.patches else "trial"
                return f"the {what} changed since the trial of {date}: {command}"
            case "failed", Record(failures=failures):
                again = f"{command} --again"
                return f"{'; '.join(failures)}: mend it and run '{again}'"
            case "passed", Record(date=date):
                return f"passed on {date}"
            case _:
                return f"not tried: {command}"


def standings(
    library: Library, names: Sequence[str], trials: Mapping[str, Trial]
) -> tuple[Standing, ...]:
    """Every trial of these features, in their order; raises UsageError and FormatError."""
    return tuple(
        standing for name in names for standing in _of(library.load(name), library, trials)
    )


def _of(feature: Feature, library: Library, trials: Mapping[str, Trial]) -> list[Standing]:
    named = pick(trials, feature.about.torture, feature.name)
    if not named:
        return []
    today = identity(feature, library)
    kept = records.read(feature.folder)
    return [Standing(feature, trial, today, kept.get(trial.name)) for trial in named]
