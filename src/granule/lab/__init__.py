# SPDX-License-Identifier: GPL-2.0-or-later
"""Where plans are carried out: what their names stand for on this machine."""

from granule.lab.fake import FakeLab
from granule.lab.machine import of_this_machine
from granule.lab.protocol import Kernel, Lab, settings

__all__ = ["FakeLab", "Kernel", "Lab", "of_this_machine", "settings"]
