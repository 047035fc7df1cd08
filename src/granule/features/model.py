# SPDX-License-Identifier: GPL-2.0-or-later
"""One piece of kernel work: what ``feature.toml`` and ``series`` say of it.

::

    title = "No MTE barriers when tag faults are synchronous"
    base = "6.12"
    kconfig = ["ARM64_MTE_QUIET"]
    after = ["mte-kernel-policy"]

    [upstream]
    status = "partly merged"
    commits = ["1b2c3d4e5f60"]
    peer = "linux-7.3"
    differs = "Upstream keeps the read at entry."

    [[claim]]
    …
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)
from pydantic_core import ErrorDetails

from granule.claims.model import Claim
from granule.errors import FormatError, UsageError
from granule.features.patch import Patch, read_series

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def _as_list(value: object) -> object:
    """One commit may be written without the list around it."""
    return [value] if isinstance(value, str) else value


def _is_symbol(value: str) -> str:
    if not re.fullmatch("[A-Z0-9_]+", value) or value.startswith("CONFIG_"):
        raise ValueError(f"'{value}' is no symbol: write it as in a Kconfig file")
    return value


Sentence = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Symbol = Annotated[str, AfterValidator(_is_symbol)]
Name = Annotated[str, StringConstraints(pattern=f"^{NAME.pattern}$")]
CommitId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12,40}$")]


class _Model(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")


class Upstream(_Model):
    """What became of the same change in Linux.

    ``peer`` is the SPEC of a kernel that is measured beside this feature, and
    ``differs`` says what that kernel does otherwise and why.
    """

    status: Literal["merged", "partly merged", "posted", "none"]
    commits: Annotated[
        tuple[CommitId, ...],
        BeforeValidator(_as_list),
        Field(validation_alias=AliasChoices("commits", "commit")),
    ] = ()
    peer: Sentence | None = None
    differs: str = ""


class Description(_Model):
    """``feature.toml``. ``after`` names the features it is made on top of.

    ``kconfig`` are the symbols it adds, without ``CONFIG_``; a kernel with the
    feature has them on unless a fragment decides otherwise. ``torture`` names the
    trials it stands, see :mod:`granule.torture`. A ``draft`` is not yet part of
    '+all'.
    """

    title: Sentence
    base: Sentence
    kconfig: tuple[Symbol, ...] = ()
    after: tuple[Name, ...] = ()
    draft: bool = False
    upstream: Upstream
    torture: tuple[Name, ...] = ()
    claims: Annotated[tuple[Claim, ...], Field(alias="claim")] = ()


@dataclass(frozen=True)
class Feature:
    """A feature as it lies in its folder; ``limit`` cuts its series short."""

    folder: Path
    about: Description
    series: tuple[Patch, ...]
    limit: int | None = None

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.name

    @property
    def label(self) -> str:
        """How a SPEC names it: its name, and ``/N`` if only N patches are meant."""
        return self.name if self.limit is None else f"{self.name}/{self.limit}"

    @property
    def patches(self) -> tuple[Patch, ...]:
        """The patches to apply, in order."""
        return self.series[: self.limit]

    @functools.cached_property
    def digest(self) -> str:
        """The sha256 of all it does to the source: its patches and its whole new files."""
        parts = [[patch.name, patch.digest] for patch in self.patches]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def limited(self, patches: int) -> Feature:
        """The feature with the first ``patches`` of its patches."""
        if not 1 <= patches <= len(self.series):
            raise UsageError(
                f"Feature '{self.name}' has {len(self.series)} patches: "
                f"'{self.name}/{patches}' is none of its prefixes."
            )
        return replace(self, limit=patches)


def load(folder: Path) -> Feature:
    """Reads a feature; FormatError names the file and the key that are wrong."""
    about = read_description(folder / "feature.toml")
    if not NAME.fullmatch(folder.name) or folder.name == "all":
        raise FormatError(f"{folder}: '{folder.name}' is no name for a feature: rename the folder.")
    return Feature(folder, about, read_series(folder))


def read_description(path: Path) -> Description:
    """Reads ``feature.toml``."""
    try:
        return Description.model_validate(tomllib.loads(path.read_text()))
    except FileNotFoundError:
        raise FormatError(f"{path} is missing: a feature needs one.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(f"{path} is no TOML: {error}.") from None
    except ValidationError as error:
        raise FormatError(f"{path}: {_complaint(error.errors())}") from None


def _complaint(errors: list[ErrorDetails]) -> str:
    first = errors[0]
    key = ".".join(str(part) for part in first["loc"])
    others = f" (and {len(errors) - 1} more mistakes)" if len(errors) > 1 else ""
    return f"key '{key}': {first['msg']}{others}."
