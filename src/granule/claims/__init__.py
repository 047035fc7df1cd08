# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims: what a feature promises, and whether it holds."""

from granule.claims.model import Claim, Kind, Limit

__all__ = ["Claim", "Kind", "Limit"]
