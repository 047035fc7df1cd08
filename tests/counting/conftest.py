# SPDX-License-Identifier: GPL-2.0-or-later
"""Real runs on the emulated machine, each made once for all tests that read it."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from granule import cache, provision, shipped
from granule.command import Command
from granule.events import Region
from granule.progress import SilentProgress
from granule.run import Settings, measure
from granule.targets import Counting, Outcome
from granule.userland import GuestPrograms, build_programs

Expected = Mapping[str, Mapping[str, int]]
"""Events by region."""

Run = Callable[..., Outcome]


@pytest.fixture(scope="session")
def programs() -> GuestPrograms:
    """The workloads, built."""
    return build_programs(shipped.folder() / "guest", cache.root(), SilentProgress())


@pytest.fixture(scope="session")
def run() -> Run:
    """Runs a command: ``run("debian", "perf", "bench", …, copies=…, verify=True)``."""

    def once(
        spec: str,
        *argv: str,
        copies: tuple[Path, ...] = (),
        counting: Counting | None = Counting(),  # noqa: B008 frozen
        environment: tuple[tuple[str, str], ...] = (),
    ) -> Outcome:
        progress = SilentProgress()
        bootables = provision.bootables([spec], progress)
        settings = Settings(counting=counting, environment=environment)
        command = Command(argv, copies)
        (measurement,) = measure(provision.target(), bootables, command, settings, progress)
        (outcome,) = measurement.outcomes
        assert outcome.status.success, outcome.stderr.decode()
        return outcome

    return once


def expectations(lines: list[str], level: str) -> Expected:
    """What a program says it made happen, one JSON object for each region."""
    found = [json.loads(line) for line in lines]
    return {each["region"]: each[level] for each in found}


def regions(outcome: Outcome) -> dict[str, Region]:
    """The regions that were counted, by name."""
    assert outcome.counts is not None
    return {region.name: region for region in outcome.counts.regions}


def counted(region: Region, level: str) -> dict[str, int]:
    """Events of a region at one exception level, without those that did not happen.

    An interrupt comes when it pleases and changes nothing else at EL0.
    """
    found = {name: getattr(count, level) for name, count in region.events.items()}
    return {name: count for name, count in found.items() if count and name != "exceptions.irq"}


def wrong(expected: Expected, outcome: Outcome, level: str) -> list[str]:
    """What differs, one line for each region and event."""
    found = regions(outcome)
    return [
        f"{name}: {event}: {actual.get(event, 0)} counted, {events.get(event, 0)} happened"
        for name, events in expected.items()
        for actual in [counted(found[name], level)]
        for event in sorted(actual.keys() | events.keys())
        if actual.get(event, 0) != events.get(event, 0)
    ]
