# SPDX-License-Identifier: GPL-2.0-or-later
"""Flame graphs: the kernel's call stacks at an event, or sampled."""

import os
import subprocess
from pathlib import Path

from granule import shipped
from granule.errors import MachineError, MissingToolError, ShortfallError, UsageError
from granule.report.header import counts_of
from granule.run import Measurement
from granule.symbols import SymbolTable, fold

SAMPLED = "instructions"
PERIOD = 10_007
"""Instructions between two samples: a prime, so that no loop keeps step with it."""


def stacks_wanted(expressions: tuple[str, ...]) -> str:
    """Which stacks the plugin shall keep for the first expression; instructions are sampled.

    Raises UsageError for a glob or a level: a graph is about one event of the kernel.
    """
    name, _, level = (expressions[0] if expressions else SAMPLED).partition(":")
    if level == "u" or "*" in name:
        raise UsageError(f"A flame graph needs one kernel event, not '{expressions[0]}'.")
    return f"{SAMPLED}:{PERIOD}" if name == SAMPLED else name


def check_place(path: Path) -> None:
    """Raises UsageError where no file can be made, before a machine runs for it."""
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise UsageError(f"Cannot write {path}: name a file in a folder that is yours.")


def write_flame_graph(measurement: Measurement, path: Path, event: str) -> None:
    """Writes an SVG, or the folded stacks if the name does not end in ``.svg``.

    The stacks are those of the first run. Raises ShortfallError if there are none.
    """
    folded = _folded(measurement)
    if not folded:
        raise ShortfallError(f"No call stack at '{event}' was seen, so there is no graph to draw.")
    try:
        path.write_bytes(_draw(folded, measurement, event) if path.suffix == ".svg" else folded)
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {error.strerror}.") from error


def _folded(measurement: Measurement) -> bytes:
    symbols = SymbolTable.parse(measurement.outcomes[0].kallsyms or "")
    regions = counts_of(measurement)[0].measured()
    return "".join(fold(region.stacks, symbols) for region in regions).encode()


def _draw(folded: bytes, measurement: Measurement, event: str) -> bytes:
    title = f"{' '.join(measurement.command.argv)} on {measurement.bootable.release}: {event}"
    unit = f"samples of {PERIOD:,} instructions" if event == SAMPLED else event
    command = [str(shipped.flame()), title, unit]
    try:
        done = subprocess.run(command, input=folded, capture_output=True, check=True)
    except FileNotFoundError:
        raise MissingToolError("The flame graph program is not built: make setup.") from None
    except subprocess.CalledProcessError as error:
        raise MachineError("The flame graph was not drawn.", details=str(error.stderr)) from error
    return done.stdout
