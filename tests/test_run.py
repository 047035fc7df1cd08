# SPDX-License-Identifier: GPL-2.0-or-later
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from granule.command import Command
from granule.errors import GuestError, MachineError, ShortfallError, UsageError
from granule.progress import SilentProgress
from granule.run import Bootable, Settings, check_log, check_success, make_shell_job, measure
from granule.targets import Counting, FakeTarget, Outcome

Play = Callable[..., Outcome]

COMMAND = Command(("mybench", "-n", "3"))
WARN = (Path(__file__).parent / "data" / "dmesg-6.12-warn.txt").read_text()
QUIET, _, _ = WARN.partition("<4>")


def test_runs_of_two_kernels_share_their_seeds(bootable: Bootable, play: Play) -> None:
    outcomes = [play({"instructions": (n, n)}) for n in range(6)]
    target = FakeTarget(outcomes)
    other = replace(bootable, spec="other")
    # One after the other, so that the recordings are played in order.
    settings = Settings(runs=3, cpus=2)
    base, cand = measure(target, [bootable, other], COMMAND, settings, SilentProgress())
    assert [job.seed for job in target.jobs] == [1, 1, 2, 2, 3, 3]
    assert base.outcomes == tuple(outcomes[0::2])
    assert cand.outcomes == tuple(outcomes[1::2])
    assert cand.bootable.spec == "other"


def test_one_cpu_is_repeatable_and_several_are_not(bootable: Bootable, play: Play) -> None:
    for cpus, repeatable in ((1, True), (4, False)):
        target = FakeTarget([play()])
        measure(target, [bootable], COMMAND, Settings(cpus=cpus), SilentProgress())
        assert target.jobs[0].repeatable is repeatable
        assert target.jobs[0].cpus == cpus


def test_a_profile_asks_for_symbols(bootable: Bootable, play: Play) -> None:
    for profile in (True, False):
        target = FakeTarget([play()])
        settings = Settings(counting=Counting(profile=profile))
        measure(target, [bootable], COMMAND, settings, SilentProgress())
        assert target.jobs[0].request.symbols is profile


def test_a_command_that_is_not_there(bootable: Bootable, play: Play) -> None:
    with pytest.raises(UsageError, match=r"no program 'mybench'.*--copy.*userland\.toml"):
        measure(
            FakeTarget([play(status="exec 2")]), [bootable], COMMAND, Settings(), SilentProgress()
        )


def test_a_command_that_cannot_be_executed(bootable: Bootable, play: Play) -> None:
    with pytest.raises(UsageError, match="could not be started: Exec format error"):
        measure(
            FakeTarget([play(status="exec 8")]), [bootable], COMMAND, Settings(), SilentProgress()
        )


def test_an_init_that_fails_is_the_machine_s_fault(bootable: Bootable, play: Play) -> None:
    with pytest.raises(GuestError, match="before the command: cannot mount"):
        measure(
            FakeTarget([play(status="init cannot mount /")]),
            [bootable],
            COMMAND,
            Settings(),
            SilentProgress(),
        )


def test_a_kernel_without_symbols_is_told_from_an_init_that_fails(
    bootable: Bootable, play: Play
) -> None:
    status = "init cannot copy /proc/kallsyms to /output/kallsyms: No such file or directory"
    target = FakeTarget([play(status=status)])
    with pytest.raises(GuestError, match="CONFIG_KALLSYMS=y"):
        measure(target, [bootable], COMMAND, Settings(symbols=True), SilentProgress())


@pytest.mark.parametrize(
    ("status", "words"), [("exit 3", "exited with 3"), ("signal 11", "killed by signal 11")]
)
def test_a_command_that_fails_falls_short(
    bootable: Bootable, play: Play, status: str, words: str
) -> None:
    target = FakeTarget([play(), play(status=status)])
    settings = Settings(runs=2, cpus=2)
    (measured,) = measure(target, [bootable], COMMAND, settings, SilentProgress())
    with pytest.raises(ShortfallError, match=words) as caught:
        check_success(measured)
    assert caught.value.details == "mybench: no memory\n"


def test_a_kernel_that_complains_in_one_run_falls_short(bootable: Bootable, play: Play) -> None:
    for dmesg, tolerate, short in ((QUIET, False, False), (WARN, True, False), (WARN, False, True)):
        target = FakeTarget([play(), play(dmesg=dmesg)])
        settings = Settings(runs=2, cpus=2, tolerate_reports=tolerate)
        (measured,) = measure(target, [bootable], COMMAND, settings, SilentProgress())
        assert target.jobs[1].tolerate_reports is tolerate
        if not short:
            check_log(measured)
            continue
        with pytest.raises(ShortfallError, match="Kernel debian complained") as caught:
            check_log(measured)
        assert caught.value.log == measured.outcomes[1].kernel_log


def test_the_first_failure_stops_the_others(bootable: Bootable, play: Play) -> None:
    target = FakeTarget([play(), MachineError("the disk is full"), play()])
    with pytest.raises(MachineError, match="the disk is full"):
        measure(target, [bootable], COMMAND, Settings(runs=3), SilentProgress())
    assert target.stopped


def test_a_shell_counts_nothing(bootable: Bootable) -> None:
    job = make_shell_job(bootable, COMMAND, Settings())
    assert job.request.shell
    assert job.request.argv == COMMAND.argv
    assert job.counting is None
    assert not job.repeatable
