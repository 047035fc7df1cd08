# SPDX-License-Identifier: GPL-2.0-or-later
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from granule import plan as plans
from granule.errors import MachineError, ShortfallError, UsageError
from granule.events import ByLevel, Region
from granule.execute import Executed, execute
from granule.findings import find
from granule.lab import FakeLab
from granule.plan import Plan
from granule.progress import SilentProgress, Step
from granule.run import Bootable
from granule.store import RunRecord, Store
from granule.targets import FakeTarget, Outcome

Play = Callable[..., Outcome]
Remember = Callable[..., RunRecord]

# Two CPUs: one machine at a time, so that the recordings are played in order.
PLAN = """
title = "Try"
baseline = "linux-6.12"
kernels = ["linux-6.12", "linux-7.3"]

[[configuration]]
name = "plain"
cpus = 2

[[workload]]
name = "mybench"
command = ["mybench"]
runs = 2
operations = 'did (\\S+) things'
"""


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    path = tmp_path / "try.toml"
    path.write_text(PLAN)
    return plans.parse(path)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "runs.sqlite")


@pytest.fixture
def lab(bootable: Bootable, remember: Remember) -> FakeLab:
    return FakeLab(bootable, remember({}).kernel)


@pytest.fixture
def good(play: Play) -> Callable[[int], Outcome]:
    def outcome(number: int, stdout: bytes = b"did 1,000 things\n") -> Outcome:
        return replace(play({"isb": (0, number)}, cpus=2), stdout=stdout)

    return outcome


def _isbs(plan: Plan, lab: FakeLab, store: Store) -> list[list[int]]:
    return [
        [run.regions[0].events["isb"].k for run in finding.runs]
        for finding in find(plan, lab, store)
    ]


def test_all_that_is_missing_is_run_and_nothing_twice(
    plan: Plan, lab: FakeLab, store: Store, good: Callable[[int], Outcome]
) -> None:
    target = FakeTarget([good(1), good(2), good(3), good(4)])
    assert execute([plan], lab, target, store, SilentProgress()) == Executed(4, 0)
    assert [job.seed for job in target.jobs] == [1, 2, 1, 2]
    assert _isbs(plan, lab, store) == [[1, 2], [3, 4]]
    assert execute([plan], lab, FakeTarget([]), store, SilentProgress()) == Executed(0, 4)
    assert lab.built == ["linux-6.12", "linux-7.3"]


def test_an_interrupted_plan_goes_on_where_it_was(
    plan: Plan, lab: FakeLab, store: Store, good: Callable[[int], Outcome]
) -> None:
    broken = FakeTarget([good(1), good(2), good(3), MachineError("QEMU was killed.")])
    with pytest.raises(MachineError, match="killed"):
        execute([plan], lab, broken, store, SilentProgress())
    assert broken.stopped
    assert _isbs(plan, lab, store) == [[1, 2], [3]]
    target = FakeTarget([good(4)])
    assert execute([plan], lab, target, store, SilentProgress()) == Executed(1, 3)
    assert target.jobs[0].seed == 2
    assert _isbs(plan, lab, store) == [[1, 2], [3, 4]]


def test_an_interrupt_keeps_what_has_ended(
    plan: Plan, lab: FakeLab, store: Store, good: Callable[[int], Outcome]
) -> None:
    class Interrupting(SilentProgress):
        steps = 0

        @contextmanager
        def step(self, title: str) -> Iterator[Step]:
            if title.startswith("run "):
                self.steps += 1
            if self.steps == 3:
                raise KeyboardInterrupt
            with super().step(title) as step:
                yield step

    target = FakeTarget([good(1), good(2), good(3)])
    with pytest.raises(KeyboardInterrupt):
        execute([plan], lab, target, store, Interrupting())
    assert target.stopped
    assert _isbs(plan, lab, store)[0] == [1, 2]


