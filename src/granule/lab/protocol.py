# SPDX-License-Identifier: GPL-2.0-or-later
"""What carrying out a plan needs to know.

A run is remembered by all that decides its counts. A lab says what that is,
without building a kernel or booting anything, so that old runs are found.
"""

from dataclasses import dataclass
from typing import Protocol

from granule.command import Command
from granule.plan import Cell, Plan, Workload
from granule.progress import Progress
from granule.run import Bootable, Settings
from granule.store import Conditions, KernelRecord
from granule.targets import Counting


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel ready to boot, and what to remember of it."""

    bootable: Bootable
    record: KernelRecord


class Lab(Protocol):
    """What carrying out a plan needs to know."""

    @property
    def host(self) -> str:
        """The machine that times are of."""
        ...

    def identity(self, spec: str) -> str | None:
        """The identity of a kernel; None if it cannot be known before it is built."""
        ...

    def kernel(self, spec: str, progress: Progress) -> Kernel:
        """The kernel itself, built if need be."""
        ...

    def command(self, plan: Plan, workload: Workload) -> Command:
        """What a workload runs; raises UsageError if it cannot."""
        ...

    def conditions(self, plan: Plan, cell: Cell, identity: str, seed: int) -> Conditions:
        """All that decides the counts of a run."""
        ...


def settings(cell: Cell) -> Settings:
    """How the runs of a cell are done."""
    configuration, workload = cell.configuration, cell.workload
    return Settings(
        runs=workload.runs,
        cpus=configuration.cpus,
        memory=configuration.memory,
        timeout=workload.timeout,
        counting=Counting(profile=workload.profile),
        environment=tuple(sorted(workload.environment.items())),
        kernel_arguments=configuration.append,
        tolerate_reports=workload.tolerate_reports,
    )
