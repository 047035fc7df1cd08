# SPDX-License-Identifier: GPL-2.0-or-later
"""Every count of user space is right to the last one.

A program makes known numbers of each kind of event happen
(guest/workloads/exact.c). All events of each region are compared, so one that is
counted and did not happen fails as well.
"""

import pytest
from tests.counting.conftest import Run, expectations, wrong

from granule.targets import Counting, Outcome
from granule.userland import GuestPrograms

pytestmark = pytest.mark.machine


@pytest.fixture(scope="module")
def user(run: Run, programs: GuestPrograms) -> Outcome:
    return run(
        "debian",
        "./exact",
        copies=(programs.workloads["exact"],),
        counting=Counting(verify=True),
    )


def test_a_program_is_counted_exactly(user: Outcome) -> None:
    expected = expectations(user.stdout.decode().splitlines(), "u")
    assert len(expected) > 40
    assert "\n".join(wrong(expected, user, "u")) == ""


def test_the_shadow_of_the_machine_state_is_right(user: Outcome) -> None:
    assert user.counts is not None
    assert set(user.counts.diagnostics.values()) == {0}


def test_the_comparison_notices_one_event_too_many(user: Outcome) -> None:
    expected = expectations(user.stdout.decode().splitlines(), "u")
    for name, events in expected.items():
        one_more = {name: {**events, "instructions": events["instructions"] + 1}}
        assert len(wrong(one_more, user, "u")) == 1
