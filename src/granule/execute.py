# SPDX-License-Identifier: GPL-2.0-or-later
"""Carries out plans: runs what is not in the store yet, and keeps each run as it ends."""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

from granule.errors import ShortfallError
from granule.events import Region
from granule.events.counts import MACHINE
from granule.findings import operations, region
from granule.kernellog import first_lines
from granule.lab import Kernel, Lab, settings
from granule.plan import Cell, Plan
from granule.progress import Progress, Step
from granule.run import check_started, make_job
from granule.store import Conditions, KernelRecord, RegionRecord, RunRecord, Store
from granule.symbols import SymbolTable, by_function
from granule.targets import Outcome, Target
from granule.userland import Request


@dataclass(frozen=True, eq=False)
class Task:
    """One run to do."""

    plan: Plan
    cell: Cell
    seed: int

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        seed = f", seed {self.seed}" if self.cell.workload.runs > 1 else ""
        return (
            f"{self.cell.workload.name} on {self.cell.spec}, {self.cell.configuration.name}{seed}"
        )

    @property
    def group(self) -> tuple[str, int]:
        """Tasks of one group share their kernel and how many may run at once."""
        return self.cell.spec, settings(self.cell).parallel


@dataclass(frozen=True, slots=True)
class Executed:
    """How many runs were done, and how many had been before."""

    done: int
    reused: int


def execute(
    plans: Sequence[Plan],
    lab: Lab,
    target: Target,
    store: Store,
    progress: Progress,
    parallel: int | None = None,
) -> Executed:
    """Runs what is missing, at most ``parallel`` at once.

    Each run is kept when it ends, so an interrupted call loses only those under
    way. Raises ShortfallError if a command fails, UsageError if it cannot be
    started and MachineError if a machine or a build does.
    """
    tasks = [
        Task(plan, cell, seed)
        for plan in plans
        for cell in plan.cells
        for seed in cell.workload.seeds
    ]
    pending = _pending(tasks, lab, store)
    if pending:
        with progress.step(f"measure {len(pending)} of {len(tasks)} runs") as step:
            _Execution(lab, target, store, progress, step, len(pending)).run(pending, parallel)
    return Executed(len(pending), len(tasks) - len(pending))


class _Execution:
    """A call under way: it numbers the runs as they begin and counts them as they end."""

    def __init__(
        self,
        lab: Lab,
        target: Target,
        store: Store,
        progress: Progress,
        step: Step,
        total: int,
    ) -> None:
        self._lab = lab
        self._target = target
        self._store = store
        self._progress = progress
        self._step = step
        self._total = total
        self._done = 0

    def run(self, pending: Sequence[Task], parallel: int | None) -> None:
        """All tasks, kernel by kernel."""
        for (spec, most), group in groupby(pending, lambda task: task.group):
            kernel = self._lab.kernel(spec, self._progress)
            # The kernel may have been measured under another name, or by another process.
            tasks = _pending(list(group), self._lab, self._store)
            self._run_group(kernel, tasks, min(most, parallel or most))

    def _run_group(self, kernel: Kernel, tasks: Sequence[Task], parallel: int) -> None:
        with ThreadPoolExecutor(max_workers=parallel) as pool:
            futures = {pool.submit(self._run_one, kernel, task) for task in tasks}
            try:
                self._keep_all(futures)
            except BaseException:
                self._target.stop()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _keep_all(self, futures: set[Future[RunRecord]]) -> None:
        """Keeps every run that ended well, even if another failed at the same time."""
        while futures:
            ended, futures = wait(futures, return_when=FIRST_COMPLETED)
            for future in sorted(ended, key=lambda future: future.exception() is not None):
                self._store.add(future.result())
                self._done += 1
                self._step.note(f"{self._done} of {self._total}")
                self._step.advance(self._done, self._total)

    def _run_one(self, kernel: Kernel, task: Task) -> RunRecord:
        began = datetime.now(UTC)
        command = self._lab.command(task.plan, task.cell.workload)
        job = make_job(kernel.bootable, command, settings(task.cell), task.seed)
        with self._progress.step(f"run {task.title}") as step:
            outcome = self._target.run(job, _Inside(step))
        check_started(outcome, command)
        identity = kernel.record.identity
        conditions = self._lab.conditions(task.plan, task.cell, identity, task.seed)
        record = _record(outcome, kernel.record, conditions, job.request, began, self._lab.host)
        _check(task, outcome, record)
        return record


class _Inside:
    """Progress of one run, told by the step it is part of."""

    def __init__(self, step: Step) -> None:
        self._step = step

    @contextmanager
    def step(self, title: str) -> Iterator[Step]:  # noqa: ARG002 the outer title stays
        """See :class:`granule.progress.Progress`."""
        yield self._step


def _pending(tasks: Sequence[Task], lab: Lab, store: Store) -> list[Task]:
    """Tasks without a run in the store; of those that are the same run, the first."""
    keys = {task: _key(task, lab) for task in tasks}
    missing = set(store.missing([key for key in keys.values() if key]))
    pending: dict[str, Task] = {}
    for task, key in keys.items():
        if key is None:
            pending[f"{task.title} of {task.plan.name}"] = task
        elif key in missing:
            pending.setdefault(key, task)
    return list(pending.values())


def _key(task: Task, lab: Lab) -> str | None:
    """The key of the run; None while its kernel is unknown."""
    identity = lab.identity(task.cell.spec)
    return lab.conditions(task.plan, task.cell, identity, task.seed).key if identity else None


def _check(task: Task, outcome: Outcome, record: RunRecord) -> None:
    """Raises ShortfallError for a run that says nothing, before it is kept."""
    if not outcome.status.success:
        raise ShortfallError(
            f"The command '{record.command[0]}' {outcome.status.describe()} ({task.title}).",
            details=outcome.stderr.decode(errors="replace"),
        )
    region(task.cell.workload, record)
    operations(task.cell.workload, record)


def _record(
    outcome: Outcome,
    kernel: KernelRecord,
    conditions: Conditions,
    request: Request,
    began: datetime,
    host: str,
) -> RunRecord:
    counts = outcome.counts
    assert counts is not None, "a plan always counts"
    reports = tuple(first_lines(outcome.dmesg))
    symbols = SymbolTable.parse(outcome.kallsyms) if outcome.kallsyms else None
    return RunRecord(
        conditions=conditions,
        kernel=kernel,
        command=request.argv,
        environment=request.environment,
        time=began,
        wall=outcome.wall,
        host=host,
        plugin_version=counts.plugin,
        stdout=outcome.stdout.decode(errors="replace"),
        regions=tuple(_region_record(counted, symbols) for counted in counts.regions),
        diagnostics=counts.diagnostics,
        reports=reports,
        log=str(outcome.kernel_log) if reports else "",
    )


def _region_record(counted: Region, symbols: SymbolTable | None) -> RegionRecord:
    """Nobody asks in which function the whole boot spends its time, so it is not kept."""
    places = () if counted.name == MACHINE else counted.places
    return RegionRecord(
        name=counted.name,
        opened=counted.opened,
        closed=counted.closed,
        events=counted.events,
        iterations=Counter(counted.iterations),
        functions=by_function(places, symbols) if symbols else {},
    )
