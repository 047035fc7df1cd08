# SPDX-License-Identifier: GPL-2.0-or-later
"""Gives the events of places to functions."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from granule.events.counts import Place, Stack
from granule.symbols.table import SymbolTable

USER = "[user]"
"""Everything at EL0; its addresses are those of programs, which have other symbols."""


def by_function(places: Iterable[Place], symbols: SymbolTable) -> Mapping[str, Mapping[str, int]]:
    """Function to event to count; events at EL0 are under USER."""
    functions: dict[str, Counter[str]] = defaultdict(Counter)
    for place in places:
        function = symbols.function(place.pc) if place.el == "k" else USER
        functions[function].update(place.events)
    return functions


def fold(stacks: Iterable[Stack], symbols: SymbolTable) -> str:
    """Stacks in the folded format flame graphs are made of.

    One line per distinct stack, outermost frame first: ``a;b;c COUNT``.
    """
    folded: Counter[str] = Counter()
    for stack in stacks:
        names = [_name(frame, symbols) for frame in reversed(stack.frames)]
        folded[";".join(names)] += stack.count
    return "".join(f"{names} {count}\n" for names, count in sorted(folded.items()))


def _name(address: int, symbols: SymbolTable) -> str:
    """The kernel has the upper half of the addresses."""
    return symbols.function(address) if address >> 63 else USER
