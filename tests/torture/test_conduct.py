# SPDX-License-Identifier: GPL-2.0-or-later
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.torture.conftest import Kernel

from granule.errors import GuestError, MachineError
from granule.progress import SilentProgress
from granule.targets import FakeTarget, Outcome
from granule.torture import Trial
from granule.torture.conduct import Result, conduct

Play = Callable[..., Outcome]

TESTS = """\
<6>[    0.500000] KTAP version 1
<6>[    0.500001] 1..1
<6>[    0.500002]     KTAP version 1
<6>[    0.500003]     # Subtest: kasan
<6>[    0.500004]     1..2
<3>[    0.500005] BUG: KASAN: invalid-access in oob+0x10/0x20
<6>[    0.500006]     ok 1 oob
<6>[    0.500007]     {verdict} 2 tags
<6>[    0.500008] ok 1 kasan
"""
PASSED = TESTS.format(verdict="ok")
FAILED = TESTS.format(verdict="not ok")
WARNED = PASSED + "<4>[   9.1] WARNING: CPU: 1 PID: 9 at mm/slub.c:7 new_slab+0x1/0x2\n"


@pytest.fixture
def hold(kernel: Kernel, trials: dict[str, Trial]) -> Callable[..., Result]:
    """Holds a trial with recordings for the baseline, where it is booted, and the candidate."""

    def result(name: str, *outcomes: Outcome | GuestError) -> Result:
        target = FakeTarget(outcomes)
        return conduct(
            trials[name], kernel("linux-6.12"), kernel("linux-6.12+tags"), target, SilentProgress()
        )

    return result


@pytest.mark.parametrize(
    ("before", "now", "failures"),
    [
        (PASSED, PASSED, ()),
        (FAILED, FAILED, ()),
        (FAILED, PASSED, ()),
        (PASSED, FAILED, ("test kasan / tags: fail, on the baseline pass",)),
        (PASSED, WARNED, ("WARNING: mm/slub.c:N new_slab",)),
        (WARNED, PASSED, ()),
        (
            PASSED,
            "",
            (
                "test kasan / oob: missing, on the baseline pass",
                "test kasan / tags: missing, on the baseline pass",
            ),
        ),
    ],
)
def test_the_tests_are_compared_with_the_baseline(
    hold: Callable[..., Result], play: Play, before: str, now: str, failures: tuple[str, ...]
) -> None:
    outcome = play()
    result = hold("debug", replace(outcome, dmesg=before), replace(outcome, dmesg=now))
    assert result.failures == failures
    assert result.log == outcome.kernel_log


@pytest.mark.parametrize(("name", "log"), [("debug", PASSED), ("race", "")])
def test_a_log_that_lacks_what_it_should_say_fails_the_trial(
    trials: dict[str, Trial], kernel: Kernel, play: Play, name: str, log: str
) -> None:
    trial = trials[name].model_copy(update={"says": ("Lock dependency validator",)})

    def failures(log: str) -> tuple[str, ...]:
        outcome = replace(play(), dmesg=log)
        target = FakeTarget([outcome, outcome])
        kernels = kernel("linux-6.12"), kernel("linux-6.12+tags")
        return conduct(trial, *kernels, target, SilentProgress()).failures

    assert failures("Lock dependency validator: Copyright (c) 2006 Red Hat\n" + log) == ()
    assert failures(log) == ("the kernel's log does not say 'Lock dependency validator'",)


def test_a_candidate_that_dies_has_failed_and_a_baseline_has_not(
    hold: Callable[..., Result], play: Play
) -> None:
    death = GuestError("The kernel failed: Kernel panic - not syncing: Oops.")
    result = hold("debug", replace(play(), dmesg=PASSED), death)
    assert result.failures == ("The kernel failed: Kernel panic - not syncing: Oops",)
    with pytest.raises(GuestError):
        hold("debug", death)


def test_a_baseline_without_tests_tells_nothing(hold: Callable[..., Result], play: Play) -> None:
    with pytest.raises(MachineError, match="ran no tests"):
        hold("debug", play(), play())


def test_a_command_may_neither_fail_nor_make_the_kernel_complain(
    hold: Callable[..., Result], play: Play
) -> None:
    assert hold("race", play()).failures == ()
    assert hold("race", play(status="exit 1")).failures == (
        "the command exited with 1: mybench: no memory",
    )
    lockdep = "<4>[  3.1] WARNING: inconsistent lock state\n"
    assert hold("race", replace(play(), dmesg=lockdep)).failures == (
        "WARNING: inconsistent lock state",
    )


def test_a_command_has_its_files_programs_and_the_selftests_beside_it(
    kernel: Kernel, trials: dict[str, Trial], play: Play
) -> None:
    target = FakeTarget([play()])
    subject = kernel("linux-6.12+tags")
    trial = trials["race"].model_copy(update={"programs": ("swap-race",)})
    conduct(trial, kernel("linux-6.12"), subject, target, SilentProgress())
    (job,) = target.jobs
    assert [path.name for path in job.request.copies] == ["race.sh", "swap-race", "mte"]
    assert (job.cpus, job.repeatable, job.counting) == (4, False, None)
    assert not job.tolerate_reports


def test_a_kernel_without_vmlinux_cannot_be_compared(
    kernel: Kernel, trials: dict[str, Trial]
) -> None:
    trial = trials["debug"].model_copy(update={"kernel_tests": False, "identical_code": True})
    one, two = kernel("linux-6.12"), kernel("linux-6.12+tags")
    with pytest.raises(MachineError, match="no vmlinux"):
        conduct(trial, one, two, FakeTarget([]), SilentProgress())
