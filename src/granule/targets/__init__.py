# SPDX-License-Identifier: GPL-2.0-or-later
"""Machines that run a job: ``qemu`` for real, ``fake`` from recordings."""

from granule.targets.debugger import Debugger
from granule.targets.fake import FakeTarget
from granule.targets.job import Counting, Job, MachineRecord, Outcome, Status, Target
from granule.targets.qemu import QemuTarget
from granule.targets.remembering import RememberingTarget

__all__ = [
    "Counting",
    "Debugger",
    "FakeTarget",
    "Job",
    "MachineRecord",
    "Outcome",
    "QemuTarget",
    "RememberingTarget",
    "Status",
    "Target",
]
