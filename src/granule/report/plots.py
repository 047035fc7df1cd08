# SPDX-License-Identifier: GPL-2.0-or-later
"""Plots as SVG to put into a page: no scripts, and the page's own colours."""

import re
from collections.abc import Iterable, Mapping, Sequence

import pygal
from pygal.style import Style

from granule.report.cell import CellTable
from granule.report.columns import KernelFigure
from granule.report.text.parts import percent

_MOST = 24
"""Bars in one plot; those that moved most are drawn."""

_ROW = 26
_MARGIN = 90
_SURPLUS = re.compile(r"<!--.*?-->|<script.*?</script>", re.DOTALL)
"""Comments with the date, and the settings pygal leaves for a script that is not there."""

_COLOURS = tuple(f"var(--kernel-{n})" for n in range(1, 6))


def moves_plot(cell: CellTable) -> str:
    """Relative changes of the events that moved, a series for each kernel; may be empty.

    What moved from nothing has no relative change and is in the table alone.
    """
    moved = _moved(cell)
    if not moved:
        return ""
    kernels = dict.fromkeys(figure.kernel for figures in moved.values() for figure in figures)
    chart = pygal.HorizontalBar(
        **_common(_colours(cell, kernels), height=_MARGIN + _ROW * len(moved) * len(kernels)),
        title="Change of the events that moved (counted)",
        value_formatter=percent,
        print_values=True,
    )
    series = {k: [_relative(figures, k) for figures in moved.values()] for k in kernels}
    return _svg(chart, list(moved), series)


def iteration_plot(cell: CellTable) -> str:
    """Mean and tails of the instructions of an iteration, a series for each kernel."""
    if not cell.iterations:
        return ""
    kernels = [row.kernel for row in cell.iterations]
    chart = pygal.HorizontalBar(
        **_common(_colours(cell, kernels), height=_MARGIN + _ROW * 3 * len(kernels)),
        title="Instructions of each iteration (counted)",
        value_formatter=lambda value: f"{value:,.0f}",
        print_values=True,
    )
    series = {row.kernel: [row.mean, row.p99, row.p999] for row in cell.iterations}
    return _svg(chart, ["mean", "p99", "p99.9"], series)


def _moved(cell: CellTable) -> dict[str, list[KernelFigure]]:
    """Event to the figures of the kernels in which it moved."""
    moved = {
        row.event: [f for f in row.figures if f.moved and f.relative is not None]
        for row in cell.rows
    }
    ranked = sorted(moved.items(), key=lambda item: -max(map(_size, item[1]), default=0))
    chosen = {event for event, figures in ranked[:_MOST] if figures}
    return {event: figures for event, figures in moved.items() if event in chosen}


def _size(figure: KernelFigure) -> float:
    return abs(figure.relative or 0)


def _relative(figures: list[KernelFigure], kernel: str) -> float | None:
    return next((figure.relative for figure in figures if figure.kernel == kernel), None)


def _colours(cell: CellTable, kernels: Iterable[str]) -> tuple[str, ...]:
    """A kernel has one colour in all plots of a cell."""
    every = dict.fromkeys(figure.kernel for row in cell.rows for figure in row.figures)
    order = list(every | dict.fromkeys(row.kernel for row in cell.iterations))
    return tuple(_COLOURS[order.index(kernel) % len(_COLOURS)] for kernel in kernels)


def _common(colours: tuple[str, ...], height: int) -> dict[str, object]:
    """What all plots share. Widths are in units of the drawing, which the page scales."""
    style = Style(
        background="transparent",
        plot_background="transparent",
        foreground="var(--text)",
        foreground_strong="var(--text)",
        foreground_subtle="var(--dim)",
        colors=colours,
        value_colors=("var(--text)",) * len(colours),
        font_family="inherit",
        title_font_size=15,
        label_font_size=12,
        major_label_font_size=12,
        legend_font_size=12,
        value_font_size=12,
    )
    return {
        "style": style,
        "js": (),
        "width": 900,
        "height": height,
        "legend_at_bottom": True,
        "legend_at_bottom_columns": 1,
        "truncate_legend": -1,
        "truncate_label": -1,
        "disable_xml_declaration": True,
    }


def _svg(
    chart: pygal.HorizontalBar, labels: Sequence[str], series: Mapping[str, Sequence[float | None]]
) -> str:
    """The first of the labels comes out on top; pygal would begin at the bottom."""
    chart.x_labels = labels[::-1]
    for name, values in series.items():
        chart.add(name, values[::-1])
    return _SURPLUS.sub("", str(chart.render(is_unicode=True)))
