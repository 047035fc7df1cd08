# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule torture``: every trial of every feature, and how it stands."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import Literal

from rich.console import RenderableType
from rich.table import Table

from granule.errors import ShortfallError
from granule.report.model import Model
from granule.torture.standing import Standing, State

_NAMED = 3


class ListedTrial(Model):
    """One trial of one feature. The kernels are of the record, if there is one."""

    feature: str
    trial: str
    statement: str
    state: State
    reason: str
    date: datetime.date | None
    baseline: str | None
    candidate: str | None
    failures: tuple[str, ...]

    @property
    def name(self) -> str:
        """The trial with the feature it is of."""
        return f"{self.feature}/{self.trial}"


class TortureReport(Model):
    """All of ``granule torture``."""

    format: Literal["granule-torture-report"] = "granule-torture-report"
    version: Literal[1] = 1
    trials: tuple[ListedTrial, ...]


def torture_report(standings: Sequence[Standing]) -> TortureReport:
    """What there is to say of each."""
    return TortureReport(trials=tuple(map(_listed, standings)))


def _listed(standing: Standing) -> ListedTrial:
    record = standing.record
    return ListedTrial(
        feature=standing.feature.name,
        trial=standing.trial.name,
        statement=standing.trial.statement,
        state=standing.state,
        reason=standing.reason,
        date=record.date if record else None,
        baseline=record.baseline.spec if record else None,
        candidate=record.candidate.spec if record else None,
        failures=record.failures if record else (),
    )


def render_torture(report: TortureReport) -> Iterator[RenderableType]:
    """One table, and below it what failed."""
    if not report.trials:
        yield "No feature names a trial: write 'torture = [\"NAME\"]' in its feature.toml."
        return
    table = Table("feature", "trial", "state", "date", "what", box=None, pad_edge=False)
    for each in report.trials:
        table.add_row(each.feature, each.trial, each.state, str(each.date or ""), each.statement)
    yield table
    for each in report.trials:
        if each.state == "failed":
            yield ""
            yield f"{each.name}: {each.baseline} → {each.candidate}"
            yield from (f"  {failure}" for failure in each.failures)


def require(report: TortureReport) -> None:
    """Raises ShortfallError, which names the trials, if one failed."""
    if failed := [each.name for each in report.trials if each.state == "failed"]:
        more = f" and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
        raise ShortfallError(f"Torture failed: {', '.join(failed[:_NAMED])}{more}.")
