# SPDX-License-Identifier: GPL-2.0-or-later
"""A lab without a machine, so that plans are carried out in tests."""

from dataclasses import replace

from granule.command import Command
from granule.lab.protocol import Kernel
from granule.plan import Cell, Plan, Workload
from granule.progress import Progress
from granule.run import Bootable
from granule.store import Conditions, KernelRecord


class FakeLab:
    """Every kernel is the one given, under another name, and known once it was built.

    ``built`` has the SPECs asked for so far. ``patched`` is part of every
    identity: another one makes all kernels new.
    """

    host = "a host"

    def __init__(self, bootable: Bootable, record: KernelRecord, *, patched: str = "") -> None:
        self._bootable = bootable
        self._record = record
        self.built: list[str] = []
        self.patched = patched

    def identity(self, spec: str) -> str | None:
        """See :class:`granule.lab.protocol.Lab`."""
        return f"{self.patched} {spec}" if spec in self.built else None

    def kernel(self, spec: str, progress: Progress) -> Kernel:
        """See :class:`granule.lab.protocol.Lab`."""
        with progress.step(f"build {spec}"):
            self.built.append(spec)
        record = replace(self._record, identity=f"{self.patched} {spec}", spec=spec)
        return Kernel(replace(self._bootable, spec=spec), record)

    def command(self, plan: Plan, workload: Workload) -> Command:
        """See :class:`granule.lab.protocol.Lab`."""
        files = tuple(plan.folder / name for name in workload.files)
        return Command(workload.command or (f"./{workload.program}", *workload.arguments), files)

    def conditions(self, plan: Plan, cell: Cell, identity: str, seed: int) -> Conditions:
        """See :class:`granule.lab.protocol.Lab`."""
        return Conditions(
            kernel=identity,
            userland="a userland",
            request=" ".join(self.command(plan, cell.workload).argv),
            plugin="a plugin",
            emulator="an emulator",
            cpus=cell.configuration.cpus,
            memory=cell.configuration.memory,
            kernel_arguments=cell.configuration.append,
            profile=cell.workload.profile,
            seed=seed,
        )
