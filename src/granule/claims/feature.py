# SPDX-License-Identifier: GPL-2.0-or-later
"""The claims of each feature, read from ``features/NAME/feature.toml``."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from granule import shipped
from granule.claims.model import Claim
from granule.errors import UsageError

_CLAIMS = TypeAdapter(tuple[Claim, ...])


@dataclass(frozen=True, slots=True)
class FeatureClaims:
    """A feature and what it promises."""

    feature: str
    claims: tuple[Claim, ...]


def folder() -> Path:
    """Where the features that come with Granule lie."""
    return shipped.folder() / "features"


def load_claims() -> tuple[FeatureClaims, ...]:
    """The claims of all features; raises UsageError that names what is wrong in one."""
    return tuple(parse_claims(path) for path in sorted(folder().glob("*/feature.toml")))


def parse_claims(path: Path) -> FeatureClaims:
    """The ``[[claim]]`` tables of one ``feature.toml``; other tables are not looked at."""
    try:
        document = tomllib.loads(path.read_text())
        claims = _CLAIMS.validate_python(document.get("claim", ()))
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}.") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}.") from error
    except ValidationError as error:
        raise UsageError(f"{path}: {_explain(error)}.") from error
    _check_names(path, [claim.name for claim in claims])
    return FeatureClaims(path.parent.name, claims)


def _check_names(path: Path, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{path} has two claims '{name}'.")


def _explain(error: ValidationError) -> str:
    first = error.errors()[0]
    number, *rest = first["loc"] or (0,)
    where = ".".join(["claim", str(int(number) + 1), *map(str, rest)])
    return f"{where}: {first['msg'].removeprefix('Value error, ')}"
