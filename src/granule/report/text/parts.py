# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers, tables and header lines."""

import shlex
from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from granule.report.header import MachineHeader
from granule.report.model import Figure

_IDENTITY = 12
_REPORTS = 3


def number(value: float) -> str:
    """With thousands separators; one decimal only where there is something to show."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def amount(value: float | None) -> str:
    """Counts per operation: as many digits as it takes to show that it is not 0."""
    if value is None:
        return "—"
    if value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.3f}" if abs(value) >= 0.01 else f"{value:.2g}"


def signed(value: float) -> str:
    """A change, with its sign; U+2212 is the minus of the same width."""
    return f"{'+' if value > 0 else '−' if value < 0 else ''}{number(abs(value))}"


def percent(relative: float | None) -> str:
    """A relative change; ``new`` where there was nothing before."""
    if relative is None:
        return "new"
    return f"{'+' if relative > 0 else '−' if relative < 0 else ''}{abs(relative):,.2%}"


def figure(value: Figure | None) -> str:
    """The count, or the mean; empty for a level nobody asked for."""
    return "" if value is None else number(value.mean)


def spread(value: Figure | None, *, repeatable: bool) -> str:
    """How far runs lie apart: their range on a repeatable machine, else the 95 % interval."""
    if value is None or (repeatable and value.constant):
        return ""
    if repeatable or value.interval is None:
        return f"{number(value.minimum)}–{number(value.maximum)}"
    return f"± {number(round(value.interval, 1))}"


def heading(text: str) -> Text:
    """The line above a table; a table's own title would wrap at its width."""
    return Text(text, style="bold")


def table(columns: Sequence[str]) -> Table:
    """A plain table: the first column is a name, the others are numbers."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for index, column in enumerate(columns):
        made.add_column(column, justify="right" if index else "left", no_wrap=True)
    return made


def header_lines(header: MachineHeader) -> Text:
    """What ran where; a line each for the kernel, the machine, the command and its end."""
    return _lines(
        ("kernel", _kernel(header)),
        ("machine", _machine(header)),
        ("command", shlex.join(header.command)),
        ("ended", _endings(header)),
    )


def pair_lines(base: MachineHeader, cand: MachineHeader) -> Text:
    """The same for two kernels, which the same machine ran with the same command."""
    return _lines(
        ("base", _kernel(base)),
        ("candidate", _kernel(cand)),
        ("machine", _machine(base)),
        ("command", shlex.join(base.command)),
        ("base", _endings(base)),
        ("candidate", _endings(cand)),
    )


def _lines(*lines: tuple[str, str]) -> Text:
    return Text("\n").join(Text.assemble((f"{name:<11}", "dim"), text) for name, text in lines)


def doubt_lines(doubts: Sequence[str]) -> list[Text]:
    """Doubts, so that nobody can overlook them."""
    return [Text(f"Doubtful: {doubt}", style="yellow") for doubt in doubts]


def log_lines(header: MachineHeader) -> Iterator[Text]:
    """What the kernel complained of in its log; nothing of one that did not."""
    complained = [run for run in header.runs if run.reports]
    if not complained:
        return
    often = f" in {len(complained)} of {len(header.runs)} runs" if len(header.runs) > 1 else ""
    yield Text(f"\nKernel {header.kernel} complained in its log{often}:", style="yellow")
    lines = tuple(dict.fromkeys(line for run in complained for line in run.reports))
    yield from (Text(f"  {line}", style="yellow") for line in lines[:_REPORTS])
    if len(lines) > _REPORTS:
        yield Text(f"  … and {len(lines) - _REPORTS} more", style="yellow")
    yield Text(f"The whole log: {complained[0].kernel_log}")


def _kernel(header: MachineHeader) -> str:
    return f"{header.kernel}: {header.release} ({header.identity[:_IDENTITY]})"


def _machine(header: MachineHeader) -> str:
    cpus = f"{header.vcpus} vCPU{'s' if header.vcpus > 1 else ''}"
    kind = "repeatable" if header.repeatable else "not repeatable"
    return f"{header.emulator}, {cpus}, {header.memory_mib} MiB, {kind}"


def _endings(header: MachineHeader) -> str:
    endings = ", ".join(dict.fromkeys(run.status for run in header.runs))
    times = ", ".join(f"{run.wall_seconds:.1f} s" for run in header.runs)
    return f"{endings}; boot to power-off took {times} (timed, on this host)"
