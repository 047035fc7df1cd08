# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: one module per verb, no logic."""

from granule.cli.program import main

__all__ = ["main"]
