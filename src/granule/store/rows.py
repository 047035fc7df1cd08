# SPDX-License-Identifier: GPL-2.0-or-later
"""Between the rows of the tables and the records everybody else sees."""

from collections import defaultdict
from dataclasses import asdict
from datetime import UTC

from granule.events import ByLevel
from granule.store.records import (
    Conditions,
    KernelRecord,
    RegionRecord,
    RunRecord,
    TrialRecord,
)
from granule.store.schema import (
    ComplaintRow,
    CountRow,
    FunctionRow,
    IterationRow,
    KernelRow,
    RegionRow,
    RunRow,
    TrialRow,
)


def kernel_row(kernel: KernelRecord) -> KernelRow:
    """The row of a kernel."""
    return KernelRow(**asdict(kernel))


def run_row(run: RunRecord) -> RunRow:
    """The row of a run with all that hangs on it, except its kernel."""
    conditions = asdict(run.conditions)
    identity = conditions.pop("kernel")
    return RunRow(
        **conditions,
        key=run.conditions.key,
        kernel_identity=identity,
        command=run.command,
        environment=dict(run.environment),
        time=run.time.astimezone(UTC),
        wall_seconds_timed=run.wall,
        host=run.host,
        plugin_version=run.plugin_version,
        stdout=run.stdout,
        regions=[_region_row(region) for region in run.regions],
        diagnostics=dict(run.diagnostics),
        complaint=ComplaintRow(reports=run.reports, log=run.log) if run.reports else None,
    )


def to_record(row: RunRow) -> RunRecord:
    """The run a row stands for."""
    return RunRecord(
        conditions=_conditions(row),
        kernel=_kernel(row.kernel),
        command=tuple(row.command),
        environment=row.environment,
        time=row.time.replace(tzinfo=UTC),
        wall=row.wall_seconds_timed,
        host=row.host,
        plugin_version=row.plugin_version,
        stdout=row.stdout,
        regions=tuple(_region(region) for region in row.regions),
        diagnostics=row.diagnostics,
        reports=tuple(row.complaint.reports) if row.complaint else (),
        log=row.complaint.log if row.complaint else "",
    )


def trial_row(trial: TrialRecord) -> TrialRow:
    """The row of a trial, without its kernels."""
    return TrialRow(
        key=trial.key,
        trial=trial.trial,
        name=trial.name,
        baseline_identity=trial.baseline.identity,
        candidate_identity=trial.candidate.identity,
        failures=trial.failures,
        log=trial.log,
        time=trial.time.astimezone(UTC),
        wall_seconds_timed=trial.wall,
        host=trial.host,
    )


def to_trial(row: TrialRow) -> TrialRecord:
    """The trial a row stands for."""
    return TrialRecord(
        trial=row.trial,
        name=row.name,
        baseline=_kernel(row.baseline),
        candidate=_kernel(row.candidate),
        failures=tuple(row.failures),
        log=row.log,
        time=row.time.replace(tzinfo=UTC),
        wall=row.wall_seconds_timed,
        host=row.host,
    )


def _region_row(region: RegionRecord) -> RegionRow:
    return RegionRow(
        name=region.name,
        opened=region.opened,
        closed=region.closed,
        counts=[CountRow(event=name, u=n.u, k=n.k) for name, n in region.events.items()],
        iterations=[IterationRow(u=n.u, k=n.k, times=t) for n, t in region.iterations.items()],
        functions=[
            FunctionRow(function=function, event=event, count=count)
            for function, events in region.functions.items()
            for event, count in events.items()
        ],
    )


def _conditions(row: RunRow) -> Conditions:
    return Conditions(
        kernel=row.kernel_identity,
        userland=row.userland,
        request=row.request,
        plugin=row.plugin,
        emulator=row.emulator,
        cpus=row.cpus,
        memory=row.memory,
        kernel_arguments=row.kernel_arguments,
        profile=row.profile,
        seed=row.seed,
    )


def _kernel(row: KernelRow) -> KernelRecord:
    return KernelRecord(
        identity=row.identity,
        spec=row.spec,
        release=row.release,
        source=row.source,
        source_version=row.source_version,
        source_digest=row.source_digest,
        fragments=tuple(row.fragments),
        compiler=row.compiler,
    )


def _region(row: RegionRow) -> RegionRecord:
    functions: dict[str, dict[str, int]] = defaultdict(dict)
    for found in row.functions:
        functions[found.function][found.event] = found.count
    return RegionRecord(
        name=row.name,
        opened=row.opened,
        closed=row.closed,
        events={count.event: ByLevel(u=count.u, k=count.k) for count in row.counts},
        iterations={ByLevel(u=i.u, k=i.k): i.times for i in row.iterations},
        functions=dict(functions),
    )
