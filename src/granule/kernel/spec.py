# SPDX-License-Identifier: GPL-2.0-or-later
"""The words for a kernel: what a user writes after `--kernel`.

::

    SPEC     = "debian" | LINUX | TREE | PATH
    LINUX    = "linux-" VERSION ["+" FEATURES] [":" FRAGMENTS]
    TREE     = DIRECTORY "@" REVISION [":" FRAGMENTS]
    PATH     = an Image, or the directory of a built kernel tree
    FEATURES, FRAGMENTS = names with commas between them

The feature `all` stands for every one, and NAME/N for the first N patches of NAME.

`granule diff` also takes ``REVISION [":" FRAGMENTS]`` of the current directory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from granule.errors import UsageError
from granule.kernel.catalog import Catalog

_LINUX = re.compile(r"linux-(?P<version>[^+:@/]+)(?:\+(?P<features>[^:]*))?(?::(?P<fragments>.*))?")


@dataclass(frozen=True)
class Debian:
    """The distribution's own kernel."""

    def __str__(self) -> str:
        return "debian"


@dataclass(frozen=True)
class Linux:
    """A kernel built from Debian's source package, with features applied in this order."""

    version: str
    features: tuple[str, ...] = ()
    fragments: tuple[str, ...] = ()

    def __str__(self) -> str:
        features = f"+{','.join(self.features)}" if self.features else ""
        return f"linux-{self.version}{features}{_suffix(self.fragments)}"


@dataclass(frozen=True)
class Revision:
    """A kernel built from a revision of somebody's git tree."""

    tree: Path
    revision: str
    fragments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.tree}@{self.revision}{_suffix(self.fragments)}"


@dataclass(frozen=True)
class Built:
    """An Image, or a tree with one, that somebody else built."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)


Spec = Debian | Linux | Revision | Built


def parse(
    text: str,
    catalog: Catalog,
    *,
    directory: Path | None = None,
    exists: Callable[[Path], bool] = Path.exists,
) -> Spec:
    """The kernel `text` names.

    With `directory`, a word that is nothing else is a revision of the tree there.
    Raises UsageError, which says what to write instead.
    """
    if text == "debian" or text.startswith("debian:"):
        return _debian(text)
    if match := _LINUX.fullmatch(text):
        return _linux(match, catalog)
    path = Path(text)
    if text and exists(path):
        return Built(path)
    if "@" in text.replace("@{", "") and not (directory and text.startswith("@")):
        return _revision(text, catalog)
    if directory and text and not text.startswith(("/", "./", "../")):
        return _of_tree(directory, text, catalog)
    raise UsageError(_unknown(text, catalog))


def extended(
    spec: Spec, features: Sequence[str], fragments: Sequence[str], catalog: Catalog
) -> Spec:
    """The same kernel with more features and fragments; UsageError if it takes none."""
    match spec:
        case Linux():
            chosen = catalog.features.choose((*spec.features, *features), spec.version)
            return Linux(
                spec.version,
                tuple(feature.label for feature in chosen),
                _merged((*spec.fragments, *fragments), catalog),
            )
        case Revision() if not features:
            return replace(spec, fragments=_merged((*spec.fragments, *fragments), catalog))
        case _ if features:
            raise UsageError(f"Kernel '{spec}' takes no features: name one such as 'linux-6.12'.")
        case _ if fragments:
            raise UsageError(
                f"Kernel '{spec}' is not built here, so it takes no fragments: name one to "
                "build, such as 'linux-6.12'."
            )
        case _:
            return spec


def prefixes(spec: Spec, catalog: Catalog) -> tuple[Linux, ...]:
    """The kernel after each patch of its features; UsageError if it has no features."""
    if not isinstance(spec, Linux) or not spec.features:
        raise UsageError(f"Kernel '{spec}' has no features: name one such as 'linux-6.12+all'.")
    before: list[str] = []
    found: list[Linux] = []
    for feature in catalog.features.choose(spec.features, spec.version):
        for number in range(1, len(feature.patches) + 1):
            labels = (*before, f"{feature.name}/{number}")
            found.append(Linux(spec.version, labels, spec.fragments))
        before.append(feature.label)
    return tuple(found)


def _debian(text: str) -> Debian:
    if text != "debian":
        raise UsageError(
            "Kernel 'debian' is not built here, so it takes no fragments: write 'debian', "
            "or name a kernel to build, such as 'linux-6.12'."
        )
    return Debian()


def _linux(match: re.Match[str], catalog: Catalog) -> Linux:
    version = match["version"]
    if version not in catalog.versions:
        known = ", ".join(f"linux-{v}" for v in catalog.versions)
        raise UsageError(f"There is no kernel 'linux-{version}'; the ones known are {known}.")
    named = catalog.features.choose(_names(match["features"], match.string), version)
    features = tuple(feature.label for feature in named)
    return Linux(version, features, _fragments(match["fragments"], match.string, catalog))


def _revision(text: str, catalog: Catalog) -> Revision:
    tree, _, rest = text.partition("@")
    return _of_tree(Path(tree or "."), rest, catalog)


def _of_tree(tree: Path, text: str, catalog: Catalog) -> Revision:
    revision, _, fragments = text.partition(":")
    if not revision:
        raise UsageError(f"A revision is missing after '{tree}@': write '{tree}@HEAD', say.")
    return Revision(tree, revision, _fragments(fragments or None, text, catalog))


def _fragments(text: str | None, spec: str, catalog: Catalog) -> tuple[str, ...]:
    """The fragments a SPEC names, each once, in the order they are merged."""
    return _merged(_names(text, spec), catalog)


def _merged(named: Sequence[str], catalog: Catalog) -> tuple[str, ...]:
    merged = catalog.choose(named)
    return tuple(name for name in merged if name in named)


def _names(text: str | None, spec: str) -> tuple[str, ...]:
    names = () if text is None else tuple(text.split(","))
    if "" in names:
        raise UsageError(f"A name is missing in '{spec}': put one between each ',', '+' and ':'.")
    return names


def _suffix(fragments: tuple[str, ...]) -> str:
    return f":{','.join(fragments)}" if fragments else ""


def _unknown(text: str, catalog: Catalog) -> str:
    if "/" in text:
        return f"There is no file or directory '{text}': give the path of an arm64 Image."
    known = ", ".join(["debian", *(f"linux-{v}" for v in catalog.versions)])
    return (
        f"'{text}' is no kernel: write {known}, TREE@REVISION of a git tree, "
        "or the path of an arm64 Image."
    )
