# SPDX-License-Identifier: GPL-2.0-or-later
"""What a wheel carries besides Python, where :func:`granule.shipped.folder` looks for it.

An editable install needs none of it: there the checkout has the files.
"""

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDERS = ("features", "guest", "kernel", "plans", "torture")


class Data(BuildHookInterface):
    """Adds the folders to a wheel."""

    def initialize(self, version: str, build_data: dict[str, dict[str, str]]) -> None:
        """See hatchling."""
        if version == "standard":
            folders = {folder: f"granule/data/{folder}" for folder in FOLDERS}
            build_data["force_include"].update(folders)
