# SPDX-License-Identifier: GPL-2.0-or-later
"""The symbols of a running kernel, as /proc/kallsyms or a System.map lists them."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from granule.errors import FormatError

UNKNOWN = "[unknown]"
"""The function of an address no symbol covers."""

_LINE = re.compile(r"([0-9a-f]{8,16}) (\S) (\S+)(?:\s+\[(\S+)\])?")
_TEXT = frozenset("tTwW")


@dataclass(frozen=True, slots=True)
class _Symbol:
    address: int
    kind: str
    name: str
    module: str

    @property
    def function(self) -> str:
        if self.kind not in _TEXT:
            return UNKNOWN
        return f"{self.name} [{self.module}]" if self.module else self.name

    @property
    def rank(self) -> tuple[int, bool, bool, bool, str]:
        """Orders the names of one address, the best first.

        Linker markers and aliases (``_stext``, ``__pi_memcpy``) begin with
        underscores; then a global name is better known than a weak or local one.
        """
        underscores = len(self.name) - len(self.name.lstrip("_"))
        return (
            underscores,
            self.kind not in _TEXT,
            self.kind in "wW",
            self.kind.islower(),
            self.name,
        )


class SymbolTable:
    """Looks up the function an address is in."""

    def __init__(self, symbols: Iterable[tuple[int, str]]) -> None:
        """Takes (start address, function) in the order of addresses, without doubles."""
        pairs = list(symbols)
        self._starts = [address for address, _ in pairs]
        self._functions = [function for _, function in pairs]
        self.functions = frozenset(self._functions) - {UNKNOWN}

    @classmethod
    def parse(cls, text: str) -> "SymbolTable":
        """Reads kallsyms or a System.map.

        Data symbols end the function before them. Raises FormatError if there
        is no symbol, or if the kernel hid the addresses (kptr_restrict).
        """
        best: dict[int, _Symbol] = {}
        for symbol in map(_parse_line, text.splitlines()):
            if symbol and _better(symbol, best.get(symbol.address)):
                best[symbol.address] = symbol
        if not any(best):
            raise FormatError("The symbol list has no addresses; is it from /proc/kallsyms?")
        return cls((address, best[address].function) for address in sorted(best))

    def function(self, address: int) -> str:
        """The function at an address, ``name [module]`` in a module, or UNKNOWN."""
        index = bisect_right(self._starts, address) - 1
        return self._functions[index] if index >= 0 else UNKNOWN


def _parse_line(line: str) -> _Symbol | None:
    """None for a mapping symbol (``$x``), which marks code or data and names nothing."""
    match = _LINE.fullmatch(line.rstrip())
    if not match:
        raise FormatError(f"The symbol list has a line that is none: '{line[:80]}'.")
    address, kind, name, module = match.groups("")
    return None if name.startswith("$") else _Symbol(int(address, 16), kind, name, module)


def _better(symbol: _Symbol, than: _Symbol | None) -> bool:
    return than is None or symbol.rank < than.rank
