# SPDX-License-Identifier: GPL-2.0-or-later
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from granule.command import Command
from granule.errors import GuestError
from granule.progress import SilentProgress
from granule.run import Bootable, Settings, make_job
from granule.targets import Counting, FakeTarget, Job, Outcome, RememberingTarget

Play = Callable[..., Outcome]


@pytest.fixture
def job(bootable: Bootable, tmp_path: Path) -> Job:
    kernel, init, userland = (tmp_path / name for name in ("kernel", "init", "userland"))
    for path in (kernel, init, userland):
        path.write_text(path.name)
    real = replace(bootable, kernel=kernel, init=init, userland=userland)
    return make_job(real, Command(("true",)), Settings())


@pytest.fixture
def two(play: Play) -> tuple[Outcome, Outcome]:
    """Two outcomes that differ, the first with bytes that are no text."""
    first = replace(play({"instructions": (1, 2)}), stdout=b"\xff\x00")
    return first, replace(first, stdout=b"another")


def _run(job: Job, target: FakeTarget, folder: Path, machine: str = "a machine") -> Outcome:
    return RememberingTarget(target, folder, machine).run(job, SilentProgress())


def test_the_same_again_is_not_run_again(
    job: Job, two: tuple[Outcome, Outcome], tmp_path: Path
) -> None:
    target = FakeTarget(two)
    assert _run(job, target, tmp_path) == two[0]
    assert _run(job, target, tmp_path) == two[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda job: replace(job, seed=2),
        lambda job: replace(job, counting=None),
        lambda job: replace(job, counting=Counting(verify=True)),
        lambda job: replace(job, kernel_arguments="kasan.mode=async"),
        lambda job: replace(job, request=replace(job.request, argv=("false",))),
    ],
)
def test_whatever_decides_the_outcome_is_looked_at(
    change: Callable[[Job], Job], job: Job, two: tuple[Outcome, Outcome], tmp_path: Path
) -> None:
    target = FakeTarget(two)
    _run(job, target, tmp_path)
    assert _run(change(job), target, tmp_path) == two[1]


def test_another_kernel_under_the_same_name_is_run(
    job: Job, two: tuple[Outcome, Outcome], tmp_path: Path
) -> None:
    target = FakeTarget(two)
    _run(job, target, tmp_path)
    job.kernel.write_bytes(b"patched")
    assert _run(job, target, tmp_path) == two[1]


def test_another_machine_is_asked(job: Job, two: tuple[Outcome, Outcome], tmp_path: Path) -> None:
    target = FakeTarget(two)
    _run(job, target, tmp_path)
    assert _run(job, target, tmp_path, "a newer machine") == two[1]


def test_what_chance_decides_is_run_every_time(
    job: Job, two: tuple[Outcome, Outcome], tmp_path: Path
) -> None:
    target, by_chance = FakeTarget(two), replace(job, cpus=2, repeatable=False)
    assert [_run(by_chance, target, tmp_path) for _ in two] == list(two)


def test_a_failure_is_not_remembered(
    job: Job, two: tuple[Outcome, Outcome], tmp_path: Path
) -> None:
    target = FakeTarget([GuestError("It panicked."), two[0]])
    with pytest.raises(GuestError):
        _run(job, target, tmp_path)
    assert _run(job, target, tmp_path) == two[0]
