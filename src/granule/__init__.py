# SPDX-License-Identifier: GPL-2.0-or-later
"""Granule: exact architectural event counts of arm64 kernels with MTE."""

__version__ = "0.1.0"
