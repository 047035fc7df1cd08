# SPDX-License-Identifier: GPL-2.0-or-later
"""What else than a change moves functions, in sentences below the functions that moved."""

from collections.abc import Iterator, Sequence

from granule.events import ByLevel, Region
from granule.events.counts import COMMAND

_INTERRUPT = "exceptions.irq"


def hints(base: Sequence[Region], cand: Sequence[Region]) -> Iterator[str]:
    """About one region in all runs of both kernels, of a repeatable machine.

    The interrupts that are left are the clock's. Where they fall follows from how long the
    kernel took to get there, so no seed moves them, and statistics cannot tell.
    """
    if base[0].name == COMMAND and len(base) == len(cand) == 1:
        yield (
            "One run of a whole command: what the allocators have at hand when it starts moves "
            "functions too. Ask for more seeds (-n 5), or mark a region (guest/include/granule.h)."
        )
    before, after = _interrupts(base), _interrupts(cand)
    if before != after:
        yield (
            f"The clock ticked at other points: {_described(before)} in base, "
            f"{_described(after)} in the candidate. What the kernel does at a tick is among "
            "these functions."
        )


def _interrupts(runs: Sequence[Region]) -> list[ByLevel]:
    return [run.events.get(_INTERRUPT, ByLevel()) for run in runs]


def _described(interrupts: Sequence[ByLevel]) -> str:
    """How often in user space and in the kernel, run by run if the runs differ."""
    different = dict.fromkeys(f"{each.u}:u and {each.k}:k" for each in interrupts)
    return ", ".join(different)
