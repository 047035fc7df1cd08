# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a command on a kernel, several times if asked, and judges how each run ended."""

import errno
import os
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path

from granule.command import Command, missing_program
from granule.errors import GuestError, ShortfallError, UsageError
from granule.kernellog import reports
from granule.progress import Progress
from granule.targets.debugger import KERNEL_ARGUMENTS as FOR_DEBUGGERS
from granule.targets.debugger import Debugger
from granule.targets.job import Counting, ExceptionLevel, Job, Outcome, Target
from granule.userland import Request
from granule.userland.modules import Module


@dataclass(frozen=True, slots=True)
class Bootable:
    """A kernel with all it takes to boot it.

    ``spec`` is what the user called it, ``release`` what ``uname -r`` says and
    ``identity`` names its content.
    """

    spec: str
    release: str
    identity: str
    kernel: Path
    init: Path
    userland: Path
    modules: tuple[Module, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """How to run. Times are in seconds, ``memory`` is in MiB.

    With several CPUs the machine is not repeatable, and ``runs`` should be more than 1.
    ``tolerate_reports`` is for what makes the kernel complain on purpose, and for
    kernels that are known to. ``symbols`` asks for the kernel's symbols, which a profile
    needs, where none is wanted too: what init is asked for is part of what the kernel
    unpacks, and so decides at which instruction the clock ticks.
    """

    runs: int = 1
    cpus: int = 1
    memory: int = 2048
    timeout: float = 900
    hang: float = 120
    counting: Counting | None = field(default_factory=Counting)
    symbols: bool = False
    environment: tuple[tuple[str, str], ...] = ()
    kernel_arguments: str = ""
    tolerate_reports: bool = False
    exception_level: ExceptionLevel = 1

    @property
    def repeatable(self) -> bool:
        """Whether a run with the same seed gives the same counts."""
        return self.cpus == 1

    @property
    def parallel(self) -> int:
        """How many machines may run at once.

        What else the host does changes nothing on a repeatable machine; the
        others get the host to themselves.
        """
        return (os.cpu_count() or 1) if self.repeatable else 1


@dataclass(frozen=True, slots=True)
class Measurement:
    """All runs of one command on one kernel."""

    bootable: Bootable
    command: Command
    settings: Settings
    outcomes: tuple[Outcome, ...]


def measure(
    target: Target,
    bootables: Sequence[Bootable],
    command: Command,
    settings: Settings,
    progress: Progress,
) -> tuple[Measurement, ...]:
    """Runs the command on each kernel, ``settings.runs`` times.

    Run i has seed i on every kernel, so equal runs of two kernels differ only by
    the kernel, and several runs of one show what chance (the layout of the
    address space, the phase of the clock) does to the counts. Raises UsageError
    if the command cannot be started and MachineError if a machine fails.
    """
    jobs = [
        make_job(bootable, command, settings, seed)
        for seed in range(1, settings.runs + 1)
        for bootable in bootables
    ]
    outcomes = _run_all(target, jobs, settings.parallel, progress)
    for outcome in outcomes:
        check_started(outcome, command)
    count = len(bootables)
    return tuple(
        Measurement(bootable, command, settings, tuple(outcomes[index::count]))
        for index, bootable in enumerate(bootables)
    )


def make_job(bootable: Bootable, command: Command, settings: Settings, seed: int = 1) -> Job:
    """The job of one run."""
    return Job(
        kernel=bootable.kernel,
        init=bootable.init,
        userland=bootable.userland,
        request=make_request(command, settings),
        modules=bootable.modules,
        counting=settings.counting,
        cpus=settings.cpus,
        memory=settings.memory,
        timeout=settings.timeout,
        hang=settings.hang,
        repeatable=settings.repeatable,
        seed=seed,
        kernel_arguments=settings.kernel_arguments,
        tolerate_reports=settings.tolerate_reports,
        exception_level=settings.exception_level,
    )


def make_request(command: Command, settings: Settings) -> Request:
    """What the guest is asked to do. A profile needs the kernel's symbols."""
    profiled = settings.counting is not None and settings.counting.profile
    return Request(
        argv=command.argv,
        environment=dict(settings.environment),
        copies=command.copies,
        symbols=settings.symbols or profiled,
    )


def make_shell_job(
    bootable: Bootable, command: Command, settings: Settings, debugger: Debugger | None = None
) -> Job:
    """A job whose command has the terminal; nothing is counted."""
    job = make_job(bootable, command, settings)
    arguments = f"{job.kernel_arguments} {FOR_DEBUGGERS}" if debugger else job.kernel_arguments
    return replace(
        job,
        request=replace(job.request, shell=True),
        counting=None,
        repeatable=False,
        kernel_arguments=arguments.strip(),
        debugger=debugger,
    )


def check_started(outcome: Outcome, command: Command) -> None:
    """Raises UsageError if the command is not in the guest, GuestError if init failed."""
    name = command.argv[0]
    match outcome.status.ending:
        case "exec" if outcome.status.code == errno.ENOENT:
            raise missing_program(name)
        case "exec":
            raise UsageError(f"The command '{name}' {outcome.status.describe()}.")
        case "init" if "/proc/kallsyms" in outcome.status.message:
            raise GuestError(
                "The kernel lists no symbols: build it with CONFIG_KALLSYMS=y.",
                details=outcome.dmesg,
                log=outcome.console,
            )
        case "init":
            raise GuestError(
                f"The guest failed before the command: {outcome.status.message}.",
                details=outcome.dmesg,
                log=outcome.console,
            )
        case _:
            return


def check_success(measurement: Measurement) -> None:
    """Raises ShortfallError with the command's standard error unless every run exited with 0."""
    for outcome in measurement.outcomes:
        if not outcome.status.success:
            raise ShortfallError(
                f"The command '{measurement.command.argv[0]}' {outcome.status.describe()} "
                f"on kernel {measurement.bootable.spec}.",
                details=outcome.stderr.decode(errors="replace"),
            )


def check_log(measurement: Measurement) -> None:
    """Raises ShortfallError if the kernel complained in its log and that is not tolerated."""
    if measurement.settings.tolerate_reports:
        return
    for outcome in measurement.outcomes:
        if reports(outcome.dmesg):
            raise ShortfallError(
                f"Kernel {measurement.bootable.spec} complained in its log: find out why before "
                "you believe its counts, or accept it with '--tolerate-reports'.",
                log=outcome.kernel_log,
            )


def _run_all(
    target: Target, jobs: Sequence[Job], parallel: int, progress: Progress
) -> list[Outcome]:
    """Outcomes in the order of jobs. The first failure, or Ctrl-C, stops every machine."""
    with ThreadPoolExecutor(max_workers=min(parallel, len(jobs))) as pool:
        futures = [pool.submit(target.run, job, progress) for job in jobs]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
            _raise_first_failure(futures)
            return [future.result() for future in futures]
        except BaseException:
            target.stop()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _raise_first_failure(futures: Sequence[Future[Outcome]]) -> None:
    for future in futures:
        if future.done():
            future.result()
