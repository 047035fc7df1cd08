# SPDX-License-Identifier: GPL-2.0-or-later
"""Enough of the Kconfig language to say where a symbol is and what it needs.

`make` decides what a configuration is; this only explains its decision.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from granule.kernel.config import OFF, Config

_OPENS = re.compile(r"(?P<kind>if|menu|choice)\b\s*(?P<rest>.*)")
_CLOSES = re.compile(r"end(if|menu|choice)\b")
_SYMBOL = re.compile(r"(?:menu)?config\s+(?P<name>\w+)")
_DEPENDS = re.compile(r"depends\s+on\s+(?P<expression>.+)")
_SOURCE = re.compile(r"(source|comment|mainmenu)\b")
_WORD = re.compile(r"\b[A-Z0-9_]*[A-Z][A-Z0-9_]*\b")


@dataclass(frozen=True)
class Definition:
    """One place that defines a symbol: the conditions it stands under."""

    name: str
    conditions: tuple[str, ...]


def definitions(text: str) -> Iterator[Definition]:
    """The symbols a Kconfig file defines, in order; help texts are passed over."""
    reader = _Reader()
    for line in _statements(text):
        yield from reader.feed(line)
    yield from reader.finish()


class _Reader:
    """The conditions of the blocks around the line being read."""

    def __init__(self) -> None:
        self._blocks: list[list[str]] = []
        self._name: str | None = None
        self._own: list[str] = []

    def feed(self, line: str) -> Iterator[Definition]:
        """Reads one statement; yields the symbol it ends, if any."""
        if match := _SYMBOL.fullmatch(line):
            yield from self.finish()
            self._name = match["name"]
        elif match := _OPENS.match(line):
            yield from self.finish()
            self._blocks.append([match["rest"]] if match["kind"] == "if" else [])
        elif _CLOSES.match(line):
            yield from self.finish()
            self._blocks.pop()
        elif _SOURCE.match(line):
            yield from self.finish()
        elif match := _DEPENDS.match(line):
            self._depend(match["expression"])

    def finish(self) -> Iterator[Definition]:
        """Yields the symbol under way."""
        if self._name is not None:
            around = [condition for block in self._blocks for condition in block]
            yield Definition(self._name, (*around, *self._own))
        self._name, self._own = None, []

    def _depend(self, expression: str) -> None:
        """A menu's own conditions hold for all in it."""
        if self._name is not None:
            self._own.append(expression)
        elif self._blocks:
            self._blocks[-1].append(expression)


def _statements(text: str) -> Iterator[str]:
    """Lines without comments, indentation and help texts; continued ones joined."""
    help_indent: int | None = None
    for line in text.replace("\\\n", " ").splitlines():
        stripped = line.strip()
        indent = len(line.expandtabs()) - len(line.expandtabs().lstrip())
        if not stripped or stripped.startswith("#"):
            continue
        if help_indent is not None and indent > help_indent:
            continue
        help_indent = None
        if stripped in ("help", "---help---"):
            # A help text is indented deeper than the symbol it belongs to.
            help_indent = max(indent - 1, 0)
            continue
        yield stripped


def find(tree: Path, names: Collection[str]) -> tuple[Definition, ...]:
    """Where a kernel tree for arm64 defines these symbols, in one walk over it."""
    found: list[Definition] = []
    for path in _files(tree):
        text = path.read_text(errors="replace")
        if any(f"config {name}\n" in text for name in names):
            found += [d for d in definitions(text) if d.name in names]
    return tuple(found)


def _files(tree: Path) -> Iterable[Path]:
    yield from tree.glob("Kconfig*")
    for folder in sorted(path for path in tree.iterdir() if path.is_dir()):
        within = folder / "arm64" if folder.name == "arch" else folder
        yield from within.rglob("Kconfig*")
    yield from (tree / "arch").glob("Kconfig*")


def unmet(definition: Definition, config: Config) -> tuple[str, ...]:
    """The conditions of a definition that name a symbol that is off."""
    return tuple(c for c in definition.conditions if _may_fail(c, config))


def _may_fail(condition: str, config: Config) -> bool:
    """Whether a symbol is off that the condition wants on, or on that it wants off.

    An "||" needs one side only, so each side is looked at by itself.
    """
    return all(_side_fails(side, config) for side in condition.split("||"))


def _side_fails(side: str, config: Config) -> bool:
    for word in _WORD.finditer(side):
        negated = side[: word.start()].rstrip(" (").endswith("!")
        if (config[word[0]] != OFF) == negated:
            return True
    return False
