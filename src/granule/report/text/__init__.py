# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports as text: things rich can draw, on a terminal or into a plain file."""

from granule.report.text.check import render_check
from granule.report.text.diff import render_diff
from granule.report.text.features import render_features
from granule.report.text.profile import render_profile
from granule.report.text.show import render_show
from granule.report.text.stat import render_stat

__all__ = [
    "render_check",
    "render_diff",
    "render_features",
    "render_profile",
    "render_show",
    "render_stat",
]
