# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a kernel's own tests in the guest: KUnit at boot, then its MTE selftests.

With the counters on the same tests run a second time with counting: their
verdicts must be the same, or counting would not be innocent.

Chance decides some of KASAN's tests: they expect the tags of two neighbours to
differ, and one pair in fifteen is equal. So the tests can run several times, each
time with other random numbers, and a test passes that passes in most runs.
"""

from collections import Counter
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
from granule.run import Bootable, Settings, measure
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
    """One test. ``verdict`` is pass, fail or skip, as in most runs; ``passes`` counts them."""

    name: str
    verdict: str
    passes: int


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
    runs: int
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
    settings: Settings
    progress: Progress

    def run(self, counting: Counting | None) -> list[list[ktap.Result]]:
        """The results of each run."""
        settings = replace(self.settings, counting=counting)
        outcomes = run_tests(
            self.target, self.bootable, self.selftests, self.progress, settings=settings
        )
        return [results(outcome) for outcome in outcomes]


def run_tests(
    target: Target,
    bootable: Bootable,
    selftests: Selftests | None,
    progress: Progress,
    *,
    settings: Settings,
) -> tuple[Outcome, ...]:
    """Boots the kernel for its tests, ``settings.runs`` times; :func:`results` reads them."""
    allowing = replace(
        settings,
        kernel_arguments=f"{ARGUMENTS} {settings.kernel_arguments}".strip(),
        tolerate_reports=True,
    )
    (measured,) = measure(target, (bootable,), _command(selftests), allowing, progress)
    return measured.outcomes


def test_kernel(
    target: Target,
    bootable: Bootable,
    selftests: Selftests | None,
    progress: Progress,
    *,
    settings: Settings,
    counters: bool,
) -> KernelTestReport:
    """Runs the tests; a kernel without selftests at hand has its KUnit tests alone.

    Of ``settings`` the number of runs, the machine and the kernel's arguments matter.

    Raises ShortfallError if the kernel has no tests at all.
    """
    tests = _Tests(target, bootable, selftests, settings, progress)
    plain = tests.run(counting=None)
    if not any(plain):
        raise ShortfallError(
            f"Kernel {bootable.spec} ran no tests: it has neither KUnit's nor any."
        )
    counted = tests.run(counting=Counting()) if counters else plain
    differences = [
        difference
        for pair in zip(plain, counted, strict=True)
        for difference in ktap.compare(*pair)
    ]
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
            yield Text(f"not ok  {result.name}{_passes(result, report.runs)}", style="red")
        elif 0 < result.passes < report.runs:
            yield Text(f"ok      {result.name}{_passes(result, report.runs)}", style="yellow")
    for found in report.disagreements:
        words = f"{found.without or 'missing'} without and {found.counting or 'missing'} with it"
        yield Text(f"counting changed {found.name}: {words}", style="red")
    if report.compared and not report.disagreements:
        yield "Counting changed no verdict."
    yield (
        f"{report.kernel} ({report.release}): {report.passed} passed, "
        f"{report.failed} failed, {report.skipped} skipped"
    )


def _passes(result: KernelTestResult, runs: int) -> str:
    return f"  ({result.passes} of {runs} runs)" if runs > 1 else ""


def _command(selftests: Selftests | None) -> Command:
    if selftests is None:
        return Command(("true",))
    return Command(("/bin/sh", "-c", _SCRIPT, "sh", *selftests.programs), (selftests.folder,))


def results(outcome: Outcome) -> list[ktap.Result]:
    """The results of all tests of one run."""
    printed = outcome.stdout.decode(errors="replace")
    return [*ktap.parse(outcome.dmesg.splitlines()), *ktap.parse(printed.splitlines())]


def _report(
    bootable: Bootable,
    runs: Sequence[Sequence[ktap.Result]],
    differences: Sequence[ktap.Difference],
    *,
    compared: bool,
) -> KernelTestReport:
    results = ktap.majority(runs)
    sums = ktap.summarise(results)
    passes = Counter(each.name for run in runs for each in run if each.verdict is ktap.Verdict.PASS)
    return KernelTestReport(
        kernel=bootable.spec,
        release=bootable.release,
        runs=len(runs),
        passed=sums.passed,
        failed=sums.failed,
        skipped=sums.skipped,
        results=tuple(
            KernelTestResult(name=r.name, verdict=r.verdict.value, passes=passes[r.name])
            for r in results
        ),
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
