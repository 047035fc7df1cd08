# SPDX-License-Identifier: GPL-2.0-or-later
"""What features make of a packaged source, worked out once and kept in the cache."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock
from pydantic import BaseModel, ValidationError

from granule.features import Base, Feature, Rendering, render
from granule.kernel import disk
from granule.kernel.source import SourceTree
from granule.progress import Progress

# Raise it when the same patches give another result.
_FORMAT = 1


class _Kept(BaseModel):
    """A rendering on the disk; the digest tells whether it is still what was written."""

    digest: str
    rendering: Rendering


def patched(
    tree: SourceTree, features: Sequence[Feature], cache: Path, progress: Progress
) -> Rendering:
    """The files of a source that features change; FormatError if they do not apply."""
    if not features:
        return Rendering()
    folder = cache / "features"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_key(tree, features)}.json"
    with FileLock(folder / "lock"):
        return _find(path) or _render(tree, features, path, progress)


def _key(tree: SourceTree, features: Sequence[Feature]) -> str:
    """Everything that decides the result, and what is checked on the way to it."""
    parts = [
        [feature.label, feature.digest, feature.about.kconfig, feature.about.after]
        for feature in features
    ]
    text = json.dumps([_FORMAT, tree.record.digest, parts])
    return hashlib.sha256(text.encode()).hexdigest()


def _find(path: Path) -> Rendering | None:
    try:
        kept = _Kept.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return kept.rendering if kept.rendering.digest == kept.digest else None


def _render(
    tree: SourceTree, features: Sequence[Feature], path: Path, progress: Progress
) -> Rendering:
    names = ", ".join(feature.label for feature in features)
    with progress.step(f"Applying {names} to {tree.record.name} {tree.record.version}"):
        base = Base(f"{tree.record.name} {tree.record.version}", tree.directory)
        rendering = render(base, features)
    kept = _Kept(digest=rendering.digest, rendering=rendering)
    disk.write_durably(path, kept.model_dump_json().encode())
    return rendering
