# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims: what a feature promises, and whether it holds.

Import :mod:`granule.claims.check` for the judging: features need the model alone.
"""

from granule.claims.model import Claim, Kind, Limit

__all__ = ["Claim", "Kind", "Limit"]
