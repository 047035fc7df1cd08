# SPDX-License-Identifier: GPL-2.0-or-later
"""Which accesses of the kernel are checked, told by the CPU and not by a counter.

The module tag-checks asks for faults and reads memory through pointers with every
tag. CPUs are taken off and brought back, and the machine is suspended, in between.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from granule import cache, provision
from granule.command import Command
from granule.kernel import Linux
from granule.kernel.external import provide_module
from granule.progress import SilentProgress
from granule.run import Settings, measure

pytestmark = pytest.mark.machine

MARK = "granule-tag-checks: "
MEMORY_TAG = 3
ALL_TAGS = set(range(16))

# CPU 1 goes and comes back between the first two looks, the machine sleeps and wakes
# up between the last two.
SCRIPT = """\
set -e
look() { insmod "$1"; rmmod granule_tag_checks; }
look "$1"
echo 0 > /sys/devices/system/cpu/cpu1/online
echo 1 > /sys/devices/system/cpu/cpu1/online
look "$1"
echo core > /sys/power/pm_test 2>/dev/null || true
echo devices > /sys/power/pm_test
echo freeze > /sys/power/state
look "$1"
"""


@dataclass(frozen=True)
class Looks:
    """What the module logged, all looks together."""

    faulting: set[int]
    tcma1: list[tuple[int, int]]


def look(spec: str) -> Looks:
    progress = SilentProgress()
    kernel = provision.parse(spec)
    assert isinstance(kernel, Linux)
    source = Path(__file__).parent / "tag-checks"
    module = provide_module(kernel, source, cache.root(), progress)
    bootables = provision.bootables([spec], progress)
    settings = Settings(counting=None, cpus=2)
    command = Command(("/bin/sh", "-c", SCRIPT, "sh", module.name), (module,))
    (measurement,) = measure(provision.target(), bootables, command, settings, progress)
    (outcome,) = measurement.outcomes
    assert outcome.status.success, outcome.stderr.decode() + outcome.dmesg
    lines = [line.partition(MARK)[2] for line in outcome.dmesg.splitlines() if MARK in line]
    found = [json.loads(line) for line in lines]
    return Looks(
        faulting={each["tag"] for each in found if each.get("fault")},
        tcma1=[(each["cpu"], each["tcma1"]) for each in found if "cpu" in each],
    )


@pytest.fixture(scope="module")
def before() -> Looks:
    return look("linux-6.12:mte-user")


@pytest.fixture(scope="module")
def after() -> Looks:
    return look("linux-6.12+all:mte-user")


def test_the_kernels_own_tag_is_checked_without_the_feature(before: Looks) -> None:
    assert before.faulting == ALL_TAGS - {MEMORY_TAG}


def test_it_is_the_only_one_that_is_not_with_the_feature(after: Looks) -> None:
    assert after.faulting == ALL_TAGS - {MEMORY_TAG, 0xF}


def test_every_cpu_has_the_bit_after_hotplug_and_suspend(before: Looks, after: Looks) -> None:
    assert before.tcma1 == [(0, 0), (1, 0)] * 3
    assert after.tcma1 == [(0, 1), (1, 1)] * 3
