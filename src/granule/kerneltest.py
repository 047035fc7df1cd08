# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a kernel's own tests in the guest: KUnit at boot, then its MTE selftests.

With the counters on the same tests run a second time with counting: their
verdicts must be the same, or counting would not be innocent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rich.console import RenderableType
from rich.text import Text

from granule import ktap
from granule.command import Command
from granule.errors import ShortfallError
from granule.kernel import Selftests
from granule.progress import Progress
from granule.report.model import Model
from granule.run import Bootable, Settings, check_started, make_job
from granule.targets import Counting, Outcome, Target

# KUnit runs where it was built in; KASAN goes on after the faults its tests plant,
# and a hundred of its reports must fit into the log.
ARGUMENTS = "kunit.enable=1 kasan.fault=report kasan_multi_shot log_buf_len=16M"

# Each program's results become the subtests of one named after it, as KTAP nests
# them. A selftest that exits with 4 was skipped.
_SCRIPT = """\
for program in "$@"; do
    "./mte/$program" > output 2>&1
    case $? in
    0) verdict=ok note= ;;
    4) verdict=ok note=" # SKIP" ;;
    *) verdict="not ok" note= ;;
    esac
    sed 's/^/    /' output
    number=$((number + 1))
    echo "$verdict $number $program$note"
done
"""


class KernelTestResult(Model):
    """One test. ``verdict`` is pass, fail or skip."""

    name: str
    verdict: str


class Disagreement(Model):
    """A test whose verdict depends on whether events are counted; None if it is missing."""

    name: str
    without: str | None
    counting: str | None


class KernelTestReport(Model):
    """All of ``granule kernel test``."""

    format: Literal["granule-kernel-test"] = "granule-kernel-test"
    version: Literal[1] = 1
    kernel: str
    release: str
    passed: int
    failed: int
    skipped: int
    results: tuple[KernelTestResult, ...]
    compared: bool
    disagreements: tuple[Disagreement, ...]


@dataclass(frozen=True, slots=True)
class _Tests:
    """What to run where."""

    target: Target
    bootable: Bootable
    selftests: Selftests | None
    progress: Progress

    def run(self, counting: Counting | None) -> list[ktap.Result]:
        command = _command(self.selftests)
        job = make_job(self.bootable, command, _settings(counting))
        # A test of a checker makes the kernel complain on purpose.
        outcome = self.target.run(replace(job, tolerate_reports=True), self.progress)
        check_started(outcome, command)
        return _results(outcome)


def test_kernel(
    target: Target,
    bootable: Bootable,
    selftests: Selftests | None,
    progress: Progress,
    *,
    counters: bool,
) -> KernelTestReport:
    """Runs the tests; a kernel without selftests at hand has its KUnit tests alone.

    Raises ShortfallError if the kernel has no tests at all.
    """
    tests = _Tests(target, bootable, selftests, progress)
    plain = tests.run(counting=None)
    if not plain:
        raise ShortfallError(
            f"Kernel {bootable.spec} ran no tests: it has neither KUnit's nor any."
        )
    differences = ktap.compare(plain, tests.run(counting=Counting())) if counters else []
    return _report(bootable, plain, differences, compared=counters)


def require(report: KernelTestReport) -> None:
    """Raises ShortfallError if a test failed or counting changed a verdict."""
    if report.failed:
        raise ShortfallError(f"{report.failed} tests of kernel {report.kernel} failed.")
    if report.disagreements:
        raise ShortfallError(f"Counting changed the verdicts of {len(report.disagreements)} tests.")


def render(report: KernelTestReport) -> Iterator[RenderableType]:
    """What failed, what disagrees, and the sums."""
    for result in report.results:
        if result.verdict == "fail":
            yield Text(f"not ok  {result.name}", style="red")
    for found in report.disagreements:
        words = f"{found.without or 'missing'} without and {found.counting or 'missing'} with it"
        yield Text(f"counting changed {found.name}: {words}", style="red")
    if report.compared and not report.disagreements:
        yield "Counting changed no verdict."
    yield (
        f"{report.kernel} ({report.release}): {report.passed} passed, "
        f"{report.failed} failed, {report.skipped} skipped"
    )


def _settings(counting: Counting | None) -> Settings:
    return Settings(counting=counting, kernel_arguments=ARGUMENTS)


def _command(selftests: Selftests | None) -> Command:
    if selftests is None:
        return Command(("true",))
    return Command(("/bin/sh", "-c", _SCRIPT, "sh", *selftests.programs), (selftests.folder,))


def _results(outcome: Outcome) -> list[ktap.Result]:
    printed = outcome.stdout.decode(errors="replace")
    return [*ktap.parse(outcome.dmesg.splitlines()), *ktap.parse(printed.splitlines())]


def _report(
    bootable: Bootable,
    results: Sequence[ktap.Result],
    differences: Sequence[ktap.Difference],
    *,
    compared: bool,
) -> KernelTestReport:
    sums = ktap.summarise(results)
    return KernelTestReport(
        kernel=bootable.spec,
        release=bootable.release,
        passed=sums.passed,
        failed=sums.failed,
        skipped=sums.skipped,
        results=tuple(KernelTestResult(name=r.name, verdict=r.verdict.value) for r in results),
        compared=compared,
        disagreements=tuple(
            Disagreement(
                name=d.name,
                without=d.first.value if d.first else None,
                counting=d.second.value if d.second else None,
            )
            for d in differences
        ),
    )
