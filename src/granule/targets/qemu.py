# SPDX-License-Identifier: GPL-2.0-or-later
"""The emulated machine: QEMU's virt board with MTE and the counting plugin."""

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from granule.errors import GuestError, MachineError, MissingToolError
from granule.events.counts import Counts
from granule.progress import Progress
from granule.targets.command import Files, command_line
from granule.targets.console import complaint_of_init, last_lines
from granule.targets.job import Job, MachineRecord, Outcome
from granule.targets.results import Results, read_results
from granule.targets.rundir import new_run_directory
from granule.targets.version import EmulatorVersion, find_emulator
from granule.targets.watch import Watch
from granule.userland import build_initramfs, write_initramfs


class QemuTarget:
    """Runs jobs in QEMU. ``plugin`` is libgranule_counters.so, ``runs`` keeps the logs."""

    def __init__(self, plugin: Path, runs: Path) -> None:
        self._plugin = plugin
        self._runs = runs
        self._stopping = threading.Event()

    def run(self, job: Job, progress: Progress) -> Outcome:
        """See :class:`granule.targets.job.Target`."""
        version = find_emulator()
        files = self._prepare(job)
        try:
            return self._run(job, files, version, progress)
        except GuestError as error:
            raise _with_log(error, files) from error
        finally:
            _discard_bulk(files)

    def shell(self, job: Job) -> int:
        """Runs the job on this terminal instead and returns QEMU's exit code."""
        find_emulator()
        files = self._prepare(job)
        try:
            return subprocess.run(self._command(job, files), check=False).returncode
        finally:
            _discard_bulk(files)

    def stop(self) -> None:
        """See :class:`granule.targets.job.Target`."""
        self._stopping.set()

    def _prepare(self, job: Job) -> Files:
        if job.counting and not self._plugin.exists():
            raise MissingToolError(f"The counting plugin {self._plugin} is not built: make setup.")
        files = Files(new_run_directory(self._runs))
        rest = build_initramfs(job.init, job.modules, job.request)
        try:
            with files.initramfs.open("wb") as file:
                write_initramfs(file, job.userland, rest)
        except OSError as error:
            raise MachineError(f"Cannot write {files.initramfs}: {error.strerror}.") from error
        return files

    def _command(self, job: Job, files: Files) -> list[str]:
        return command_line(job, files, self._plugin)

    def _run(self, job: Job, files: Files, version: EmulatorVersion, progress: Progress) -> Outcome:
        start = time.monotonic()
        with progress.step("boot and run the command") as step:
            with _started(self._command(job, files), files) as process:
                Watch(process, job, files, self._stopping).until_end(step)
            wall = time.monotonic() - start
            results = _read_results(files)
            files.kernel_log.write_text(results.dmesg)
            counts = _read_counts(files) if job.counting else None
        return _outcome(job, files, results, counts, wall, version)


@contextmanager
def _started(command: list[str], files: Files) -> Iterator[subprocess.Popen[bytes]]:
    """QEMU in a process group of its own, which is gone when the context is left."""
    with files.emulator_log.open("wb") as log:
        process = subprocess.Popen(
            [*_dying_with_us(), *command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _dying_with_us() -> list[str]:
    """Even a killed Granule leaves no QEMU behind, where setpriv can see to that."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []


def _read_results(files: Files) -> Results:
    try:
        return read_results(files.results)
    except GuestError as error:
        if complaint := complaint_of_init(files.console):
            raise GuestError(f"The guest gave up: {complaint}") from error
        raise


def _read_counts(files: Files) -> Counts:
    try:
        text = files.counts.read_bytes()
    except FileNotFoundError:
        raise GuestError("The counting plugin left no counts") from None
    return Counts.parse(text)


def _outcome(
    job: Job,
    files: Files,
    results: Results,
    counts: Counts | None,
    wall: float,
    version: EmulatorVersion,
) -> Outcome:
    return Outcome(
        status=results.status,
        stdout=results.stdout,
        stderr=results.stderr,
        counts=counts,
        kallsyms=results.kallsyms,
        uname=results.uname,
        dmesg=results.dmesg,
        console=files.console,
        kernel_log=files.kernel_log,
        wall=wall,
        machine=MachineRecord(version.text, job.cpus, job.memory, job.repeatable, job.seed),
    )


def _with_log(error: GuestError, files: Files) -> MachineError:
    """The same error, with the end of the log that explains it."""
    details = last_lines(files.console) or last_lines(files.emulator_log)
    log = files.console if files.console.exists() else files.emulator_log
    return GuestError(f"{error.message}.", details=details, log=log)


def _discard_bulk(files: Files) -> None:
    """The logs stay; what can be made again goes."""
    for path in (files.initramfs, files.results, files.counts, files.heartbeat):
        path.unlink(missing_ok=True)
