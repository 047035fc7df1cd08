# SPDX-License-Identifier: GPL-2.0-or-later
"""What is remembered of a run: all that decided it, and all that was counted."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime

from granule.events import ByLevel

ID_DIGITS = 12
"""Hexadecimal digits of a run's key by which it is shown."""


@dataclass(frozen=True, slots=True)
class KernelRecord:
    """A kernel and where it came from; ``source_digest`` is a sha256 or a git commit."""

    identity: str
    spec: str
    release: str
    source: str
    source_version: str
    source_digest: str
    fragments: tuple[str, ...]
    compiler: str


@dataclass(frozen=True, slots=True)
class Conditions:
    """All that decides the counts of a run; equal conditions need one run only.

    ``kernel`` and ``userland`` are identities, ``request`` is a digest of what
    the guest is asked to do with all the files it gets, ``plugin`` one of the
    counting plugin. ``memory`` is in MiB.
    """

    kernel: str
    userland: str
    request: str
    plugin: str
    emulator: str
    cpus: int
    memory: int
    kernel_arguments: str
    profile: bool
    seed: int

    @property
    def key(self) -> str:
        """A digest of them."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class RegionRecord:
    """What happened in a region.

    ``events`` has the raw count of each leaf event. ``iterations`` says how many
    iterations took so many instructions, and ``functions`` has the events of each
    kernel function, where the run kept a profile.
    """

    name: str
    opened: int
    closed: int
    events: Mapping[str, ByLevel]
    iterations: Mapping[ByLevel, int] = field(default_factory=dict)
    functions: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def iteration_count(self) -> int:
        """How many iterations there were."""
        return sum(self.iterations.values())


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. ``wall`` is in seconds of the ``host`` (timed), ``time`` when it began (UTC).

    ``reports`` are the first lines of what the kernel complained of in its log, and
    ``log`` is the file that had it, if it did.
    """

    conditions: Conditions
    kernel: KernelRecord
    command: tuple[str, ...]
    environment: Mapping[str, str]
    time: datetime
    wall: float
    host: str
    plugin_version: str
    stdout: str
    regions: tuple[RegionRecord, ...]
    diagnostics: Mapping[str, int]
    reports: tuple[str, ...] = ()
    log: str = ""

    @property
    def id(self) -> str:
        """The name by which verdicts refer to it."""
        return self.conditions.key[:ID_DIGITS]

    @property
    def repeatable(self) -> bool:
        """Whether another run under these conditions gives the same counts."""
        return self.conditions.cpus == 1

    def region(self, name: str) -> RegionRecord | None:
        """The region of that name, if the run reached it."""
        return next((region for region in self.regions if region.name == name), None)


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """A trial of a kernel beside its baseline, whichever feature it was for.

    ``trial`` is the digest of what was done, ``name`` what it was called. No
    ``failures`` say that it was passed; ``log`` is where to read about them.
    ``wall`` is in seconds of the ``host`` (timed), ``time`` when it began (UTC).
    """

    trial: str
    name: str
    baseline: KernelRecord
    candidate: KernelRecord
    failures: tuple[str, ...]
    log: str
    time: datetime
    wall: float
    host: str

    @property
    def key(self) -> str:
        """A digest of what was done with which kernels."""
        return trial_key(self.trial, self.baseline.identity, self.candidate.identity)


def trial_key(trial: str, baseline: str, candidate: str) -> str:
    """The key of a trial, of the digest of what is done and the identities of kernels."""
    return hashlib.sha256(json.dumps([trial, baseline, candidate]).encode()).hexdigest()
