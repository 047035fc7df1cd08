# SPDX-License-Identifier: GPL-2.0-or-later
"""Features applied to a kernel source: which files become what.

git applies the patches in a small repository that holds only the files they touch.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from granule.errors import FormatError
from granule.features import git
from granule.features.fault import Fault, diagnose
from granule.features.model import Feature
from granule.features.patch import encode, is_executable

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


@dataclass(frozen=True)
class Base:
    """An unpatched source: the name to tell the user, and its tree, which is only read."""

    name: str
    directory: Path


def render(base: Base, features: Sequence[Feature]) -> Rendering:
    """The result of the features, in this order.

    Raises FormatError which names the patch that does not apply, with the hunk, and
    two features that conflict.
    """
    if not any(feature.patches for feature in features):
        return Rendering()
    with tempfile.TemporaryDirectory(prefix="granule-render-") as scratch:
        trial = _Trial(base, features, Path(scratch))
        trial.fold()
        rendering = trial.result()
    _check_symbols(features, rendering)
    return rendering


class _Trial:
    """A small repository in which features are applied."""

    def __init__(self, base: Base, features: Sequence[Feature], scratch: Path) -> None:
        self._base = base
        self._features = tuple(features)
        self._mails = scratch / "mails"
        self._tree = scratch / "tree"
        self._write_mails()
        self._begin()

    def _write_mails(self) -> None:
        for feature in self._features:
            folder = self._mails / feature.name
            folder.mkdir(parents=True)
            for patch in feature.patches:
                (folder / patch.name).write_bytes(encode(patch.spliced()))

    def _begin(self) -> None:
        """The repository with the base's version of every file that a patch names."""
        git.create(self._tree)
        patches = (patch for feature in self._features for patch in feature.patches)
        for path in sorted({path for patch in patches for path in patch.paths()}):
            self._copy(path)
        git.run(self._tree, "add", "--force", "--all")
        author = ("-c", "user.name=Granule", "-c", "user.email=granule@localhost")
        git.run(self._tree, *author, "commit", "--quiet", "--allow-empty", "--message=base")
        git.run(self._tree, "tag", "base")

    def _copy(self, path: str) -> None:
        source, target = self._base.directory / path, self._tree / path
        is_inside = not path.startswith("/") and ".." not in Path(path).parts
        if is_inside and (source.is_file() or source.is_symlink()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target, follow_symlinks=False)

    def fold(self) -> None:
        """Applies all of them; where one fails behind others, tells which it collides with."""
        merged: set[str] = set()
        while found := self._try(self._features):
            feature = found.feature
            alone = self._with_needed(feature)
            if len(alone) > len(self._before(feature)):
                raise found.error(self._base.name)
            if own := self._try(alone):
                raise own.error(self._base.name)
            if feature.name in merged:
                raise found.collision(self._culprit(feature))
            # Alone it applies, so git has seen by now what it was made for, and can merge.
            merged.add(feature.name)

    def result(self) -> Rendering:
        """What the features that were applied last made of the base."""
        listed = git.ask(self._tree, "diff", "--name-only", "-z", "--no-renames", "base", "HEAD")
        paths = listed.split("\0")[:-1]
        return Rendering(changes=tuple(Change.of(self._tree, path) for path in sorted(paths)))

    def _try(self, features: Sequence[Feature]) -> Fault | None:
        """Applies features to the base; the first that fails is told."""
        git.run(self._tree, "checkout", "--quiet", "--detach", "--force", "base")
        for feature in features:
            if found := self._apply(feature):
                return found
        return None

    def _apply(self, feature: Feature) -> Fault | None:
        mails = [self._mails / feature.name / patch.name for patch in feature.patches]
        if not mails:
            return None
        done = git.run(self._tree, *git.AM, "--", *map(str, mails), check=False)
        if not done.returncode:
            return None
        number = int((self._tree / ".git/rebase-apply/next").read_text())
        git.run(self._tree, "am", "--quit")
        git.run(self._tree, "reset", "--quiet", "--hard")
        return diagnose(self._tree, feature, mails[number - 1], done.stderr)

    def _before(self, feature: Feature) -> tuple[Feature, ...]:
        return self._features[: self._features.index(feature)]

    def _with_needed(self, *features: Feature) -> tuple[Feature, ...]:
        """Some of the features with those they come after."""
        names = {feature.name for feature in features}
        for feature in reversed(self._features):
            if feature.name in names:
                names.update(feature.about.after)
        return tuple(feature for feature in self._features if feature.name in names)

    def _culprit(self, feature: Feature) -> Feature:
        """The nearest feature before this one that it does not go together with."""
        needed = self._with_needed(feature)
        others = [other for other in self._before(feature) if other not in needed]
        for other in reversed(others):
            if self._try(self._with_needed(other, feature)):
                return other
        return others[-1]


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
