# SPDX-License-Identifier: GPL-2.0-or-later
"""The store: every run with its raw counts, found by all that decided it."""

from granule.store.records import (
    Conditions,
    KernelRecord,
    RegionRecord,
    RunRecord,
    TrialRecord,
    trial_key,
)
from granule.store.store import Store, default_path

__all__ = [
    "Conditions",
    "KernelRecord",
    "RegionRecord",
    "RunRecord",
    "Store",
    "TrialRecord",
    "default_path",
    "trial_key",
]
