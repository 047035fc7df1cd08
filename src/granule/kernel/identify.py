# SPDX-License-Identifier: GPL-2.0-or-later
"""Which kernel a SPEC names by now, without building it."""

from __future__ import annotations

from pathlib import Path

from granule.kernel import distribution, given, source, toolchain
from granule.kernel.build import Job, store_of
from granule.kernel.catalog import Catalog, shipped
from granule.kernel.kernel import BuiltKernel
from granule.kernel.origin import origin_of
from granule.kernel.spec import Built, Debian, Linux, Spec
from granule.kernel.store import Manifest
from granule.kernel.toolchain import Toolchain
from granule.progress import SilentProgress


def identify(
    spec: Spec, cache: Path, *, catalog: Catalog | None = None, tools: Toolchain | None = None
) -> str | None:
    """The identity `provide` would give the kernel; None if its source is not here yet.

    It changes with a patch, a fragment or the compiler. Raises UsageError for what
    cannot be built and MissingToolError without a compiler.
    """
    catalog, cache = catalog or shipped(), cache.absolute()
    match spec:
        case Built():
            return given.provide(spec).identity
        case Debian():
            entry = distribution.found(store_of(cache))
            return entry.manifest.identity if entry else None
        case Linux() if not _is_here(spec, cache, catalog):
            return None
        case _:
            origin = origin_of(spec, catalog, cache, SilentProgress())
            return Job(origin, catalog, tools or toolchain.find(), store_of(cache), cache).identity


def manifest(kernel: BuiltKernel, cache: Path) -> Manifest | None:
    """What is recorded of a kernel that was built or fetched here."""
    entry = store_of(cache.absolute()).find(kernel.identity)
    return entry.manifest if entry else None


def _is_here(spec: Linux, cache: Path, catalog: Catalog) -> bool:
    package = catalog.sources.linux[spec.version].package
    return source.recorded(cache / "sources" / package) is not None
