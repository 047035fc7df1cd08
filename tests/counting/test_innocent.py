# SPDX-License-Identifier: GPL-2.0-or-later
"""Counting changes nothing the guest can see.

The kernel's own tests of memory tagging know best what must fault and what must
not, so they give the same verdicts, test by test, with the counters on and off.
"""

import functools
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.counting.conftest import regions

from granule import kerneltest, ktap, provision
from granule.command import Command
from granule.kerneltest import KernelTestReport
from granule.progress import SilentProgress
from granule.run import Settings, make_job
from granule.targets import Counting, Outcome

pytestmark = pytest.mark.machine

USER = "linux-6.12:mte-user"
KASAN = "linux-6.12:kasan-hw"
MODES = ("sync", "async", "asymm")

RUNS = 3
"""Chance decides some of KASAN's tests; two of three runs decide about chance."""

KASAN_SUITE = "kasan / "

KUNIT = "/sys/kernel/debug/kunit/kasan"


@dataclass(frozen=True)
class Kernel:
    """A kernel to test, and the mode of its tag checks where it has one."""

    spec: str
    mode: str = ""

    @property
    def arguments(self) -> str:
        return f"kasan.mode={self.mode}" if self.mode else ""

    def __str__(self) -> str:
        return " ".join((self.spec, self.mode)).strip()


SYNC, *OTHERS = (Kernel(KASAN, mode) for mode in MODES)
KERNELS = pytest.mark.parametrize(
    "kernel",
    [Kernel(USER), SYNC, *(pytest.param(k, marks=pytest.mark.torture) for k in OTHERS)],
    ids=str,
)

Tested = Callable[[Kernel], KernelTestReport]


@pytest.fixture(scope="module")
def tested() -> Tested:
    """What the tests of a kernel say, run without counting and once more with it."""

    @functools.cache
    def report(kernel: Kernel) -> KernelTestReport:
        progress = SilentProgress()
        (bootable,) = provision.bootables([kernel.spec], progress)
        selftests = provision.selftests(kernel.spec, progress)
        return kerneltest.test_kernel(
            provision.remembering_target(),
            bootable,
            selftests,
            progress,
            settings=Settings(kernel_arguments=kernel.arguments),
            counters=True,
        )

    return report


def known_failures(kernel: Kernel, *, chance: bool = False) -> dict[str, str]:
    """The tests of a kernel that fail, or fail by chance, with the reason of each."""
    path = Path(__file__).with_name("known-failures.toml")
    listed = tomllib.loads(path.read_text()).get("failure", [])
    return {
        each["test"]: each["reason"]
        for each in listed
        if each["kernel"] == kernel.spec
        and each.get("chance", False) is chance
        and kernel.mode in each.get("modes", [kernel.mode])
    }


@KERNELS
def test_counting_changes_no_verdict(tested: Tested, kernel: Kernel) -> None:
    report = tested(kernel)
    assert report.compared
    assert report.disagreements == ()


@KERNELS
def test_nearly_all_tests_pass_and_who_fails_is_known(tested: Tested, kernel: Kernel) -> None:
    report = tested(kernel)
    known = known_failures(kernel)
    assert {name for name in failing(report) if not name.startswith(KASAN_SUITE)} == known.keys()
    assert all(known.values())
    assert report.passed >= 0.95 * (report.passed + report.failed)


@KERNELS
def test_the_tests_are_those_that_are_meant(tested: Tested, kernel: Kernel) -> None:
    """All the selftests with their checks; KASAN's on a kernel that has them."""
    names = [result.name for result in tested(kernel).results]
    assert sum(name.startswith("check_buffer_fill / ") for name in names) == 20
    assert sum(name.startswith("check_mmap_options / ") for name in names) == 22
    assert sum(name.startswith("check_user_mem / ") for name in names) == 64
    kasan = sum(name.startswith("kasan / ") for name in names)
    assert kasan > 50 if kernel.mode else kasan == 0


@pytest.mark.parametrize("mode", MODES)
def test_kasan_passes_whatever_its_mode_in_most_runs(mode: str) -> None:
    """KUnit alone, which runs at boot, several times: chance decides some of its tests."""
    progress = SilentProgress()
    (bootable,) = provision.bootables([KASAN], progress)
    report = kerneltest.test_kernel(
        provision.remembering_target(),
        bootable,
        None,
        progress,
        settings=Settings(runs=RUNS, kernel_arguments=Kernel(KASAN, mode).arguments),
        counters=False,
    )
    assert report.passed > 50
    assert failing(report) <= known_failures(Kernel(KASAN, mode), chance=True).keys()


def failing(report: KernelTestReport) -> set[str]:
    return {result.name for result in report.results if result.verdict == "fail"}


def kunit(counting: Counting | None) -> Outcome:
    """KASAN's tests once more, in the command: at boot no checks are counted yet."""
    script = f"echo run > {KUNIT}/run; cat {KUNIT}/results"
    progress = SilentProgress()
    (bootable,) = provision.bootables([KASAN], progress)
    settings = Settings(counting=counting, kernel_arguments=kerneltest.ARGUMENTS)
    job = make_job(bootable, Command(("sh", "-c", script)), settings)
    return provision.remembering_target().run(replace(job, tolerate_reports=True), progress)


def test_kasan_finds_the_same_while_its_checks_are_counted() -> None:
    plain, counted = kunit(None), kunit(Counting())
    results = ktap.parse(plain.stdout.decode().splitlines())
    assert ktap.summarise(results).passed > 50
    assert ktap.compare(results, ktap.parse(counted.stdout.decode().splitlines())) == []
    assert regions(counted)["command"].events["mem_access_checked_rd.ttbr1"].k > 100_000
    assert regions(counted)["command"].events["exceptions.tag_check_fault"].k > 20
