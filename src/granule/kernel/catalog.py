# SPDX-License-Identifier: GPL-2.0-or-later
"""What the files under `kernel/` say: known kernels and configuration fragments."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from granule import shipped as data
from granule.errors import UsageError
from granule.features import Library


@dataclass(frozen=True)
class PackagedKernel:
    """A kernel that is in Debian: its package and the releases to ask for it."""

    title: str
    package: str
    releases: tuple[str, ...]


@dataclass(frozen=True)
class Fragment:
    """A configuration fragment a SPEC may name; one of each group is used."""

    name: str
    group: str
    title: str
    default: bool = False


@dataclass(frozen=True)
class Sources:
    """`source.toml`: the kernels known by name."""

    linux: dict[str, PackagedKernel]
    debian: PackagedKernel


@dataclass(frozen=True)
class Fragments:
    """`fragments.toml`: the fragments in the order they are merged."""

    always: tuple[str, ...]
    fragment: tuple[Fragment, ...]


@dataclass(frozen=True)
class Catalog:
    """The known kernels, fragments and features, and the folder of the first two."""

    folder: Path
    sources: Sources
    fragments: Fragments
    features: Library

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions of Linux that `linux-VERSION` may name."""
        return tuple(self.sources.linux)

    def choose(self, named: Sequence[str]) -> tuple[str, ...]:
        """The fragments to merge, in order, when a SPEC names `named`.

        Raises UsageError for one that does not exist and for two that exclude
        each other.
        """
        chosen = dict.fromkeys(f.group for f in self.fragments.fragment)
        for fragment in map(self._find, dict.fromkeys(named)):
            if other := chosen[fragment.group]:
                raise UsageError(
                    f"Fragments '{other}' and '{fragment.name}' exclude each other: name one."
                )
            chosen[fragment.group] = fragment.name
        picked = (f.name for f in self.fragments.fragment if _is_used(f, chosen[f.group]))
        return (*self.fragments.always, *picked)

    def fragment_file(self, name: str) -> Path:
        """The file of a fragment."""
        return self.folder / "fragments" / f"{name}.config"

    def _find(self, name: str) -> Fragment:
        for fragment in self.fragments.fragment:
            if fragment.name == name:
                return fragment
        known = ", ".join(f.name for f in self.fragments.fragment)
        raise UsageError(f"There is no fragment '{name}'; the fragments are {known}.")


def _is_used(fragment: Fragment, chosen: str | None) -> bool:
    return fragment.default if chosen is None else fragment.name == chosen


def load(folder: Path) -> Catalog:
    """The catalog in a `kernel/` folder; features are looked for beside it."""
    sources = TypeAdapter(Sources).validate_python(_toml(folder / "source.toml"))
    fragments = TypeAdapter(Fragments).validate_python(_toml(folder / "fragments.toml"))
    return Catalog(folder, sources, fragments, Library(folder.parent / "features"))


@functools.cache
def shipped() -> Catalog:
    """The catalog that comes with Granule."""
    return load(data.folder() / "kernel")


def _toml(path: Path) -> dict[str, object]:
    with path.open("rb") as file:
        return tomllib.load(file)
