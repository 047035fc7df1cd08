# SPDX-License-Identifier: GPL-2.0-or-later
"""Counting changes nothing the guest can see.

The kernel's own tests of memory tagging know best what must fault and what must
not, so they give the same verdicts, test by test, with the counters on and off.
"""

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
KERNELS = pytest.mark.parametrize("spec", [USER, KASAN])

KUNIT = "/sys/kernel/debug/kunit/kasan"

Tested = Callable[[str], KernelTestReport]


@pytest.fixture(scope="module")
def tested() -> Tested:
    """What the tests of a kernel say, run once without counting and once with."""
    reports: dict[str, KernelTestReport] = {}

    def report(spec: str) -> KernelTestReport:
        if spec not in reports:
            progress = SilentProgress()
            (bootable,) = provision.bootables([spec], progress)
            selftests = provision.selftests(spec, progress)
            reports[spec] = kerneltest.test_kernel(
                provision.target(), bootable, selftests, progress, counters=True
            )
        return reports[spec]

    return report


@dataclass(frozen=True)
class KnownFailure:
    """A test that fails without counters too, always or by chance."""

    reason: str
    chance: bool


def known_failures(spec: str) -> dict[str, KnownFailure]:
    """The tests of a kernel that fail, by name."""
    path = Path(__file__).with_name("known-failures.toml")
    listed = tomllib.loads(path.read_text())["failure"]
    return {
        each["test"]: KnownFailure(each["reason"], each.get("chance", False))
        for each in listed
        if each["kernel"] == spec
    }


@KERNELS
def test_counting_changes_no_verdict(tested: Tested, spec: str) -> None:
    report = tested(spec)
    assert report.compared
    assert report.disagreements == ()


@KERNELS
def test_nearly_all_tests_pass_and_who_fails_is_known(tested: Tested, spec: str) -> None:
    report = tested(spec)
    failing = {result.name for result in report.results if result.verdict == "fail"}
    known = known_failures(spec)
    assert failing <= known.keys()
    assert {name for name, failure in known.items() if not failure.chance} <= failing
    assert report.passed >= 0.95 * (report.passed + report.failed)
    assert all(failure.reason for failure in known.values())


@KERNELS
def test_the_tests_are_those_that_are_meant(tested: Tested, spec: str) -> None:
    """All the selftests with their checks; KASAN's on a kernel that has them."""
    names = [result.name for result in tested(spec).results]
    assert sum(name.startswith("check_buffer_fill / ") for name in names) == 20
    assert sum(name.startswith("check_mmap_options / ") for name in names) == 22
    assert sum(name.startswith("check_user_mem / ") for name in names) == 64
    kasan = sum(name.startswith("kasan / ") for name in names)
    assert kasan > 50 if spec == KASAN else kasan == 0


def kunit(counting: Counting | None) -> Outcome:
    """KASAN's tests once more, in the command: at boot no checks are counted yet."""
    script = f"echo run > {KUNIT}/run; cat {KUNIT}/results"
    progress = SilentProgress()
    (bootable,) = provision.bootables([KASAN], progress)
    settings = Settings(counting=counting, kernel_arguments=kerneltest.ARGUMENTS)
    job = make_job(bootable, Command(("sh", "-c", script)), settings)
    return provision.target().run(replace(job, tolerate_reports=True), progress)


def test_kasan_finds_the_same_while_its_checks_are_counted() -> None:
    plain, counted = kunit(None), kunit(Counting())
    results = ktap.parse(plain.stdout.decode().splitlines())
    assert ktap.summarise(results).passed > 50
    assert ktap.compare(results, ktap.parse(counted.stdout.decode().splitlines())) == []
    assert regions(counted)["command"].events["mem_access_checked_rd.ttbr1"].k > 100_000
    assert regions(counted)["command"].events["exceptions.tag_check_fault"].k > 20
