# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernels of a table: what each did, and what that is against the baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from granule.findings import Finding
from granule.report.model import Figure, Model
from granule.samples import EventAtLevel, Samples
from granule.stats import Comparison, Relevance, compare_all

_COUNTS = 2
"""Fewer counts than this in a whole run are no change that matters."""


class KernelFigure(Model):
    """One event on one kernel.

    ``total`` is in counts of a run, ``per_operation`` and ``change`` (from the
    baseline) in counts per operation; ``relative`` is a part of the baseline,
    None if that is 0 or was not measured. ``p`` is the adjusted p-value, None if
    the counts are exact.
    """

    kernel: str
    total: Figure
    per_operation: float
    change: float | None = None
    relative: float | None = None
    p: float | None = None
    significant: bool = False
    relevant: bool = False
    decidable: bool = True

    @property
    def moved(self) -> bool:
        """Significant and relevant."""
        return self.significant and self.relevant


@dataclass(frozen=True)
class Column:
    """One kernel of a table, with all of its events or those of some functions."""

    kernel: str
    finding: Finding
    samples: Samples

    def of_function(self, function: str) -> "Column":
        """The same kernel, of which only one function is looked at."""
        return Column(self.kernel, self.finding, Samples(self.finding, (function,)))


def compared(
    base: Column | None, column: Column, events: Sequence[EventAtLevel]
) -> Mapping[EventAtLevel, Comparison]:
    """Counts per operation of a kernel against the baseline's; empty for that itself."""
    if base is None or column.kernel == base.kernel:
        return {}
    runs = (*base.finding.runs, *column.finding.runs)
    return compare_all(
        {event: (base.samples.rates(event), column.samples.rates(event)) for event in events},
        repeatable=all(run.repeatable for run in runs),
        relevance=Relevance(counts=_COUNTS / float(base.samples.operations[0])),
    )


def kernel_figure(column: Column, event: EventAtLevel, found: Comparison | None) -> KernelFigure:
    """A cell of a table; ``found`` is the comparison with the baseline, if there is one."""
    sample = column.samples.sample(event)
    plain = KernelFigure(
        kernel=column.kernel, total=Figure.of(sample.counts), per_operation=float(sample.rate)
    )
    if found is None:
        return plain
    return plain.model_copy(
        update={
            "change": found.difference,
            "relative": found.relative,
            "p": found.p,
            "significant": found.significant,
            "relevant": found.relevant,
            "decidable": found.decidable,
        }
    )
