# SPDX-License-Identifier: GPL-2.0-or-later
"""What a feature does to the source, as one digest.

It is computed from the patches alone, without the source they apply to, and stays
when only a message changes. A changed comment in the code does change it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from granule.features import Feature, Library
from granule.features.patch import Patch, encode, is_executable


def identity(feature: Feature, library: Library) -> str:
    """The sha256 of the diffs and whole new files of a feature and of those it is on top of."""
    series = (*library.below(feature), feature)
    parts = [_effect(patch) for each in series for patch in each.patches]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _effect(patch: Patch) -> list[str]:
    """Digests of the diffs, without git's names for their files, and of each file it brings."""
    lines = "".join(patch.mail.diffs).splitlines(keepends=True)
    diff = "".join(line for line in lines if not line.startswith("index "))
    files = [_file(patch.sources, path) for path in patch.mail.overlays]
    return [_sha256(encode(diff)), *files]


def _file(sources: Path, path: str) -> str:
    file = sources / path
    return f"{path} {is_executable(file)} {_sha256(file.read_bytes())}"


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
