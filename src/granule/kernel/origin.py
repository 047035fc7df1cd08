# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the source of a kernel to build is from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from granule.features import Feature, Rendering
from granule.kernel import revision, source
from granule.kernel.catalog import Catalog
from granule.kernel.patched import patched
from granule.kernel.revision import Commit
from granule.kernel.source import FeatureRecord, SourceRecord, SourceTree
from granule.kernel.spec import Linux, Revision
from granule.kernel.tree import arrange
from granule.progress import Progress

# What the kernel's headers for user space and its selftests are made of.
_FOR_PROGRAMS = (
    "Makefile",
    "arch/arm64/Makefile",
    "arch/arm64/include/uapi/",
    "arch/arm64/tools/",
    "include/linux/",
    "include/uapi/",
    "scripts/",
    "tools/",
    "usr/",
)


class Origin(Protocol):
    """A source found, but not yet ready to build.

    `content` names what is in it and decides the kernel's identity; `home` stays
    the same from one revision of a tree to the next, so that they share a build
    directory.
    """

    @property
    def spec(self) -> Linux | Revision:
        """What was asked for."""
        ...

    @property
    def record(self) -> SourceRecord:
        """Where it is from, for the user."""
        ...

    @property
    def content(self) -> str:
        """Names what is in it."""
        ...

    @property
    def interface(self) -> str:
        """Names what is in it for programs: the headers and tools of user space."""
        ...

    @property
    def home(self) -> str:
        """Names where it is."""
        ...

    @property
    def version(self) -> str:
        """The version of Linux, such as 6.12.117."""
        ...

    @property
    def symbols(self) -> tuple[str, ...]:
        """The Kconfig symbols that its features add."""
        ...

    @property
    def is_known(self) -> bool:
        """Whether the fragments were written for this version."""
        ...

    @property
    def keeps_objects(self) -> bool:
        """Whether the next build may start from this one's objects."""
        ...

    def prepare(self, work: Path, cache: Path, progress: Progress) -> Path:
        """The folder with the files, made if need be."""
        ...


def origin_of(spec: Linux | Revision, catalog: Catalog, cache: Path, progress: Progress) -> Origin:
    """Finds the source of a SPEC; fetches Debian's package if it never was."""
    if isinstance(spec, Revision):
        return GitOrigin(spec, revision.resolve(spec))
    kernel = catalog.sources.linux[spec.version]
    tree = source.packaged(kernel, cache, progress)
    features = catalog.features.choose(spec.features, spec.version)
    return PackageOrigin(spec, tree, features, patched(tree, features, cache, progress))


class PackageOrigin:
    """A source package, unpacked, with features applied to a copy of it."""

    is_known = True
    keeps_objects = True

    def __init__(
        self, spec: Linux, tree: SourceTree, features: Sequence[Feature], rendering: Rendering
    ) -> None:
        applied = tuple(FeatureRecord(feature.label, feature.digest) for feature in features)
        self.spec: Linux | Revision = spec
        self.record = replace(tree.record, features=applied)
        self.content = _content(tree, rendering)
        self.interface = _content(tree, rendering.within(_FOR_PROGRAMS))
        self.home = tree.record.digest
        self.version = tree.record.version
        self.symbols = tuple(s for feature in features for s in feature.about.kconfig)
        self._tree = tree
        self._rendering = rendering

    def prepare(self, work: Path, cache: Path, progress: Progress) -> Path:  # noqa: ARG002
        """The copy in the work folder, which holds the features."""
        return arrange(self._tree, self._rendering, work, progress)


def _content(tree: SourceTree, rendering: Rendering) -> str:
    """Names the files, not the patches: other words about them make no other kernel."""
    digest = tree.record.digest
    return f"{digest}+{rendering.digest}" if rendering.changes else digest


class GitOrigin:
    """A revision of a user's tree."""

    is_known = False
    keeps_objects = True

    def __init__(self, spec: Revision, commit: Commit) -> None:
        self.spec: Linux | Revision = spec
        self.record = commit.record
        self.content = commit.tree
        self.interface = commit.tree
        self.home = str(commit.home)
        self.version = version_in(commit.makefile)
        self.symbols: tuple[str, ...] = ()
        self._commit = commit

    def prepare(self, work: Path, cache: Path, progress: Progress) -> Path:
        """The files of the revision, checked out in the work folder."""
        return revision.checkout(self._commit, work, cache, progress)


def version_in(makefile: str) -> str:
    """The version a kernel's Makefile states, such as 6.12.0."""
    numbers = dict(re.findall(r"^(VERSION|PATCHLEVEL|SUBLEVEL) = (\d+)$", makefile, re.MULTILINE))
    return ".".join(numbers.get(n, "0") for n in ("VERSION", "PATCHLEVEL", "SUBLEVEL"))
