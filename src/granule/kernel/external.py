# SPDX-License-Identifier: GPL-2.0-or-later
"""A module from outside the kernel's tree, built for a kernel that is built here."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from granule.errors import BuildError
from granule.kernel import configure, disk, toolchain
from granule.kernel.build import Job, store_of
from granule.kernel.catalog import Catalog, shipped
from granule.kernel.make import Make
from granule.kernel.origin import origin_of
from granule.kernel.spec import Linux, Revision
from granule.kernel.store import Entry, Manifest, Store
from granule.kernel.work import Work
from granule.progress import Progress, Step

_FORMAT = 1


def provide_module(
    spec: Linux | Revision,
    source: Path,
    cache: Path,
    progress: Progress,
    *,
    catalog: Catalog | None = None,
) -> Path:
    """The .ko of the folder `source`, with a Kbuild file for one module, built once.

    Raises BuildError with the compiler's first complaint.
    """
    catalog, cache = catalog or shipped(), cache.absolute()
    origin = origin_of(spec, catalog, cache, progress)
    job = Job(origin, catalog, toolchain.find(), store_of(cache), cache)
    store = Store(cache / "external")
    identity = _identity(job, source)
    entry = store.find(identity) or _build_locked(job, source, store, identity, progress)
    return next(entry.folder.glob("*.ko"))


def _identity(job: Job, source: Path) -> str:
    files = {path.name: path.read_text() for path in sorted(source.iterdir())}
    return hashlib.sha256(json.dumps([_FORMAT, job.identity, files]).encode()).hexdigest()


def _build_locked(job: Job, source: Path, store: Store, identity: str, progress: Progress) -> Entry:
    with job.open_work(progress) as work:
        return store.find(identity) or _build(job, work, source, store, identity, progress)


def _build(
    job: Job, work: Work, source: Path, store: Store, identity: str, progress: Progress
) -> Entry:
    tree = job.origin.prepare(work.folder, job.cache, progress)
    title = f"Building the module {source.name} for {job.origin.spec}"
    with store.publishing() as scratch, progress.step(title) as step:
        _make(job, work, tree, source, step)
        _collect(work, scratch)
        manifest = Manifest(
            identity=identity,
            spec=str(job.origin.spec),
            release=job.origin.version,
            source=job.origin.record,
            fragments=job.fragments,
            compiler=job.tools.version,
            objects=0,
        )
        entry = store.publish(scratch, manifest)
    work.finish(keep=job.origin.keeps_objects)
    return entry


def _make(job: Job, work: Work, tree: Path, source: Path, step: Step) -> None:
    """What modules need of a kernel's build is made anew: it is little.

    Of a kernel that was built long ago only the results are kept, so the list of
    what it exports is not there: a symbol that is missing shows when the module
    is loaded.
    """
    work.output.mkdir(exist_ok=True)
    work.log.write_text("")
    variables = (f"O={work.output}", *job.tools.variables())
    kernel = Make(tree, variables, toolchain.environment(job.cache), work.log)
    configure.configure(job.request, kernel, work.output, step)
    kernel.run("modules_prepare", jobs=1, step=step)
    external = (f"M={_copied(source, work)}", "KBUILD_MODPOST_WARN=1")
    module = Make(tree, (*variables, *external), kernel.environment, work.log)
    module.run("modules", jobs=1, step=step)


def _copied(source: Path, work: Work) -> Path:
    """A copy of the module's source: the kernel's build writes beside it."""
    copy = work.folder / "module"
    disk.remove(copy)
    shutil.copytree(source, copy)
    return copy


def _collect(work: Work, scratch: Path) -> None:
    folder = work.folder / "module"
    made = list(folder.glob("*.ko"))
    if len(made) != 1:
        raise BuildError(f"One module was to be built, not {len(made)}; the log is {work.log}.")
    shutil.copy(made[0], scratch)
    disk.remove(folder)
