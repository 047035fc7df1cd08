# SPDX-License-Identifier: GPL-2.0-or-later
"""The claims of each feature; no patch is looked at."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from granule import shipped
from granule.claims.model import Claim
from granule.errors import FormatError
from granule.features.model import read_description


@dataclass(frozen=True, slots=True)
class FeatureClaims:
    """A feature and what it promises."""

    feature: str
    claims: tuple[Claim, ...]


def folder() -> Path:
    """Where the features that come with Granule lie."""
    return shipped.folder() / "features"


def load_claims() -> tuple[FeatureClaims, ...]:
    """The claims of all features; raises FormatError that names what is wrong in one."""
    return tuple(parse_claims(path) for path in sorted(folder().glob("*/feature.toml")))


def parse_claims(path: Path) -> FeatureClaims:
    """The ``[[claim]]`` tables of one ``feature.toml``."""
    claims = read_description(path).claims
    _check_names(path, [claim.name for claim in claims])
    return FeatureClaims(path.parent.name, claims)


def _check_names(path: Path, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise FormatError(f"{path} has two claims '{name}'.")
