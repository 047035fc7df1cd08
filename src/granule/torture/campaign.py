# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds every trial that has no result for today's patches, and keeps each as it ends."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from granule.errors import MachineError, UsageError
from granule.features import Library
from granule.progress import Progress
from granule.store import KernelRecord, Store, TrialRecord, trial_key
from granule.targets import Target
from granule.torture import record as records
from granule.torture.conduct import Subject, conduct
from granule.torture.grounds import Grounds
from granule.torture.identity import identity
from granule.torture.record import Record, Side
from granule.torture.standing import Standing


@dataclass(frozen=True, slots=True)
class Campaign:
    """Where trials are held and what is written down of them.

    ``candidate`` is the SPEC, without fragments, of a kernel with all features to
    try at once; ``again`` holds trials that have a result already.
    """

    library: Library
    grounds: Grounds
    target: Target
    store: Store
    progress: Progress
    candidate: str
    again: bool = False

    def run(self, standings: Sequence[Standing]) -> int:
        """Holds the trials that are due; returns how many there were.

        A trial that several features name is held once for all of them. An
        interrupted call loses only the trial under way.
        """
        self._check_candidate(standings)
        due = [each for each in standings if each.is_due or self.again]
        names = tuple(dict.fromkeys(each.trial.name for each in due))
        for number, name in enumerate(names, 1):
            title = f"trial {number} of {len(names)}: {name}"
            with self.progress.step(title):
                self._hold([each for each in due if each.trial.name == name])
        return len(names)

    def _check_candidate(self, standings: Sequence[Standing]) -> None:
        there = self.grounds.features(self.candidate)
        for each in standings:
            if each.feature.name not in there:
                raise UsageError(
                    f"Kernel '{self.candidate}' has no feature '{each.feature.name}': name a "
                    "candidate with it, or other features to try."
                )

    def _hold(self, standings: Sequence[Standing]) -> None:
        """One trial, for all features that it is due for."""
        first = standings[0]
        baseline = f"linux-{first.feature.about.base}"
        kernels = (
            self.grounds.subject(first.trial.spec(baseline), self.progress),
            self.grounds.subject(first.trial.spec(self.candidate), self.progress),
        )
        for each in standings:
            _check_unchanged(each, kernels[1])
        trial = self._known(first, *kernels) or self._held(first, *kernels)
        features = self._identities(kernels[1])
        for each in standings:
            records.write(each.feature.folder, each.trial.name, _record(each, trial, features))

    def _known(
        self, standing: Standing, baseline: Subject, candidate: Subject
    ) -> TrialRecord | None:
        """The result of an earlier trial of the very same kernels."""
        identities = baseline.record.identity, candidate.record.identity
        key = trial_key(standing.trial.digest, *identities)
        return None if self.again else self.store.find_trial(key)

    def _held(self, standing: Standing, baseline: Subject, candidate: Subject) -> TrialRecord:
        began, start = datetime.now(UTC), time.monotonic()
        result = conduct(standing.trial, baseline, candidate, self.target, self.progress)
        trial = TrialRecord(
            trial=standing.trial.digest,
            name=standing.trial.name,
            baseline=baseline.record,
            candidate=candidate.record,
            failures=result.failures,
            log=str(result.log or ""),
            time=began,
            wall=time.monotonic() - start,
            host=self.grounds.host,
        )
        self.store.keep_trial(trial)
        return trial

    def _identities(self, candidate: Subject) -> dict[str, str]:
        return {
            name: identity(self.library.load(name), self.library)
            for name in sorted(candidate.features)
        }


def _check_unchanged(standing: Standing, candidate: Subject) -> None:
    """Raises MachineError if a patch was edited while the kernel was built."""
    feature = standing.feature
    if candidate.features.get(feature.name) != feature.digest:
        raise MachineError(
            f"Feature '{feature.name}' was changed while its kernel was built: "
            "run 'granule torture' again."
        )


def _record(standing: Standing, trial: TrialRecord, features: dict[str, str]) -> Record:
    return Record(
        patches=standing.patches,
        trial=trial.trial,
        verdict="fail" if trial.failures else "pass",
        failures=trial.failures,
        date=trial.time.date(),
        baseline=_side(trial.baseline),
        candidate=_side(trial.candidate),
        features=features,
    )


def _side(kernel: KernelRecord) -> Side:
    return Side(spec=kernel.spec, release=kernel.release, identity=kernel.identity)
