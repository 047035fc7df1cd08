# SPDX-License-Identifier: GPL-2.0-or-later
"""A feature as a git tree to work in: a commit for each patch.

::

    the unpatched source ── features it comes after ── its patches
           (root)                    (BASE)              (HEAD)
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from granule.errors import FormatError, UsageError
from granule.features import git
from granule.features.history import BRANCH, History
from granule.features.model import Feature
from granule.features.patch import encode
from granule.progress import Progress

BASE = "refs/granule/base"
"""The commit that the first patch of the feature is on top of."""

NAMED = "granule.feature"
"""The setting that says which feature a tree is of."""


def checkout(
    feature: Feature,
    below: Sequence[Feature],
    history: History,
    directory: Path,
    progress: Progress,
) -> None:
    """Makes `directory` a tree of the feature; `below` is what it comes after, in order.

    Raises UsageError if something is there. If it is broken off, nothing is left.
    """
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise UsageError(f"'{directory}' is not empty: name a directory that is yet to be made.")
    with _removed_unless_done(directory):
        with progress.step(f"Checking out {feature.name}"):
            _clone(history, directory, feature.name)
        for each in below:
            _apply(each, directory)
        git.run(directory, "update-ref", BASE, "HEAD")
        _apply(feature, directory)
        git.run(directory, "config", NAMED, feature.name)


@contextmanager
def _removed_unless_done(directory: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise


def _clone(history: History, directory: Path, name: str) -> None:
    """The branch of the clone is the feature's; it needs the repository no more."""
    parent = directory.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    source = ("--branch", BRANCH, "--origin", "granule", str(history.repository))
    target = str(directory.absolute())
    git.run(parent, "clone", "--quiet", "--template=", "--no-checkout", *source, target)
    git.run(directory, "remote", "remove", "granule")
    git.run(directory, "branch", "--move", name)
    git.run(directory, "-c", "checkout.workers=-1", "reset", "--quiet", "--hard")


def _apply(feature: Feature, directory: Path) -> None:
    if not feature.patches:
        return
    with tempfile.TemporaryDirectory(prefix="granule-mails-") as scratch:
        mails = [Path(scratch, patch.name) for patch in feature.patches]
        for mail, patch in zip(mails, feature.patches, strict=True):
            mail.write_bytes(encode(patch.spliced()))
        done = git.run(directory, *git.AM, "--", *map(str, mails), check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace")
        raise FormatError(f"git cannot apply the patches of '{feature.name}'.", details=said)
