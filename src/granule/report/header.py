# SPDX-License-Identifier: GPL-2.0-or-later
"""What ran where: the lines above every table."""

from granule.events.counts import Counts
from granule.kernellog import first_lines
from granule.report.model import Label, Model
from granule.run import Measurement
from granule.targets import Outcome


class RunRecord(Model):
    """One run: how the command ended, and host seconds from power-on to power-off.

    ``reports`` are the first lines of what the kernel complained of in its log, which
    is the file ``kernel_log``.
    """

    status: str
    seed: int
    wall_seconds: float
    label: Label = "timed"
    reports: tuple[str, ...]
    kernel_log: str


class MachineHeader(Model):
    """A kernel, the machine that ran it, and every run."""

    kernel: str
    release: str
    identity: str
    emulator: str
    vcpus: int
    memory_mib: int
    repeatable: bool
    command: tuple[str, ...]
    runs: tuple[RunRecord, ...]

    @classmethod
    def of(cls, measurement: Measurement) -> "MachineHeader":
        """The header of a measurement."""
        machine = measurement.outcomes[0].machine
        return cls(
            kernel=measurement.bootable.spec,
            release=measurement.bootable.release,
            identity=measurement.bootable.identity,
            emulator=machine.emulator,
            vcpus=machine.cpus,
            memory_mib=machine.memory,
            repeatable=machine.repeatable,
            command=measurement.command.argv,
            runs=tuple(_run(outcome) for outcome in measurement.outcomes),
        )


def _run(outcome: Outcome) -> RunRecord:
    return RunRecord(
        status=outcome.status.describe(),
        seed=outcome.machine.seed,
        wall_seconds=outcome.wall,
        reports=tuple(first_lines(outcome.dmesg)),
        kernel_log=str(outcome.kernel_log),
    )


def counts_of(measurement: Measurement) -> tuple[Counts, ...]:
    """The counts of every run; a measurement that counted has them all."""
    return tuple(o.counts for o in measurement.outcomes if o.counts is not None)
