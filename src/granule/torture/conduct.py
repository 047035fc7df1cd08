# SPDX-License-Identifier: GPL-2.0-or-later
"""Carries one trial out on a candidate, and on its baseline where they are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from granule import kerneltest, ktap
from granule.command import prepare
from granule.errors import GuestError, MachineError
from granule.kernel import Selftests
from granule.kernellog import reports
from granule.progress import Progress
from granule.run import Bootable, Settings, check_started, make_job
from granule.store import KernelRecord
from granule.targets import Outcome, Target
from granule.torture import code
from granule.torture.trial import Trial

# A log that is full forgets its beginning.
_ARGUMENTS = "log_buf_len=16M"
_QUOTED = 200


@dataclass(frozen=True, slots=True)
class Subject:
    """A kernel to try. ``vmlinux`` and ``selftests`` may be missing if it was given.

    ``programs`` are Granule's own for the guest, by name.
    """

    bootable: Bootable
    record: KernelRecord
    vmlinux: Path | None
    selftests: Selftests | None
    features: Mapping[str, str]
    programs: Mapping[str, Path]


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a trial: no failures if it was passed. ``log`` is the candidate's."""

    failures: tuple[str, ...]
    log: Path | None = None


def conduct(
    trial: Trial, baseline: Subject, candidate: Subject, target: Target, progress: Progress
) -> Result:
    """Carries a trial out.

    A candidate that dies or hangs has failed. Raises MachineError if that happens
    to the baseline, of which nothing is to be said.
    """
    if trial.identical_code:
        return _compare_code(baseline, candidate)
    if trial.kernel_tests:
        before = _tested(trial, baseline, target, progress)
        if not before.verdicts:
            raise MachineError(f"Kernel {baseline.bootable.spec} ran no tests.")
        try:
            now = _tested(trial, candidate, target, progress)
        except GuestError as error:
            return _died(error)
        return Result((*now.silent, *_worsened(before, now)), now.log)
    return _run(trial, candidate, target, progress)


def settings(trial: Trial) -> Settings:
    """How its machines are run; nothing is counted."""
    return Settings(
        runs=trial.runs,
        cpus=trial.cpus,
        memory=trial.memory,
        timeout=trial.timeout,
        counting=None,
        kernel_arguments=trial.append,
        exception_level=trial.exception_level,
    )


def _compare_code(baseline: Subject, candidate: Subject) -> Result:
    for subject in (baseline, candidate):
        if subject.vmlinux is None:
            raise MachineError(f"Kernel {subject.bootable.spec} has no vmlinux to compare.")
    assert baseline.vmlinux is not None
    assert candidate.vmlinux is not None
    return Result(tuple(code.differences(baseline.vmlinux, candidate.vmlinux)))


@dataclass(frozen=True, slots=True)
class _Tested:
    """What the tests of a kernel said, by test, and what the kernel complained of.

    ``silent`` are sentences about what its log should say and does not.
    """

    verdicts: Mapping[str, ktap.Verdict]
    reports: Sequence[str]
    silent: Sequence[str]
    log: Path


def _tested(trial: Trial, subject: Subject, target: Target, progress: Progress) -> _Tested:
    with progress.step(f"test {subject.bootable.spec}"):
        outcomes = kerneltest.run_tests(
            target, subject.bootable, subject.selftests, progress, settings=settings(trial)
        )
    results = ktap.majority([kerneltest.results(outcome) for outcome in outcomes])
    complaints = [report for outcome in outcomes for report in reports(outcome.dmesg)]
    return _Tested(
        verdicts={result.name: result.verdict for result in results},
        reports=tuple(dict.fromkeys(complaints)),
        silent=_silent(trial, outcomes),
        log=outcomes[-1].kernel_log,
    )


def _silent(trial: Trial, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Sentences about what a log should say and does not."""
    return tuple(
        f"the kernel's log does not say '{words}'"
        for words in trial.says
        if any(words not in outcome.dmesg for outcome in outcomes)
    )


def _worsened(before: _Tested, now: _Tested) -> list[str]:
    """Tests that passed and do not, and complaints that are new."""
    worse = [
        f"test {name}: {_word(now.verdicts.get(name))}, on the baseline pass"
        for name, verdict in before.verdicts.items()
        if verdict is ktap.Verdict.PASS and now.verdicts.get(name) is not verdict
    ]
    known = set(before.reports)
    return [*worse, *(report for report in now.reports if report not in known)]


def _word(verdict: ktap.Verdict | None) -> str:
    return verdict.value if verdict else "missing"


def _run(trial: Trial, candidate: Subject, target: Target, progress: Progress) -> Result:
    """The command, with its files and programs beside it, and the MTE selftests in ``mte/``."""
    programs = (candidate.programs[name] for name in trial.programs)
    selftests = (candidate.selftests.folder,) if candidate.selftests else ()
    command = prepare(trial.command, (*trial.paths, *programs, *selftests))
    wanted = settings(trial)
    job = make_job(candidate.bootable, command, _with_log(wanted))
    try:
        outcome = target.run(job, progress)
    except GuestError as error:
        return _died(error)
    check_started(outcome, command)
    return Result((*_silent(trial, [outcome]), *_complaints(outcome)), outcome.kernel_log)


def _with_log(wanted: Settings) -> Settings:
    return replace(wanted, kernel_arguments=f"{_ARGUMENTS} {wanted.kernel_arguments}".strip())


def _complaints(outcome: Outcome) -> list[str]:
    """How the command ended, if not well, and all that the kernel complained of."""
    found = reports(outcome.dmesg)
    if not outcome.status.success:
        said = outcome.stderr.decode(errors="replace").strip()[-_QUOTED:]
        found.insert(0, f"the command {outcome.status.describe()}: {said}")
    return found


def _died(error: GuestError) -> Result:
    return Result((error.message.rstrip("."),), error.log)
