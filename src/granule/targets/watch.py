# SPDX-License-Identifier: GPL-2.0-or-later
"""Watches one QEMU until it ends, and says why when that is not well."""

import signal
import subprocess
import threading
import time
from collections.abc import Callable

from granule.errors import GuestError
from granule.progress import Step
from granule.targets.command import Files
from granule.targets.console import ConsoleScanner, last_lines
from granule.targets.job import Job

POLL = 0.1
"""Seconds between two looks at the machine."""

LAST_WORDS = 3.0
"""Seconds a kernel in trouble gets to finish its report."""


class Watch:
    """One run of QEMU. ``clock`` gives seconds; tests have their own."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        job: Job,
        files: Files,
        stopping: threading.Event,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._process = process
        self._job = job
        self._files = files
        self._stopping = stopping
        self._clock = clock
        self._console = ConsoleScanner(files.console, tolerate_reports=job.tolerate_reports)
        self._start = self._last_beat = clock()
        self._beats = 0

    def until_end(self, step: Step) -> None:
        """Returns when QEMU has ended well; raises GuestError with the reason otherwise."""
        while (code := self._wait(POLL)) is None:
            self._check_console()
            self._check_time()
            self._check_heartbeat(step)
        self._check_end(code)

    def _wait(self, seconds: float) -> int | None:
        if self._stopping.is_set():
            raise GuestError("The run was stopped")
        try:
            return self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None

    def _check_console(self) -> None:
        if trouble := self._console.scan():
            self._wait(LAST_WORDS)
            raise GuestError(f"The kernel failed: {trouble}")

    def _check_time(self) -> None:
        if self._clock() - self._start > self._job.timeout:
            raise GuestError(
                f"The run took longer than {self._job.timeout:g} s; "
                "do less work in the command or give it more time (--timeout)"
            )

    def _check_heartbeat(self, step: Step) -> None:
        if not self._job.counting:
            return
        beats = self._read_heartbeat()
        now = self._clock()
        if beats != self._beats:
            self._beats, self._last_beat = beats, now
            step.note(f"{beats:,} exceptions taken")
        elif now - self._last_beat > self._job.hang:
            raise GuestError(f"The guest hangs: no exception taken for {self._job.hang:g} s")

    def _read_heartbeat(self) -> int:
        try:
            with self._files.heartbeat.open("rb") as file:
                return int.from_bytes(file.read(8), "little")
        except FileNotFoundError:
            return 0

    def _check_end(self, code: int) -> None:
        if code < 0:
            raise GuestError(f"QEMU was killed by {_signal_name(-code)}{_likely_cause(-code)}")
        if code > 0:
            raise GuestError(f"QEMU gave up: {_last_line(last_lines(self._files.emulator_log))}")
        if trouble := self._console.finish():
            raise GuestError(f"The kernel failed: {trouble}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _likely_cause(number: int) -> str:
    return ", perhaps because the host ran out of memory" if number == signal.SIGKILL else ""


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2] or "it did not say why"
