# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs `make`: progress by counting what it builds, a log, and errors in a sentence."""

from __future__ import annotations

import fcntl
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from granule.errors import BuildError
from granule.progress import Step

# "  CC      mm/memory.o": what kbuild prints for each thing it makes.
_MADE = re.compile(r"  (?P<what>[A-Z][A-Z0-9_]*(?: \[M\])?) +(?P<name>\S+)")
_COMPLAINTS = (
    re.compile(r"(?:fatal )?error:|: undefined reference to "),
    re.compile(r"^make.*\*\*\* .*(?:No rule|missing separator|Stop)"),
    re.compile(r"\*\*\*"),
)
_TAIL = 20


@dataclass(frozen=True)
class Make:
    """How to call make: the directory of its Makefile, its variables, its environment."""

    directory: Path
    variables: tuple[str, ...]
    environment: Mapping[str, str]
    log: Path

    def run(self, *targets: str, jobs: int, step: Step, expected: int | None = None) -> int:
        """Makes the targets; returns how many things were made.

        `expected` is how many there will be, if known.  Raises BuildError with the
        first complaint of a failing build.
        """
        command = ["make", f"-j{jobs}", "-C", str(self.directory), *self.variables, *targets]
        with self._locked() as lock, self.log.open("a", buffering=1) as log:
            log.write(f"$ {' '.join(command)}\n")
            log.flush()
            with self._started(command, lock.fileno()) as process, _stopped_if_left(process):
                made = _follow(process, log, step, expected)
        if process.returncode:
            raise self._failure(targets)
        return made

    def _started(self, command: Sequence[str], inherited: int) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            pass_fds=(inherited,),
            process_group=0,
        )

    @contextmanager
    def _locked(self) -> Iterator[IO[str]]:
        """A lock that make and its children inherit.

        Should this process be killed, they still hold it, so the next one waits
        until none of them writes into the build directory any more.
        """
        with self.log.with_name("make.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file

    def _failure(self, targets: Sequence[str]) -> BuildError:
        lines = self.log.read_text(errors="replace").splitlines()
        last_run = max(n for n, line in enumerate(lines) if line.startswith("$ make "))
        said = lines[last_run + 1 :]
        return BuildError(
            f"make {' '.join(targets)} failed: {_complaint(said)} (the whole log is {self.log}).",
            details="\n".join(said[-_TAIL:]),
            log=self.log,
        )


def _follow(process: subprocess.Popen[str], log: IO[str], step: Step, expected: int | None) -> int:
    made = 0
    for line in process.stdout or ():
        log.write(line)
        if match := _MADE.match(line):
            made += 1
            total = None if expected is None else max(expected, made)
            step.advance(made, total)
            step.note(match["name"])
    process.wait()
    return made


@contextmanager
def _stopped_if_left(process: subprocess.Popen[str]) -> Iterator[None]:
    """Ends make and its children when the work is broken off.

    They are in a process group of their own, so that Ctrl-C reaches them through
    here and make has the time to delete what is half written.
    """
    try:
        yield
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait()


def _complaint(lines: Sequence[str]) -> str:
    for pattern in _COMPLAINTS:
        for line in lines:
            if pattern.search(line):
                return line.strip()
    return lines[-1].strip() if lines else "it printed nothing"
