# SPDX-License-Identifier: GPL-2.0-or-later
"""A small repository, with only the files that patches touch, to apply them in."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from granule.features import git
from granule.features.fault import Fault, diagnose
from granule.features.model import Feature
from granule.features.patch import encode


@dataclass(frozen=True)
class Base:
    """An unpatched source: the name to tell the user, and its tree, which is only read."""

    name: str
    directory: Path


@contextmanager
def trial(base: Base, features: Sequence[Feature]) -> Iterator[Trial]:
    """A repository with the base's version of all that these features touch."""
    with tempfile.TemporaryDirectory(prefix="granule-trial-") as scratch:
        yield Trial(base, features, Path(scratch))


class Trial:
    """A small repository in which features are applied."""

    def __init__(self, base: Base, features: Sequence[Feature], scratch: Path) -> None:
        self._base = base
        self._features = tuple(features)
        self._mails = scratch / "mails"
        self.tree = scratch / "tree"
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
        git.create(self.tree)
        patches = (patch for feature in self._features for patch in feature.patches)
        for path in sorted({path for patch in patches for path in patch.paths()}):
            self._copy(path)
        git.run(self.tree, "add", "--force", "--all")
        author = ("-c", "user.name=Granule", "-c", "user.email=granule@localhost")
        git.run(self.tree, *author, "commit", "--quiet", "--allow-empty", "--message=base")
        git.run(self.tree, "tag", "base")

    def _copy(self, path: str) -> None:
        source, target = self._base.directory / path, self.tree / path
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

    def changed(self) -> list[str]:
        """The files that differ from the base by now."""
        listed = git.ask(self.tree, "diff", "--name-only", "-z", "--no-renames", "base", "HEAD")
        return sorted(listed.split("\0")[:-1])

    def _try(self, features: Sequence[Feature]) -> Fault | None:
        """Applies features to the base; the first that fails is told."""
        git.run(self.tree, "checkout", "--quiet", "--detach", "--force", "base")
        for feature in features:
            if found := self._apply(feature):
                return found
        return None

    def _apply(self, feature: Feature) -> Fault | None:
        mails = [self._mails / feature.name / patch.name for patch in feature.patches]
        if not mails:
            return None
        done = git.run(self.tree, *git.AM, "--", *map(str, mails), check=False)
        if not done.returncode:
            return None
        number = int((self.tree / ".git/rebase-apply/next").read_text())
        git.run(self.tree, "am", "--quit")
        git.run(self.tree, "reset", "--quiet", "--hard")
        return diagnose(self.tree, feature, mails[number - 1], done.stderr)

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
