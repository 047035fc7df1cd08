# SPDX-License-Identifier: GPL-2.0-or-later
"""Features applied to a kernel source: which files become what."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from granule.errors import FormatError
from granule.features.model import Feature
from granule.features.patch import is_executable
from granule.features.trial import Base, trial

_DELETED = 0
_LINK = 0o120000
_FILE = 0o100644
_PROGRAM = 0o100755
_PERMISSIONS = 0o777


class _Model(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64"
    )


class Change(_Model):
    """A file that differs from the base: its mode as git writes it, 0 if it is deleted.

    The content of a symbolic link is its target.
    """

    path: str
    mode: int
    content: bytes = b""

    @classmethod
    def of(cls, tree: Path, path: str) -> Change:
        """A path of a tree as it is there."""
        file = tree / path
        if file.is_symlink():
            return cls(path=path, mode=_LINK, content=os.fsencode(file.readlink()))
        if not file.is_file():
            return cls(path=path, mode=_DELETED)
        mode = _PROGRAM if is_executable(file) else _FILE
        return cls(path=path, mode=mode, content=file.read_bytes())

    @property
    def is_deletion(self) -> bool:
        """Whether the base has it and the result does not."""
        return self.mode == _DELETED

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return self.mode == _LINK

    @property
    def permissions(self) -> int:
        """The permissions of a file."""
        return self.mode & _PERMISSIONS


class Rendering(_Model):
    """Every file that differs from the base, by path."""

    changes: tuple[Change, ...] = ()

    @property
    def digest(self) -> str:
        """The sha256 of the result: it stays when only words about it change."""
        parts = [[c.path, c.mode, hashlib.sha256(c.content).hexdigest()] for c in self.changes]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def within(self, prefixes: tuple[str, ...]) -> Rendering:
        """Only the files whose path begins with one of these."""
        return Rendering(changes=tuple(c for c in self.changes if c.path.startswith(prefixes)))


def render(base: Base, features: Sequence[Feature]) -> Rendering:
    """The result of the features, in this order.

    Raises FormatError which names the patch that does not apply, with the hunk, and
    two features that conflict.
    """
    if not any(feature.patches for feature in features):
        return Rendering()
    with trial(base, features) as tried:
        tried.fold()
        rendering = Rendering(
            changes=tuple(Change.of(tried.tree, path) for path in tried.changed())
        )
    _check_symbols(features, rendering)
    return rendering


def _check_symbols(features: Sequence[Feature], rendering: Rendering) -> None:
    """Each symbol that a whole feature says it adds is in a Kconfig file it changes."""
    changed = b"\n".join(c.content for c in rendering.changes if "Kconfig" in c.path)
    for feature in features:
        for symbol in feature.about.kconfig:
            pattern = rb"^(menu)?config[ \t]+%s$" % symbol.encode()
            if feature.limit is None and not re.search(pattern, changed, re.MULTILINE):
                raise FormatError(
                    f"{feature.folder / 'feature.toml'}: key 'kconfig': no patch of the feature "
                    f"adds a symbol {symbol}."
                )
