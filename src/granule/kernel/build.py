# SPDX-License-Identifier: GPL-2.0-or-later
"""SPEC to kernel: found in the store, or built there."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from granule.errors import BuildError
from granule.kernel import configure, disk, distribution, given, toolchain
from granule.kernel.catalog import Catalog, shipped
from granule.kernel.config import Config
from granule.kernel.kernel import BuiltKernel, from_entry
from granule.kernel.make import Make
from granule.kernel.origin import Origin, origin_of
from granule.kernel.spec import Built, Debian, Spec
from granule.kernel.store import Entry, Manifest, Store
from granule.kernel.toolchain import Toolchain
from granule.kernel.work import Work, open_work
from granule.progress import Progress, Step

# Part of every identity: raise it when the same request gives other bytes.
_FORMAT = 1

_BUILD_SIZE = 3 << 30

# How many things a first build makes, until this cache has seen one.
_TYPICAL_OBJECTS = 1700


def store_of(cache: Path) -> Store:
    """Where the kernels are."""
    return Store(cache.absolute() / "kernels")


def provide(
    spec: Spec,
    cache: Path,
    progress: Progress,
    *,
    catalog: Catalog | None = None,
    jobs: int | None = None,
    tools: Toolchain | None = None,
) -> BuiltKernel:
    """The kernel a SPEC names, built at most once.

    Processes that ask at the same time build it once; an interrupted build leaves
    nothing that is trusted, and the next request goes on from where it stopped.
    Raises UsageError for a wrong request, BuildError with the compiler's first
    complaint, and MachineError for what else fails.
    """
    catalog = catalog or shipped()
    cache = cache.absolute()
    match spec:
        case Built():
            return given.provide(spec)
        case Debian():
            return distribution.provide(catalog.sources.debian, store_of(cache), cache, progress)
        case _:
            origin = origin_of(spec, catalog, cache, progress)
            job = Job(origin, catalog, tools or toolchain.find(), store_of(cache), cache)
            return job.provide(progress, jobs or os.cpu_count() or 1)


class Job:
    """One kernel to build: its origin, configuration and compiler.

    What it will be is fixed here, whatever changes on the disk while it is built.
    """

    def __init__(
        self, origin: Origin, catalog: Catalog, tools: Toolchain, store: Store, cache: Path
    ) -> None:
        self.origin = origin
        self.fragments = catalog.choose(origin.spec.fragments)
        self.request = configure.request(
            catalog,
            origin.spec.fragments,
            origin.version,
            strict=origin.is_known,
            symbols=origin.symbols,
        )
        self.tools = tools
        self.store = store
        self.cache = cache
        self.identity = self._identity()

    def _identity(self) -> str:
        """The sha256 of everything that decides what the kernel is."""
        wanted = self.request.wanted.text()
        parts = [_FORMAT, self.origin.content, wanted, self.tools.compiler, self.tools.version]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def provide(self, progress: Progress, jobs: int) -> BuiltKernel:
        """The kernel, from the store if it is there."""
        entry = self.store.find(self.identity) or self._build_locked(progress, jobs)
        return from_entry(entry, str(self.origin.spec), self.origin.record)

    @contextmanager
    def open_work(self, progress: Progress) -> Iterator[Work]:
        """The build directory: one for a tree and its fragments, at any revision.

        A fragment may change too: make then builds what the changed symbols touch.
        """
        key = "\n".join((self.origin.home, *self.fragments, self.tools.version))
        with open_work(self.cache, key, progress) as work:
            yield work

    def _build_locked(self, progress: Progress, jobs: int) -> Entry:
        with self.open_work(progress) as work:
            # Another process may have built it while this one waited.
            return self.store.find(self.identity) or self._build(work, progress, jobs)

    def _build(self, work: Work, progress: Progress, jobs: int) -> Entry:
        title = f"Building {self.origin.spec}"
        if self.store.is_damaged(self.identity):
            title += " again, as the one in the cache is damaged"
        disk.need(self.cache, _BUILD_SIZE, "build a kernel")
        tree = self.origin.prepare(work.folder, self.cache, progress)
        make = self._make(tree, work)
        with progress.step(title) as step:
            fresh = not work.has_objects()
            config = configure.configure(self.request, make, work.output, step)
            targets = ("Image", "modules") if config.has_modules() else ("Image",)
            expected = self._expected() if fresh else None
            made = make.run(*targets, jobs=jobs, step=step, expected=expected)
            entry = self._publish(work, make, config, made if fresh else 0, step)
        work.finish(keep=self.origin.keeps_objects)
        return entry

    def _make(self, tree: Path, work: Work) -> Make:
        work.output.mkdir(exist_ok=True)
        variables = (f"O={work.output}", *self.tools.variables())
        work.log.write_text("")
        return Make(tree, variables, toolchain.environment(self.cache), work.log)

    def _expected(self) -> int:
        """How many things the last full build of these fragments made."""
        return self.store.objects(self.fragments) or _TYPICAL_OBJECTS

    def _publish(self, work: Work, make: Make, config: Config, objects: int, step: Step) -> Entry:
        release = (work.output / "include/config/kernel.release").read_text().strip()
        with self.store.publishing() as scratch:
            _collect(work, scratch)
            if config.has_modules():
                _install_modules(make, scratch, step)
            manifest = Manifest(
                identity=self.identity,
                spec=str(self.origin.spec),
                release=release,
                source=self.origin.record,
                fragments=self.fragments,
                compiler=self.tools.version,
                objects=objects,
            )
            return self.store.publish(scratch, manifest)


def _collect(work: Work, scratch: Path) -> None:
    """Takes out of a build directory what a kernel is kept for."""
    for made, name in (
        ("arch/arm64/boot/Image", "Image"),
        ("vmlinux", "vmlinux"),
        ("System.map", "System.map"),
        (".config", "config"),
    ):
        try:
            shutil.copyfile(work.output / made, scratch / name)
        except FileNotFoundError:
            raise BuildError(
                f"make made no {made}: is this a kernel tree for arm64? The log is {work.log}.",
                log=work.log,
            ) from None
    shutil.copyfile(work.log, scratch / "build.log")


def _install_modules(make: Make, scratch: Path, step: Step) -> None:
    path = f"INSTALL_MOD_PATH={scratch / 'modules'}"
    install = Make(make.directory, (*make.variables, path), make.environment, make.log)
    install.run("modules_install", jobs=1, step=step)
    for link in (scratch / "modules").glob("lib/modules/*/build"):
        with suppress(FileNotFoundError):
            link.unlink()  # it points into the build directory, which goes away
