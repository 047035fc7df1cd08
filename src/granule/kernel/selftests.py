# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's own MTE selftests, built statically from the source of a kernel."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from granule.errors import BuildError, UsageError
from granule.kernel import disk, toolchain
from granule.kernel.build import Job, store_of
from granule.kernel.catalog import Catalog, shipped
from granule.kernel.make import Make
from granule.kernel.origin import origin_of
from granule.kernel.spec import Linux, Revision, Spec
from granule.kernel.store import Entry, Manifest, Store
from granule.kernel.work import Work
from granule.progress import Progress, Step

_FORMAT = 1
_FOLDER = "arm64/mte"
_TARGETS = ("TARGETS=arm64", "ARM64_SUBTARGETS=mte")


@dataclass(frozen=True)
class Selftests:
    """Static programs for the guest; `folder` is theirs alone, to be copied whole."""

    folder: Path
    programs: tuple[str, ...]
    identity: str


def provide_selftests(
    spec: Spec, cache: Path, progress: Progress, *, catalog: Catalog | None = None
) -> Selftests:
    """The MTE selftests from the same source as a kernel, built once.

    Raises UsageError for a kernel whose source is not at hand.
    """
    if not isinstance(spec, Linux | Revision):
        raise UsageError(
            f"The source of kernel '{spec}' is not at hand, so neither are its selftests: "
            "name a kernel that is built here, such as 'linux-6.12'."
        )
    catalog, cache = catalog or shipped(), cache.absolute()
    origin = origin_of(spec, catalog, cache, progress)
    job = Job(origin, catalog, toolchain.find(), store_of(cache), cache)
    store = Store(cache / "selftests")
    identity = _identity(job)
    entry = store.find(identity) or _build_locked(job, store, identity, progress)
    return _selftests(entry)


def _identity(job: Job) -> str:
    parts = [_FORMAT, job.origin.interface, job.tools.version]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _build_locked(job: Job, store: Store, identity: str, progress: Progress) -> Entry:
    with job.open_work(progress) as work:
        return store.find(identity) or _build(job, work, store, identity, progress)


def _build(job: Job, work: Work, store: Store, identity: str, progress: Progress) -> Entry:
    tree = job.origin.prepare(work.folder, job.cache, progress)
    title = f"Building the MTE selftests of {job.origin.spec}"
    with store.publishing() as scratch, progress.step(title) as step:
        _make(job, work, tree, scratch, step)
        manifest = Manifest(
            identity=identity,
            spec=str(job.origin.spec),
            release=job.origin.version,
            source=job.origin.record,
            fragments=(),
            compiler=job.tools.version,
            objects=0,
        )
        return store.publish(scratch, manifest)


def _make(job: Job, work: Work, tree: Path, scratch: Path, step: Step) -> None:
    """First the kernel's headers for user space, then the tests with them."""
    output = work.folder / "selftests"
    output.mkdir(exist_ok=True)
    work.log.write_text("")
    variables = (f"O={output}", *job.tools.variables())
    # The target "install" would need rsync, and say nothing without it.
    environment = {**toolchain.environment(job.cache), "LDFLAGS": "-static"}
    headers = Make(tree, variables, environment, work.log)
    jobs = os.cpu_count() or 1
    headers.run("headers", jobs=jobs, step=step)
    tests = Make(
        tree / "tools" / "testing" / "selftests", (*variables, *_TARGETS), environment, work.log
    )
    tests.run("all", jobs=jobs, step=step)
    _collect(output / "kselftest" / _FOLDER, scratch, work.log)
    disk.remove(output)


def _collect(built: Path, scratch: Path, log: Path) -> None:
    programs = _programs(built)
    if not programs:
        raise BuildError(f"No MTE selftest was built; the log is {log}.", log=log)
    (scratch / _FOLDER).mkdir(parents=True)
    for name in programs:
        shutil.copy(built / name, scratch / _FOLDER / name)


def _selftests(entry: Entry) -> Selftests:
    folder = entry.folder / _FOLDER
    return Selftests(folder, _programs(folder), entry.manifest.identity)


def _programs(folder: Path) -> tuple[str, ...]:
    found = (path for path in folder.glob("check_*") if path.is_file())
    return tuple(sorted(path.name for path in found if os.access(path, os.X_OK)))
