# SPDX-License-Identifier: GPL-2.0-or-later
"""What counting costs: each command with and without it, timed, against its limit.

    python bench/cost.py [RUNS]

Both ways alternate, so that what else the host does meets both alike, and the
medians are compared, without those of the boot. The limit is for the CPU time of
the emulator in user mode, which suffers least from company; the wall time is told
too. Exits with 1 if a limit is exceeded.
"""

import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from granule import cache, provision, shipped
from granule.command import Command
from granule.progress import SilentProgress
from granule.run import Settings, check_started, make_job
from granule.targets import Counting, Job, Target
from granule.userland import build_programs

RUNS = 3
NOTHING = ("true",)


@dataclass(frozen=True, slots=True)
class Case:
    """One command, the way it is counted, and how many times longer it may take."""

    name: str
    kernel: str
    argv: tuple[str, ...]
    limit: float
    counting: Counting
    workload: str | None = None


@dataclass(frozen=True, slots=True)
class Time:
    """Seconds of one run, or the median of several."""

    user: float
    wall: float

    def __sub__(self, other: "Time") -> "Time":
        return Time(self.user - other.user, self.wall - other.wall)


@dataclass(frozen=True, slots=True)
class Result:
    """A case with its median times."""

    case: Case
    plain: Time
    counted: Time

    @property
    def ratio(self) -> float:
        """How many times more CPU time counting takes."""
        return self.counted.user / self.plain.user

    @property
    def holds(self) -> bool:
        """Whether the limit is kept."""
        return self.ratio <= self.case.limit


FUTEX = ("perf", "bench", "futex", "hash", "-t", "1", "-r", "1")
USER = "linux-6.12:mte-user"

BOOTS = (
    Case("boot", USER, NOTHING, 4, Counting()),
    Case("boot with KASAN", "linux-6.12:kasan-hw", NOTHING, 4, Counting()),
)
COMMANDS = (
    Case("perf bench futex hash", USER, FUTEX, 2, Counting()),
    Case("the same with a profile", USER, FUTEX, 3, Counting(profile=True)),
    Case("checked accesses", USER, ("./checked-loop", "40000000"), 4, Counting(), "checked-loop"),
)


def main(arguments: list[str]) -> int:
    """Measures every case and prints the table."""
    runs = int(arguments[0]) if arguments else RUNS
    results = [measured(case, runs) for case in BOOTS]
    results += [without_boot(measured(case, runs), results[0]) for case in COMMANDS]
    console = Console(width=100)
    console.print(table(results, runs))
    exceeded = [result.case.name for result in results if not result.holds]
    for name in exceeded:
        console.print(f"[red]over its limit: {name}[/red]")
    return 1 if exceeded else 0


def measured(case: Case, runs: int) -> Result:
    """A case with its median times of alternating runs."""
    target, job = provision.target(), job_of(case)
    pairs = [(timed(target, replace(job, counting=None)), timed(target, job)) for _ in range(runs)]
    return Result(case, median([plain for plain, _ in pairs]), median([own for _, own in pairs]))


def without_boot(result: Result, boot: Result) -> Result:
    """What the command alone takes."""
    return replace(result, plain=result.plain - boot.plain, counted=result.counted - boot.counted)


def job_of(case: Case) -> Job:
    """What a case runs."""
    progress = SilentProgress()
    (bootable,) = provision.bootables([case.kernel], progress)
    programs = build_programs(shipped.folder() / "guest", cache.root(), progress)
    copies: tuple[Path, ...] = (programs.workloads[case.workload],) if case.workload else ()
    return make_job(bootable, Command(case.argv, copies), Settings(counting=case.counting))


def timed(target: Target, job: Job) -> Time:
    """The time one run takes; its command has to succeed."""
    user, wall = children_user(), time.monotonic()
    outcome = target.run(job, SilentProgress())
    spent = Time(children_user() - user, time.monotonic() - wall)
    check_started(outcome, Command(job.request.argv))
    if not outcome.status.success:
        raise SystemExit(f"{' '.join(job.request.argv)} {outcome.status.describe()}")
    return spent


def children_user() -> float:
    """CPU seconds in user mode of all children that have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def median(times: list[Time]) -> Time:
    """The medians, each on its own."""
    return Time(of(times, lambda t: t.user), of(times, lambda t: t.wall))


def of(times: list[Time], part: Callable[[Time], float]) -> float:
    """The median of one part."""
    return statistics.median(part(each) for each in times)


def table(results: list[Result], runs: int) -> Table:
    """The results for people."""
    shown = Table(
        title=f"What counting costs (timed on this host, medians of {runs} runs, seconds)"
    )
    shown.add_column("command")
    for heading in ("user without", "user with", "ratio", "limit", "wall without", "wall with"):
        shown.add_column(heading, justify="right")
    for result in results:
        shown.add_row(result.case.name, *cells(result))
    return shown


def cells(result: Result) -> Iterator[str]:
    """The figures of a row."""
    yield f"{result.plain.user:.1f}"
    yield f"{result.counted.user:.1f}"
    yield f"[{'green' if result.holds else 'red'}]{result.ratio:.2f}[/]"
    yield f"{result.case.limit:.0f}"
    yield f"{result.plain.wall:.1f}"
    yield f"{result.counted.wall:.1f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
