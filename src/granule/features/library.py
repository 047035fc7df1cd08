# SPDX-License-Identifier: GPL-2.0-or-later
"""All features in a folder, and the order they are applied in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from granule.errors import FormatError, UsageError
from granule.features.model import Feature, load

ALL = "all"


@dataclass(frozen=True)
class Library:
    """A folder of features. They are read only when asked for."""

    folder: Path

    @property
    def names(self) -> tuple[str, ...]:
        """The features there are, by name."""
        return tuple(sorted(path.parent.name for path in self.folder.glob("*/feature.toml")))

    def load(self, name: str) -> Feature:
        """One feature; UsageError if there is none of that name, FormatError for mistakes."""
        if name not in self.names:
            known = ", ".join(self.names) or "none yet"
            raise UsageError(f"There is no feature '{name}'; the features are: {known}.")
        return load(self.folder / name)

    def load_all(self) -> tuple[Feature, ...]:
        """Every feature, in the order they are applied."""
        return _ordered({name: load(self.folder / name) for name in self.names})

    def choose(self, named: Sequence[str], version: str) -> tuple[Feature, ...]:
        """The features a SPEC names for a version of Linux, in the order they are applied.

        `all` stands for every one of that version that is no draft, NAME/N for the first
        N patches of NAME. A feature brings those it comes after. Raises UsageError.
        """
        chosen: dict[str, Feature] = {}
        for text in named:
            for feature in self._expand(text, version):
                chosen[feature.name] = feature
        ordered = _ordered(self._with_needed(chosen))
        for feature in ordered:
            _check_base(feature, version)
        return ordered

    def below(self, feature: Feature) -> tuple[Feature, ...]:
        """The features this one comes after, in the order they are applied."""
        needed = self._with_needed({feature.name: feature})
        return tuple(each for each in _ordered(needed) if each.name != feature.name)

    def _expand(self, text: str, version: str) -> tuple[Feature, ...]:
        if text != ALL:
            return (self._parse(text),)
        ready = [each for each in map(self.load, self.names) if not each.about.draft]
        if features := tuple(each for each in ready if each.about.base == version):
            return features
        raise UsageError(f"There is no feature for linux-{version}: leave '+all' out.")

    def _parse(self, text: str) -> Feature:
        name, slash, number = text.partition("/")
        feature = self.load(name)
        if not slash:
            return feature
        if not number.isdecimal():
            raise UsageError(f"'{text}' is no feature: write '{name}', or '{name}/1' for a prefix.")
        return feature.limited(int(number))

    def _with_needed(self, features: Mapping[str, Feature]) -> dict[str, Feature]:
        """The features and, transitively, those they come after."""
        found = dict(features)
        left = list(features.values())
        while left:
            feature = left.pop()
            for name in feature.about.after:
                if name not in found:
                    found[name] = self._needed(feature, name)
                    left.append(found[name])
        return found

    def _needed(self, feature: Feature, name: str) -> Feature:
        if name not in self.names:
            raise FormatError(
                f"{feature.folder / 'feature.toml'}: key 'after': there is no feature '{name}'."
            )
        return self.load(name)


def _check_base(feature: Feature, version: str) -> None:
    if feature.about.base != version:
        raise UsageError(
            f"Feature '{feature.name}' is for linux-{feature.about.base}, not for linux-{version}."
        )


def _ordered(features: Mapping[str, Feature]) -> tuple[Feature, ...]:
    """By name, but each behind those it comes after."""
    left = dict(sorted(features.items()))
    ordered: list[Feature] = []
    while left:
        ready = next((f for f in left.values() if not left.keys() & set(f.about.after)), None)
        if ready is None:
            names = " and ".join(left)
            raise FormatError(f"Features {names} come after each other: mend key 'after' of one.")
        ordered.append(left.pop(ready.name))
    return tuple(ordered)
