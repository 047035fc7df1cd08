# SPDX-License-Identifier: GPL-2.0-or-later
"""What a table says of one workload in one configuration, kernel beside kernel."""

from granule.report.by_function import FunctionRow
from granule.report.columns import KernelFigure
from granule.report.model import Model


class EventRow(Model):
    """One event at one exception level on every kernel that was measured."""

    event: str
    is_total: bool
    figures: tuple[KernelFigure, ...]


class IterationRow(Model):
    """Instructions of each iteration, at EL0 and EL1 together, over all runs.

    Changes are parts of the baseline's figure; percentiles are by nearest rank.
    """

    kernel: str
    iterations: int
    mean: float
    median: int
    p99: int
    p999: int
    maximum: int
    mean_change: float | None = None
    p99_change: float | None = None
    p999_change: float | None = None


class KernelTally(Model):
    """Wins, losses and ties of one kernel against the baseline, over all leaf events."""

    kernel: str
    wins: int
    losses: int
    ties: int
    summary: str


class CellTable(Model):
    """One workload in one configuration. ``operations`` are the baseline's, of one run."""

    workload: str
    configuration: str
    region: str
    runs: int
    operations: float | None
    rows: tuple[EventRow, ...]
    functions: tuple[FunctionRow, ...]
    iterations: tuple[IterationRow, ...]
    tallies: tuple[KernelTally, ...]
    missing: tuple[str, ...]
    doubts: tuple[str, ...]
