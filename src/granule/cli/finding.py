# SPDX-License-Identifier: GPL-2.0-or-later
"""What every verb does that looks at the store."""

from collections.abc import Sequence
from pathlib import Path

from granule import lab as labs
from granule import plan as plans
from granule.cli.progress import choose_progress
from granule.findings import Findings, find
from granule.plan import Plan
from granule.store import Store, default_path


def chosen(names: Sequence[str], candidate: str | None) -> list[Plan]:
    """The plans, each with its baseline and the candidate alone if there is one."""
    every = plans.load(names)
    return [plan.compared_with(candidate) if candidate else plan for plan in every]


def found(names: Sequence[str], candidate: str | None, store: Path | None) -> dict[str, Findings]:
    """The measurements of the plans, by the plans' names."""
    wanted = chosen(names, candidate)
    kept = Store.open(store or default_path(), create=store is None)
    lab = labs.of_this_machine(choose_progress())
    return {plan.name: find(plan, lab, kept) for plan in wanted}
