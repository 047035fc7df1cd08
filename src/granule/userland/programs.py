# SPDX-License-Identifier: GPL-2.0-or-later
"""Granule's own guest programs: init and the workloads, cross-built and cached."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from granule.errors import BuildError, MissingToolError
from granule.progress import Progress

COMPILER = "aarch64-linux-gnu-gcc"

# Each tool with the packages that install it.
_TOOLS = {COMPILER: "gcc-aarch64-linux-gnu libc6-dev-arm64-cross", "make": "make"}


@dataclass(frozen=True)
class GuestPrograms:
    """Static arm64 programs: PID 1, and the workloads by name."""

    init: Path
    workloads: Mapping[str, Path]


def build_programs(source: Path, cache_dir: Path, progress: Progress) -> GuestPrograms:
    """Build the folder guest/ of Granule, or take the result from the cache.

    Raises MissingToolError without make or the cross compiler, BuildError when
    they fail.
    """
    folder = cache_dir.absolute() / "guest"
    folder.mkdir(parents=True, exist_ok=True)
    built = folder / _identity(source)
    with FileLock(folder / "lock"):
        if not built.exists():
            with progress.step("build the guest programs"):
                _build(source, built)
    return GuestPrograms(built / "init", _workloads(built))


def _workloads(built: Path) -> dict[str, Path]:
    return {path.name: path for path in sorted((built / "workloads").iterdir())}


def _identity(source: Path) -> str:
    """Digest of the sources and of the compiler."""
    digest = hashlib.sha256(_compiler_version())
    for path in _sources(source):
        digest.update(f"{path.relative_to(source)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:32]


def _sources(source: Path) -> Iterator[Path]:
    yield source / "Makefile"
    for folder in ("include", "init", "workloads"):
        yield from sorted(path for path in (source / folder).iterdir() if path.is_file())


def _compiler_version() -> bytes:
    for tool, package in _TOOLS.items():
        if shutil.which(tool) is None:
            raise MissingToolError(f"{tool} is missing: install it with 'apt install {package}'.")
    return subprocess.run([COMPILER, "--version"], capture_output=True, check=True).stdout


def _build(source: Path, built: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="build-", dir=built.parent) as scratch:
        unfinished = Path(scratch) / "guest"
        command = ["make", "-C", str(source), f"BUILD={unfinished}"]
        # A surrounding make must not hand down its variables.
        environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS")}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BuildError("The guest programs do not compile.", details=done.stderr)
        unfinished.replace(built)
