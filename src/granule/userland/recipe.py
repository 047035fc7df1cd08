# SPDX-License-Identifier: GPL-2.0-or-later
"""The recipe of a userland: which packages, and what to add to them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from granule.debian import host_release
from granule.errors import UsageError

_KEYS = {"release", "architecture", "packages", "leave_out", "links", "files"}


@dataclass(frozen=True)
class Recipe:
    """What a userland is made of.

    `packages` come with all they depend on, except the files whose absolute
    path matches a pattern in `leave_out`.  `links` and `files` are absolute
    paths in the image with link target and text; they stand in for what
    maintainer scripts would have done.
    """

    release: str
    architecture: str
    packages: tuple[str, ...]
    leave_out: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, str], ...]


def load_recipe(path: Path) -> Recipe:
    """Read a recipe file; raises UsageError that names what is wrong in it."""
    try:
        text = path.read_text()
    except OSError as error:
        raise UsageError(f"Cannot read the recipe {path}: {error.strerror}.") from error
    return parse_recipe(text, str(path))


def parse_recipe(text: str, name: str) -> Recipe:
    """A recipe from TOML text; `name` says in errors where the text is from."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"The recipe {name} is not TOML: {error}.") from error
    unknown = sorted(data.keys() - _KEYS)
    if unknown:
        raise UsageError(f"The recipe {name} has an unknown key '{unknown[0]}'.")
    release = _text(data, "release", name)
    return Recipe(
        release=host_release() if release == "host" else release,
        architecture=_text(data, "architecture", name),
        packages=_names(data, "packages", name),
        leave_out=_names(data, "leave_out", name) if "leave_out" in data else (),
        links=_paths(data, "links", name),
        files=tuple((path, body.lstrip("\n")) for path, body in _paths(data, "files", name)),
    )


def _text(data: Mapping[str, object], key: str, name: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise UsageError(f"The recipe {name} needs a text for '{key}'.")
    return value


def _names(data: Mapping[str, object], key: str, name: str) -> tuple[str, ...]:
    value = data.get(key)
    if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
        raise UsageError(f"The recipe {name} needs a list of names for '{key}'.")
    return tuple(sorted({str(item) for item in value}))


def _paths(data: Mapping[str, object], key: str, name: str) -> tuple[tuple[str, str], ...]:
    table = data.get(key, {})
    if not isinstance(table, dict):
        raise UsageError(f"The recipe {name} needs a table for '{key}'.")
    for path, value in table.items():
        pure = PurePosixPath(path)
        if not pure.is_absolute() or ".." in pure.parts or not isinstance(value, str):
            raise UsageError(f"The recipe {name} needs an absolute path and a text: '{path}'.")
    return tuple(sorted((str(path), str(value)) for path, value in table.items()))