def test_equal_runs_of_two_plans_are_run_once(
    plan: Plan, lab: FakeLab, store: Store, good: Callable[[int], Outcome]
) -> None:
    target = FakeTarget([good(n) for n in range(4)])
    assert execute([plan, plan], lab, target, store, SilentProgress()) == Executed(4, 4)


def test_a_changed_kernel_is_measured_again(
    plan: Plan, lab: FakeLab, store: Store, good: Callable[[int], Outcome]
) -> None:
    execute([plan], lab, FakeTarget([good(n) for n in range(4)]), store, SilentProgress())
    lab.patched = "with another patch"
    assert [finding.missing for finding in find(plan, lab, store)] == [2, 2]
    again = FakeTarget([good(n) for n in range(4)])
    assert execute([plan], lab, again, store, SilentProgress()) == Executed(4, 0)


@pytest.mark.parametrize(
    ("stdout", "words"),
    [
        (b"", "does not say how many operations"),
        (b"did nothing\n", "does not say how many operations"),
        (b"did many things\n", "'many' operations, which is no number"),
        (b"did 0 things\n", "does not say how many operations"),
        (b"did nan things\n", "'nan' operations, which is no number"),
    ],
)
def test_a_run_that_does_not_say_what_it_did_is_not_kept(
    plan: Plan,
    lab: FakeLab,
    store: Store,
    good: Callable[..., Outcome],
    stdout: bytes,
    words: str,
) -> None:
    with pytest.raises(ShortfallError, match=words):
        execute([plan], lab, FakeTarget([good(1, stdout)]), store, SilentProgress(), 1)
    assert _isbs(plan, lab, store) == [[], []]


def test_a_command_that_fails_is_not_kept(
    plan: Plan, lab: FakeLab, store: Store, play: Play
) -> None:
    target = FakeTarget([play({"isb": (0, 1)}, status="exit 3", cpus=2)])
    with pytest.raises(ShortfallError, match=r"'mybench' exited with 3 \(mybench on linux-6\.12"):
        execute([plan], lab, target, store, SilentProgress())
    with pytest.raises(UsageError, match="no program 'mybench'"):
        execute([plan], lab, FakeTarget([play(status="exec 2")]), store, SilentProgress())
    assert _isbs(plan, lab, store) == [[], []]


def test_a_region_that_was_not_reached_is_named(
    tmp_path: Path, lab: FakeLab, store: Store, good: Callable[[int], Outcome]
) -> None:
    path = tmp_path / "loop.toml"
    path.write_text(f'{PLAN}region = "loop"\n')
    with pytest.raises(ShortfallError, match=r"its region 'loop'; the regions .* are: command"):
        execute([plans.parse(path)], lab, FakeTarget([good(1)]), store, SilentProgress())


def test_a_profile_and_the_iterations_are_kept(
    tmp_path: Path, lab: FakeLab, store: Store, play: Play
) -> None:
    path = tmp_path / "loop.toml"
    text = PLAN.replace("runs = 2", 'region = "loop"\nprofile = true')
    text = text.replace("'did (\\S+) things'", '"iterations"')
    path.write_text(text.replace(', "linux-7.3"', ""))
    loop = Region(
        name="loop",
        opened=1,
        closed=1,
        events={"isb": ByLevel(k=3)},
        iterations=(ByLevel(u=2, k=60), ByLevel(u=2, k=900), ByLevel(u=2, k=60)),
    )
    outcome = play(
        {"isb": (0, 9)},
        regions=[loop],
        cpus=2,
        places=[("k", 0x2000, {"isb": 5}), ("k", 0x1000, {"isb": 4})],
    )
    plan = plans.parse(path)
    target = FakeTarget([outcome])
    execute([plan], lab, target, store, SilentProgress())
    (run,) = next(iter(find(plan, lab, store))).runs
    assert target.jobs[0].request.symbols
    command, kept = run.regions
    assert kept.iterations == {ByLevel(u=2, k=60): 2, ByLevel(u=2, k=900): 1}
    assert kept.iteration_count == 3
    assert command.functions == {"__arm64_sys_getpid": {"isb": 5}, "el0_svc": {"isb": 4}}
