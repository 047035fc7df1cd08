# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule report``: one HTML page with everything in it, tables, plots and provenance."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from granule.findings import Findings
from granule.report.check import CheckReport
from granule.report.model import Model
from granule.report.plots import iteration_plot, moves_plot
from granule.report.show import ShowReport
from granule.report.text import parts
from granule.report.text import show as text
from granule.store import KernelRecord, RunRecord

_FILTERS: Mapping[str, object] = {
    "amount": parts.amount,
    "cell_title": text.cell_title,
    "change": text.share,
    "figure": parts.figure,
    "flag": text.flag,
    "ours": text.ours,
    "percent": parts.percent,
    "signed": text.signed_amount,
}


class RunLine(Model):
    """One run and what it was of. ``wall_seconds`` are timed on ``host``."""

    id: str
    kernel: str
    command: str
    seed: int
    time: datetime
    wall_seconds: float
    host: str


class Provenance(Model):
    """Where every figure of a page comes from."""

    kernels: tuple[KernelRecord, ...]
    emulators: tuple[str, ...]
    plugins: tuple[str, ...]
    userlands: tuple[str, ...]
    runs: tuple[RunLine, ...]


def provenance(found: Sequence[Findings]) -> Provenance:
    """That of all runs that are there."""
    runs = {
        run.id: (run, finding.cell.spec)
        for findings in found
        for finding in findings
        for run in finding.runs
    }
    every = [run for run, _ in runs.values()]
    return Provenance(
        kernels=tuple({run.kernel.identity: run.kernel for run in every}.values()),
        emulators=_each_once([run.conditions.emulator for run in every]),
        plugins=_each_once([f"{run.plugin_version}, {run.conditions.plugin}" for run in every]),
        userlands=_each_once([run.conditions.userland for run in every]),
        runs=tuple(_line(run, spec) for run, spec in runs.values()),
    )


def render_page(show: ShowReport, check: CheckReport, source: Provenance) -> str:
    """The page. It needs nothing but itself, and follows the reader's light or dark screen."""
    environment = Environment(
        loader=PackageLoader("granule.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(_FILTERS)
    environment.globals["moves_plot"] = lambda cell: Markup(moves_plot(cell))  # noqa: S704 drawn here
    environment.globals["iteration_plot"] = lambda cell: Markup(iteration_plot(cell))  # noqa: S704
    template = environment.get_template("report.html.jinja")
    return template.render(show=show, check=check, source=source, legend=text.LEGEND)


def _line(run: RunRecord, spec: str) -> RunLine:
    return RunLine(
        id=run.id,
        kernel=spec,
        command=" ".join(run.command),
        seed=run.conditions.seed,
        time=run.time,
        wall_seconds=run.wall,
        host=run.host,
    )


def _each_once(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
