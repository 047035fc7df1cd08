# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel configurations as values: read, merge, and compare with what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_SET = re.compile(r"CONFIG_(?P<name>\w+)=(?P<value>.*)")
_UNSET = re.compile(r"# CONFIG_(?P<name>\w+) is not set")

OFF = "n"


@dataclass(frozen=True)
class Config:
    """Symbols and their values, as written in a .config; `n` for "is not set"."""

    values: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        """The value of a symbol; one that is not mentioned is off."""
        return self.values.get(name, OFF)

    def merged(self, later: Config) -> Config:
        """The same configuration with the symbols of a later one on top."""
        return Config({**self.values, **later.values})

    def text(self) -> str:
        """The file `make` reads."""
        return "".join(f"{_line(name, value)}\n" for name, value in self.values.items())

    def has_modules(self) -> bool:
        """Whether anything is built as a module."""
        return "m" in self.values.values()


@dataclass(frozen=True)
class Refusal:
    """A symbol that did not become what was asked for."""

    name: str
    wanted: str
    got: str


def parse(text: str) -> Config:
    """Reads a .config or a fragment; other lines are comments."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        if match := _SET.fullmatch(line):
            values[match["name"]] = match["value"]
        elif match := _UNSET.fullmatch(line):
            values[match["name"]] = OFF
    return Config(values)


def read(path: Path) -> Config:
    """Reads a .config or fragment file."""
    return parse(path.read_text())


def merge(files: Sequence[Path]) -> Config:
    """The fragments in order, each on top of those before it."""
    merged = Config({})
    for path in files:
        merged = merged.merged(read(path))
    return merged


def refusals(wanted: Config, got: Config) -> tuple[Refusal, ...]:
    """The symbols that `make` did not set as they were asked for."""
    return tuple(
        Refusal(name, value, got[name])
        for name, value in wanted.values.items()
        if got[name] != value
    )


def differences(symbols: Iterable[str], one: Config, other: Config) -> dict[str, tuple[str, str]]:
    """Among `symbols`, those whose values differ, with both values."""
    return {name: (one[name], other[name]) for name in sorted(symbols) if one[name] != other[name]}


def _line(name: str, value: str) -> str:
    return f"# CONFIG_{name} is not set" if value == OFF else f"CONFIG_{name}={value}"
