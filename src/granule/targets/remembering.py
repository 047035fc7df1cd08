# SPDX-License-Identifier: GPL-2.0-or-later
"""A target that does not repeat what it knows the outcome of.

A repeatable machine that is given the same again does the same again, so an outcome can
be kept by all that decides it: every file the guest sees, how it is counted, emulator,
plugin, and the code here that puts the machine together.
"""

import functools
import hashlib
import os
import threading
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

import granule.targets
import granule.userland
from granule.digest import file_sha256
from granule.progress import Progress
from granule.targets.job import Job, Outcome, Target
from granule.userland import build_initramfs


class _Kept(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(
        ser_json_bytes="base64", val_json_bytes="base64"
    )

    outcome: Outcome


class RememberingTarget:
    """Answers from ``folder`` where it can, and asks another target where it cannot.

    ``machine`` names what the other target runs with, such as emulator and plugin. Only
    repeatable jobs without a debugger are remembered.
    """

    def __init__(self, target: Target, folder: Path, machine: str) -> None:
        self._target = target
        self._folder = folder
        self._machine = machine

    def run(self, job: Job, progress: Progress) -> Outcome:
        """See :class:`granule.targets.job.Target`."""
        if not job.repeatable or job.debugger is not None:
            return self._target.run(job, progress)
        path = self._folder / f"{self._key(job)}.json"
        known = _read(path)
        if known is not None:
            return known
        outcome = self._target.run(job, progress)
        _write(path, outcome)
        return outcome

    def stop(self) -> None:
        """See :class:`granule.targets.job.Target`."""
        self._target.stop()

    def _key(self, job: Job) -> str:
        conditions = (
            self._machine,
            _code(),
            _file(job.kernel),
            _file(job.userland),
            [hashlib.sha256(module.content).hexdigest() for module in job.modules],
            hashlib.sha256(build_initramfs(job.init, (), job.request)).hexdigest(),
            (job.counting, job.memory, job.seed, job.tolerate_reports, job.kernel_arguments),
        )
        return hashlib.sha256(repr(conditions).encode()).hexdigest()


def _read(path: Path) -> Outcome | None:
    """What was written there; a file of an older form counts as none."""
    try:
        return _Kept.model_validate_json(path.read_bytes()).outcome
    except (FileNotFoundError, ValidationError):
        return None


def _write(path: Path, outcome: Outcome) -> None:
    """In one step: another process may write the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
    draft.write_text(_Kept(outcome=outcome).model_dump_json())
    draft.replace(path)


@functools.cache
def _code() -> str:
    """A digest of the code that puts machine and guest together."""
    packages = (granule.targets, granule.userland)
    folders = [Path(str(package.__file__)).parent for package in packages]
    return " ".join(_file(path) for folder in folders for path in sorted(folder.rglob("*.py")))


def _file(path: Path) -> str:
    found = path.stat()
    return _digest(path, found.st_mtime_ns, found.st_size)


@functools.cache
def _digest(path: Path, _changed: int, _size: int) -> str:
    return file_sha256(path)
