# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of ``granule check``: first what does not hold, and why."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from math import inf

from rich.console import RenderableType
from rich.table import Table

from granule.claims.verdict import Verdict
from granule.report.check import CheckReport, ClaimResult
from granule.report.text.parts import amount, heading, table

_SHOWN = 25
_KEPT = ("claim", "workload", "configuration", "event")
_RIGHT = ("baseline", "candidate")


def render_check(report: CheckReport) -> Iterator[RenderableType]:
    """A block for each claim that does not hold, a table of those that do, the tally."""
    for claim in report.broken:
        yield from _broken(claim)
        yield ""
    if report.kept:
        yield heading("Claims that hold (counted)")
        yield _kept_table(report.kept)
        yield ""
    yield report.summary


def _broken(claim: ClaimResult) -> Iterator[RenderableType]:
    judged = [verdict for verdict in claim.broken if verdict.measured]
    yield heading(f"{claim.name}: {'does not hold' if judged else 'cannot be judged'}")
    yield claim.statement
    unjudged = Counter(verdict.reason for verdict in claim.broken if not verdict.measured)
    for reason, number in unjudged.items():
        yield f"{reason} ({number} of {len(claim.verdicts)} verdicts)"
    for place, group in groupby(judged, _promised):
        yield place
        yield from _broken_table(list(group))


def _promised(verdict: Verdict) -> str:
    """What the rows of a table have in common."""
    kernels = f"{verdict.baseline_kernel} → {verdict.candidate_kernel}"
    place = f"{verdict.workload}, {verdict.configuration}"
    return f"{place}, {kernels}; promised: {verdict.promise}"


def _broken_table(verdicts: Sequence[Verdict]) -> Iterator[RenderableType]:
    made = _table(["event", "baseline", "candidate", f"found ({verdicts[0].unit}, counted)"])
    for verdict in verdicts[:_SHOWN]:
        made.add_row(verdict.event, *_figures(verdict), verdict.reason)
    yield made
    if len(verdicts) > _SHOWN:
        yield f"… and {len(verdicts) - _SHOWN} more (--json has all)."


def _kept_table(claims: Sequence[ClaimResult]) -> Table:
    made = _table([*_KEPT, "baseline", "candidate", "promised", "found"])
    for claim in claims:
        for _, group in groupby(claim.verdicts, _place):
            made.add_row(*_kept_row(claim, list(group)))
    return made


def _kept_row(claim: ClaimResult, verdicts: Sequence[Verdict]) -> list[str]:
    """Of several events the one that moved most stands for all."""
    most = max(verdicts, key=_relative_change)
    others = f" and {len(verdicts) - 1} more" if len(verdicts) > 1 else ""
    names = [claim.name, *_place(most), f"{most.event}{others}"]
    return [*names, *_figures(most), most.promise, most.reason]


def _table(columns: Sequence[str]) -> Table:
    """Figures to the right, words to the left; only the last may wrap, so no digit is cut."""
    made = table(columns)
    for column in made.columns:
        column.justify = "right" if column.header in _RIGHT else "left"
    made.columns[-1].no_wrap = False
    return made


def _place(verdict: Verdict) -> tuple[str, str]:
    return verdict.workload, verdict.configuration


def _figures(verdict: Verdict) -> tuple[str, str]:
    return amount(verdict.baseline), amount(verdict.candidate)


def _relative_change(verdict: Verdict) -> tuple[float, float]:
    """Of those that did not move at all, the most frequent is the largest."""
    if verdict.baseline is None or verdict.candidate is None:
        return 0, 0
    moved = abs(verdict.candidate - verdict.baseline)
    relative = moved / abs(verdict.baseline) if verdict.baseline else (inf if moved else 0)
    return relative, verdict.candidate
