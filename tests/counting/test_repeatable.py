# SPDX-License-Identifier: GPL-2.0-or-later
"""The same run has the same counts, every time, on a busy host too.

Guest time is the number of instructions executed and nothing in the machine waits
for the host, so two equal runs must agree in every event, not merely nearly.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.counting.conftest import Run, regions

from granule.targets import Counting, Outcome
from granule.userland import GuestPrograms

pytestmark = pytest.mark.machine

KERNEL = "debian"
FUTEX = ("perf", "bench", "futex", "hash", "-t", "1", "-r", "1")
MEMCACHED = (
    "bash",
    "-c",
    "memcached -u root -d -l 127.0.0.1 && memcaslap -s 127.0.0.1:11211 -x 500 -T 1 -c 4",
)

Counts = Mapping[tuple[str, str, str], int]
"""By region, event and level."""


def counts(outcome: Outcome) -> Counts:
    return {
        (region, event, level): getattr(count, level)
        for region, found in regions(outcome).items()
        for event, count in found.events.items()
        for level in ("u", "k")
    }


def differing(first: Outcome, second: Outcome) -> dict[tuple[str, str, str], tuple[int, int]]:
    """The counts that are not the same in both."""
    one, two = counts(first), counts(second)
    return {
        key: (one.get(key, 0), two.get(key, 0))
        for key in one.keys() | two.keys()
        if one.get(key, 0) != two.get(key, 0)
    }


def twice(run: Run, *argv: str, copies: tuple[Path, ...] = ()) -> tuple[Outcome, Outcome]:
    return run(KERNEL, *argv, copies=copies), run(KERNEL, *argv, copies=copies)


@pytest.fixture(scope="module")
def futex(run: Run) -> tuple[Outcome, Outcome]:
    return twice(run, *FUTEX)


def test_a_futex_benchmark(futex: tuple[Outcome, Outcome]) -> None:
    assert differing(*futex) == {}
    assert counts(futex[0])["command", "instructions", "k"] > 100_000_000


def test_fork_and_wait(run: Run, programs: GuestPrograms) -> None:
    first, second = twice(run, "./fork", copies=(programs.workloads["fork"],))
    assert differing(first, second) == {}
    assert [i.k for i in regions(first)["fork"].iterations] == [
        i.k for i in regions(second)["fork"].iterations
    ]


def test_a_server_and_its_client(run: Run) -> None:
    assert differing(*twice(run, *MEMCACHED)) == {}


def test_verification_changes_no_count(run: Run, futex: tuple[Outcome, Outcome]) -> None:
    verified = run(KERNEL, *FUTEX, counting=Counting(verify=True))
    assert differing(futex[0], verified) == {}
    assert verified.counts is not None
    assert set(verified.counts.diagnostics.values()) == {0}


def test_the_comparison_tells_commands_apart(run: Run) -> None:
    first = run(KERNEL, "perf", "bench", "syscall", "basic", "-l", "1000")
    second = run(KERNEL, "perf", "bench", "syscall", "basic", "-l", "1001")
    found = differing(first, second)
    assert ("command", "svc", "u") in found
    assert ("command", "instructions", "k") in found
