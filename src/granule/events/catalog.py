# SPDX-License-Identifier: GPL-2.0-or-later
"""The event catalogue: names, what they mean, and which are totals of which leaves.

``catalog.toml`` beside this file has one table per leaf the plugin counts and
one per total::

    [[event]]
    name = "tlbi.vae1is"        # or a pattern, "mrs.*", for leaves made as needed
    description = "TLBI VAE1IS"

    [[total]]
    name = "tlbi.broadcast"
    description = "TLB invalidations sent to all cores"
    leaves = ["tlbi.*is", "tlbi.*os"]

There is one rule for sums, and it is here: a total is the sum of the leaves its
patterns match, each leaf once. A name that only begins leaves (``mrs`` of
``mrs.tfsr_el1``) is the total of those.
"""

import difflib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import resources
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from granule.errors import FormatError, UsageError
from granule.events.counts import ByLevel

Level = Literal["u", "k"]
BOTH: frozenset[Level] = frozenset(("u", "k"))
_SUFFIXES: Mapping[str, frozenset[Level]] = {
    "u": frozenset(("u",)),
    "k": frozenset(("k",)),
    "uk": BOTH,
}
_WILD = "*?["


class _Model(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid", frozen=True)


class Event(_Model):
    """A leaf, or a pattern of leaves: something the plugin counts as it is."""

    name: str
    description: str


class Total(_Model):
    """A sum over the leaves that match one of ``leaves``.

    One that is ``always`` there is in an overview also when it is 0.
    """

    name: str
    description: str
    leaves: Annotated[tuple[str, ...], Field(strict=False, min_length=1)]
    always: bool = False


class _File(_Model):
    event: Annotated[tuple[Event, ...], Field(strict=False)]
    total: Annotated[tuple[Total, ...], Field(strict=False)] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """One name to show: which leaves it sums, and at which exception levels."""

    name: str
    leaves: tuple[str, ...]
    levels: frozenset[Level] = BOTH
    is_total: bool = False

    def count(self, events: Mapping[str, ByLevel]) -> ByLevel:
        """The sum over the leaves; what was never counted is 0."""
        return sum((events[leaf] for leaf in self.leaves if leaf in events), start=ByLevel())


class Catalog:
    """All names there are."""

    def __init__(self, events: Sequence[Event], totals: Sequence[Total]) -> None:
        self.events = tuple(events)
        self.totals = tuple(totals)
        self._totals = {total.name: total for total in totals}

    @classmethod
    def parse(cls, text: str) -> "Catalog":
        """Reads TOML; raises FormatError for anything but a catalogue."""
        try:
            file = _File.model_validate(tomllib.loads(text))
        except (tomllib.TOMLDecodeError, ValidationError) as error:
            raise FormatError(f"The event catalogue cannot be read: {error}.") from error
        return cls(file.event, file.total)

    @classmethod
    def shipped(cls) -> "Catalog":
        """The catalogue that comes with Granule."""
        return cls.parse(resources.files(__package__).joinpath("catalog.toml").read_text())

    def describe(self, name: str) -> str:
        """What a name means; empty if the catalogue says nothing."""
        if name in self._totals:
            return self._totals[name].description
        for event in self.events:
            if fnmatchcase(name, event.name):
                return event.description
        return ""

    def check(self, expressions: Iterable[str]) -> None:
        """Raises UsageError for an expression that can never match, naming near ones."""
        for expression in expressions:
            name, _ = _split(expression)
            if not self._exists(name):
                raise UsageError(self._unknown(name))

    def select(self, expressions: Sequence[str], counted: Iterable[str]) -> tuple[Selection, ...]:
        """What expressions such as ``tlbi:k`` or ``mrs.*`` stand for, in their order.

        ``counted`` are the leaves of a run. A glob gives the leaves it matches
        one by one, a name one row. Without expressions: see :meth:`overview`.
        """
        leaves = sorted(set(counted))
        if not expressions:
            return self.overview(leaves)
        self.check(expressions)
        chosen: dict[tuple[str, frozenset[Level]], Selection] = {}
        for expression in expressions:
            for selection in self._expand(expression, leaves):
                chosen.setdefault((selection.name, selection.levels), selection)
        return tuple(chosen.values())

    def overview(self, counted: Iterable[str]) -> tuple[Selection, ...]:
        """Every total something was counted for, and the leaves that are in none.

        The latter and some totals counted or not: that no access was checked is an
        answer.
        """
        found = self.everything(set(counted) | self._always_shown())
        return tuple(s for s in found if s.is_total or not self._in_total(s.name))

    def _always_shown(self) -> set[str]:
        """The events that are single, not one of a family, in no total or in one of these."""
        always = [pattern for total in self.totals if total.always for pattern in total.leaves]
        single = (event.name for event in self.events if not _is_glob(event.name))
        return {name for name in single if not self._in_total(name) or _matches_any(name, always)}

    def everything(self, counted: Iterable[str]) -> tuple[Selection, ...]:
        """Every total something was counted for and every leaf, in the catalogue's order."""
        leaves = sorted(set(counted))
        totals = [self._total(total.name, leaves) for total in self.totals]
        found = [selection for selection in totals if selection.leaves]
        found += [Selection(leaf, (leaf,)) for leaf in leaves if leaf not in self._totals]
        return tuple(sorted(found, key=lambda selection: self._order(selection.name)))

    def _expand(self, expression: str, leaves: Sequence[str]) -> tuple[Selection, ...]:
        name, levels = _split(expression)
        if _is_glob(name):
            matched = [leaf for leaf in leaves if fnmatchcase(leaf, name)]
            return tuple(Selection(leaf, (leaf,), levels) for leaf in matched)
        total = self._total(name, leaves)
        return (Selection(name, total.leaves, levels, total.is_total),)

    def _total(self, name: str, leaves: Sequence[str]) -> Selection:
        if name in self._totals:
            patterns = self._totals[name].leaves
            matched = [leaf for leaf in leaves if _matches_any(leaf, patterns)]
            return Selection(name, tuple(matched), is_total=True)
        if any(fnmatchcase(name, event.name) for event in self.events) or name in leaves:
            return Selection(name, (name,))
        below = [leaf for leaf in leaves if leaf.startswith(f"{name}.")]
        return Selection(name, tuple(below), is_total=True)

    def _in_total(self, leaf: str) -> bool:
        return any(_matches_any(leaf, total.leaves) for total in self.totals)

    def _exists(self, name: str) -> bool:
        if _is_glob(name):
            return any(
                fnmatchcase(known, name) or fnmatchcase(name, known) for known in self._names
            )
        return any(
            fnmatchcase(name, known) or known.startswith(f"{name}.") for known in self._names
        )

    @property
    def _names(self) -> tuple[str, ...]:
        return (*self._totals, *(event.name for event in self.events))

    def _order(self, name: str) -> tuple[int, str]:
        """Families in the order the catalogue first names them, then by name."""
        families = list(dict.fromkeys(_family(event.name) for event in self.events))
        family = _family(name)
        if family not in families and name in self._totals:
            family = self._first_family(self._totals[name])
        return families.index(family) if family in families else len(families), name

    def _first_family(self, total: Total) -> str:
        """A total over several families stands with the first."""
        summed = (event.name for event in self.events if _matches_any(event.name, total.leaves))
        return _family(next(summed, ""))

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, self._names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else "granule events lists them all."
        return f"There is no event '{name}'; {hint}"


def _split(expression: str) -> tuple[str, frozenset[Level]]:
    name, colon, suffix = expression.strip().partition(":")
    if colon and suffix not in _SUFFIXES:
        raise UsageError(
            f"'{expression}' ends in ':{suffix}'; write ':u' for EL0, ':k' for EL1 or neither."
        )
    return name, _SUFFIXES[suffix] if colon else BOTH


def _is_glob(name: str) -> bool:
    return any(character in name for character in _WILD)


def _family(name: str) -> str:
    return name.partition(".")[0]


def _matches_any(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
