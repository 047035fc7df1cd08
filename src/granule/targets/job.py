# SPDX-License-Identifier: GPL-2.0-or-later
"""What a target is asked to do, and what it answers."""

import errno
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, get_args

from granule.errors import FormatError
from granule.events.counts import Counts
from granule.progress import Progress
from granule.targets.debugger import Debugger
from granule.userland import Request
from granule.userland.modules import Module

Ending = Literal["exit", "signal", "exec", "init"]

# The highest exception level there is, and the one the kernel is entered at.
ExceptionLevel = Literal[1, 2]


@dataclass(frozen=True, slots=True)
class Counting:
    """How to count.

    ``profile`` keeps the places of events, ``verify`` makes the plugin check its
    own shadow of the control registers at every access, and ``stacks`` is the
    event, or family, whose call stacks are kept (``instructions:1000`` keeps one
    in so many).
    """

    profile: bool = False
    verify: bool = False
    stacks: str | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """One boot of one machine that runs one command.

    ``kernel`` is an Image, ``init`` the static PID 1, ``userland`` a cpio archive.
    ``memory`` is in MiB. ``timeout`` bounds the whole run and ``hang`` the time
    without a single exception taken, both in seconds. With ``repeatable`` (one
    CPU only) guest time is the number of instructions, so equal jobs give equal
    counts; ``seed`` then decides everything random. ``tolerate_reports`` lets
    the kernel complain (a KASAN test does that on purpose) as long as it lives.
    ``kernel_arguments`` are added to the kernel's command line, and a ``debugger``
    may attach. A machine whose ``exception_level`` is 2 can virtualize; events at
    EL2 are in no count, so nothing may be counted on it.
    """

    kernel: Path
    init: Path
    userland: Path
    request: Request
    modules: tuple[Module, ...] = ()
    counting: Counting | None = field(default_factory=Counting)
    cpus: int = 1
    memory: int = 2048
    timeout: float = 900
    hang: float = 120
    repeatable: bool = True
    seed: int = 1
    tolerate_reports: bool = False
    kernel_arguments: str = ""
    debugger: Debugger | None = None
    exception_level: ExceptionLevel = 1

    def __post_init__(self) -> None:
        if self.repeatable and self.cpus != 1:
            raise ValueError("a repeatable machine has one CPU")
        if self.counting and self.exception_level != 1:
            raise ValueError("nothing is counted at EL2")


@dataclass(frozen=True, slots=True)
class Status:
    """How the command ended.

    An ``exit`` code, a ``signal`` number, the errno of a failed ``exec``, or the
    message of an ``init`` that could not get as far as the command.
    """

    ending: Ending
    code: int = 0
    message: str = ""

    @property
    def success(self) -> bool:
        """Whether the command ran and exited with 0."""
        return self.ending == "exit" and self.code == 0

    @classmethod
    def parse(cls, line: str) -> "Status":
        """Reads ``exit 0`` and the like; raises FormatError for anything else."""
        word, _, rest = line.strip().partition(" ")
        for ending in get_args(Ending):
            if word == ending == "init":
                return cls("init", message=rest)
            if word == ending and rest.isdecimal():
                return cls(ending, int(rest))
        raise FormatError(f"The guest reports a status nobody knows: '{line.strip()}'.")

    def describe(self) -> str:
        """In words, to go after the name of the command."""
        match self.ending:
            case "exit":
                return f"exited with {self.code}"
            case "signal":
                return f"was killed by signal {self.code}"
            case "exec":
                name = errno.errorcode.get(self.code, str(self.code))
                return f"could not be started: {os.strerror(self.code)} ({name})"
            case "init":
                return f"was not reached: {self.message}"


@dataclass(frozen=True, slots=True)
class MachineRecord:
    """The machine that ran, for the record. ``memory`` is in MiB."""

    emulator: str
    cpus: int
    memory: int
    repeatable: bool
    seed: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that came back from one run. ``wall`` is host time in seconds (timed, not counted).

    ``console`` and ``kernel_log`` are files, the latter with ``dmesg`` in it.
    """

    status: Status
    stdout: bytes
    stderr: bytes
    counts: Counts | None
    kallsyms: str | None
    uname: str
    dmesg: str
    console: Path
    kernel_log: Path
    wall: float
    machine: MachineRecord


class Target(Protocol):
    """A machine that can run jobs."""

    def run(self, job: Job, progress: Progress) -> Outcome:
        """Boots, runs, powers off. Raises MachineError if no complete outcome came back."""
        ...

    def stop(self) -> None:
        """Kills every run under way, from another thread; those then raise MachineError."""
        ...
