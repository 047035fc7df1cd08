# SPDX-License-Identifier: GPL-2.0-or-later
"""The digest by which Granule knows a file again."""

import hashlib
from pathlib import Path


def file_sha256(path: Path) -> str:
    """The SHA-256 of what is in a file, in hexadecimal; it is read piece by piece."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
