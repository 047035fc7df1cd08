# SPDX-License-Identifier: GPL-2.0-or-later
"""Toy features that name trials, and grounds on which nothing is built."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from granule.errors import GranuleError
from granule.features import Library
from granule.kernel import Selftests
from granule.progress import Progress, SilentProgress
from granule.run import Bootable
from granule.store import RunRecord, Store
from granule.targets import FakeTarget, Outcome
from granule.torture import Trial, load
from granule.torture.campaign import Campaign
from granule.torture.conduct import Subject

TOYS = Path(__file__).parents[1] / "features" / "toys"
TRIALS = """
[[trial]]
name = "debug"
statement = "The kernel's tests say what they said."
fragments = ["debug"]
kernel_tests = true
[[trial]]
name = "race"
statement = "CPUs come and go."
cpus = 4
command = ["sh", "./race.sh"]
files = ["race.sh"]
"""

Remember = Callable[..., RunRecord]
Kernel = Callable[..., Subject]
NewCampaign = Callable[..., Campaign]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """The toy features; "tags" and "threads" name trials."""
    folder = Path(shutil.copytree(TOYS, tmp_path / "features"))
    for name, trials in (("tags", '["debug", "race"]'), ("threads", '["debug"]')):
        about = folder / name / "feature.toml"
        about.write_text(about.read_text().replace("[upstream]", f"torture = {trials}\n[upstream]"))
    return Library(folder)


@pytest.fixture
def trials(tmp_path: Path) -> dict[str, Trial]:
    """One of each kind that boots."""
    folder = tmp_path / "torture"
    folder.mkdir()
    (folder / "trials.toml").write_text(TRIALS)
    (folder / "race.sh").write_text("sleep 1\n")
    return load(folder / "trials.toml")


@pytest.fixture
def kernel(bootable: Bootable, remember: Remember, library: Library, tmp_path: Path) -> Kernel:
    """Makes a kernel to try: ``kernel("linux-6.12", identity=…)``."""
    folder = tmp_path / "mte"
    folder.mkdir()
    (tmp_path / "swap-race").touch()

    def subject(spec: str, identity: str = "") -> Subject:
        plain, _, _ = spec.partition(":")
        names = plain.partition("+")[2]
        record = replace(remember({}).kernel, spec=spec, identity=identity or f"id of {spec}")
        return Subject(
            bootable=replace(bootable, spec=spec),
            record=record,
            vmlinux=None,
            selftests=Selftests(folder, ("check_tags",), "id"),
            features={name: library.load(name).digest for name in names.split(",") if name},
            programs={"swap-race": tmp_path / "swap-race"},
        )

    return subject


class FakeGrounds:
    """Every kernel is there at once. ``built`` has the SPECs asked for so far."""

    host = "a host"

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.built: list[str] = []
        self.identity = ""

    def features(self, spec: str) -> tuple[str, ...]:
        """See :class:`granule.torture.grounds.Grounds`."""
        return tuple(spec.partition("+")[2].split(","))

    def subject(self, spec: str, progress: Progress) -> Subject:  # noqa: ARG002
        """See :class:`granule.torture.grounds.Grounds`."""
        self.built.append(spec)
        return self._kernel(spec, self.identity and f"{self.identity} {spec}")


@pytest.fixture
def grounds(kernel: Kernel) -> FakeGrounds:
    """Where trials are held in tests."""
    return FakeGrounds(kernel)


@pytest.fixture
def campaign(library: Library, grounds: FakeGrounds, tmp_path: Path) -> NewCampaign:
    """Makes a campaign that plays outcomes: ``campaign([outcome, …], again=…)``."""

    def new(
        outcomes: Sequence[Outcome | GranuleError] = (),
        *,
        again: bool = False,
        candidate: str = "linux-6.12+tags,threads",
    ) -> Campaign:
        return Campaign(
            library=library,
            grounds=grounds,
            target=FakeTarget(outcomes),
            store=Store.open(tmp_path / "runs.sqlite"),
            progress=SilentProgress(),
            candidate=candidate,
            again=again,
        )

    return new
