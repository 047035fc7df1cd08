# SPDX-License-Identifier: GPL-2.0-or-later
"""From measurements to what is shown: models first (they are the JSON), then text."""

from granule.report.diff import DiffReport, diff_report
from granule.report.header import MachineHeader
from granule.report.profile import ProfileReport, profile_report
from granule.report.stat import StatReport, stat_report

__all__ = [
    "DiffReport",
    "MachineHeader",
    "ProfileReport",
    "StatReport",
    "diff_report",
    "profile_report",
    "stat_report",
]
