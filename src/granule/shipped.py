# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the parts of Granule that are not Python lie."""

import os
from collections.abc import Mapping
from pathlib import Path

_PLUGIN = "libgranule_counters.so"


def folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder with features/, guest/, kernel/, plans/ and torture/.

    An installed package carries it inside; a checkout has it at the top; and
    ``$GRANULE_DATA`` names another one.
    """
    if chosen := environment.get("GRANULE_DATA"):
        return Path(chosen).absolute()
    package = Path(__file__).parent
    inside = package / "data"
    return inside if inside.is_dir() else package.parents[1]


def plugin(environment: Mapping[str, str] = os.environ) -> Path:
    """The counting plugin: ``$GRANULE_PLUGIN``, else the one built here. It may not exist yet."""
    if chosen := environment.get("GRANULE_PLUGIN"):
        return Path(chosen).absolute()
    return folder() / "target" / "release" / _PLUGIN


def flame() -> Path:
    """The program that draws flame graphs. It may not exist yet."""
    return folder() / "target" / "release" / "granule-flame"
