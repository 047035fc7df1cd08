# SPDX-License-Identifier: GPL-2.0-or-later
"""What reports are made of in tests: a plan, and text as a wide terminal shows it."""

import io
from collections.abc import Iterable
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from granule import plan as plans
from granule.plan import Plan

PLAN = """
title = "No barriers where faults are synchronous"
baseline = "linux-6.12"
kernels = ["linux-7.3", "linux-6.12", "linux-6.12+mte-sync"]
events = ["instructions", "isb:k", "tlbi"]
published = "mte-sync-fastpath"
[[configuration]]
name = "kasan-sync"
fragments = ["kasan-hw"]
[[workload]]
name = "getpid"
command = ["getpid"]
operations = "iterations"
published = "syscall/getpid"
"""


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """A workload on three kernels, beside a published table."""
    (tmp_path / "mte-sync.toml").write_text(PLAN)
    return plans.parse(tmp_path / "mte-sync.toml")


def drawn(parts: Iterable[RenderableType]) -> str:
    """What a terminal shows, without the blanks at the ends of lines."""
    stream = io.StringIO()
    console = Console(file=stream, width=160)
    for part in parts:
        console.print(part, highlight=False, markup=False)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())
