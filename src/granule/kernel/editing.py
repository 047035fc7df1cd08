# SPDX-License-Identifier: GPL-2.0-or-later
"""Features edited and checked against the sources they are for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from granule.features import Base, Feature, checkpatch, render
from granule.features.checkout import checkout as check_out
from granule.features.history import History, history
from granule.features.refresh import refresh as write_back
from granule.kernel import disk
from granule.kernel.catalog import Catalog, shipped
from granule.kernel.source import SourceTree, packaged
from granule.progress import Progress

# A commit of the source, and a checkout with its clone.
_HISTORY_SIZE = 1 << 29
_CHECKOUT_SIZE = 2 << 30


def checkout(
    name: str, directory: Path, cache: Path, progress: Progress, *, catalog: Catalog | None = None
) -> Feature:
    """Makes `directory` a git tree with a commit for each patch of a feature."""
    catalog = catalog or shipped()
    feature = catalog.features.load(name)
    tree = _source(feature, catalog, cache, progress)
    below = catalog.features.below(feature)
    render(_base(tree), (*below, feature))  # tells what does not apply, and why
    disk.need(cache, _HISTORY_SIZE, "keep a kernel source in git")
    disk.need(directory.absolute().parent, _CHECKOUT_SIZE, "check out a kernel")
    past = _history(tree, cache, progress)
    check_out(feature, below, past, directory, progress)
    return feature


def refresh(
    name: str, directory: Path, cache: Path, progress: Progress, *, catalog: Catalog | None = None
) -> Feature:
    """Writes the commits in such a tree back into the feature's folder."""
    catalog = catalog or shipped()
    feature = catalog.features.load(name)
    tree = _source(feature, catalog, cache, progress)
    past = _history(tree, cache, progress)
    with progress.step(f"Writing {name} back"):
        below = catalog.features.below(feature)
        return write_back(feature, below, _base(tree), past, directory)


def check_patches(
    cache: Path, progress: Progress, *, catalog: Catalog | None = None
) -> Iterator[checkpatch.Verdict]:
    """What the kernel's own checker says of each patch there is."""
    catalog = catalog or shipped()
    for feature in catalog.features.load_all():
        tree = _source(feature, catalog, cache, progress)
        yield from checkpatch.check(_base(tree), [feature])


def _source(feature: Feature, catalog: Catalog, cache: Path, progress: Progress) -> SourceTree:
    kernel = catalog.sources.linux[feature.about.base]
    return packaged(kernel, cache.absolute(), progress)


def _base(tree: SourceTree) -> Base:
    return Base(f"{tree.record.name} {tree.record.version}", tree.directory)


def _history(tree: SourceTree, cache: Path, progress: Progress) -> History:
    repository = cache.absolute() / "history" / f"{tree.record.digest}.git"
    return history(_base(tree), repository, progress)
