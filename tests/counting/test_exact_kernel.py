# SPDX-License-Identifier: GPL-2.0-or-later
"""Every count of the kernel is right to the last one.

A module makes known numbers of each kind of event happen at EL1, under every
setting of the controls that decide on tag checks (guest/modules/exact). All
events of each region are compared.
"""

from pathlib import Path

import pytest
from tests.counting.conftest import Expected, Run, expectations, wrong

from granule import cache, shipped
from granule.kernel import Linux
from granule.kernel.external import provide_module
from granule.progress import SilentProgress
from granule.targets import Counting, Outcome

pytestmark = pytest.mark.machine

MARK = "granule-exact: "


@pytest.fixture(scope="module")
def module() -> Path:
    source = shipped.folder() / "guest" / "modules" / "exact"
    return provide_module(
        Linux("6.12", fragments=("mte-user",)), source, cache.root(), SilentProgress()
    )


@pytest.fixture(scope="module")
def kernel(run: Run, module: Path) -> Outcome:
    return run(
        "linux-6.12:mte-user",
        "insmod",
        module.name,
        copies=(module,),
        counting=Counting(verify=True),
    )


@pytest.fixture(scope="module")
def expected(kernel: Outcome) -> Expected:
    logged = [line.partition(MARK)[2] for line in kernel.dmesg.splitlines() if MARK in line]
    return expectations(logged, "k")


def test_a_module_is_counted_exactly(kernel: Outcome, expected: Expected) -> None:
    assert len(expected) > 50
    assert "\n".join(wrong(expected, kernel, "k")) == ""


def test_nothing_of_a_module_happens_in_user_space(kernel: Outcome, expected: Expected) -> None:
    assert wrong({name: {} for name in expected}, kernel, "u") == []


def test_the_shadow_of_the_machine_state_is_right(kernel: Outcome) -> None:
    assert kernel.counts is not None
    assert set(kernel.counts.diagnostics.values()) == {0}


def test_the_comparison_notices_one_event_too_many(kernel: Outcome, expected: Expected) -> None:
    for name, events in expected.items():
        for event, count in events.items():
            one_more = {name: {**events, event: count + 1}}
            assert len(wrong(one_more, kernel, "k")) == 1
