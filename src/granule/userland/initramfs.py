# SPDX-License-Identifier: GPL-2.0-or-later
"""The initramfs of one run: init, and what it is asked to do.

The other end of the guest protocol is guest/init; docs/architecture.md has the
table of files.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from granule.errors import UsageError
from granule.userland import cpio
from granule.userland.modules import Module

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# Every command starts from this, not from the caller's environment: it would
# make counts depend on who runs them.
ENVIRONMENT: Mapping[str, str] = {"HOME": "/root", "LANG": "C.UTF-8", "PATH": PATH, "TERM": "linux"}


@dataclass(frozen=True)
class Request:
    """What a guest shall do.

    `argv` is the command; empty means a login shell when `shell` is set.
    `environment` adds to, or replaces, ENVIRONMENT.  `copies` are files and
    folders of the host placed in the command's working directory.  `symbols`
    asks for /proc/kallsyms, `shell` for the console instead of results.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    copies: tuple[Path, ...] = ()
    symbols: bool = False
    shell: bool = False


def build_initramfs(init: Path, modules: Sequence[Module], request: Request) -> bytes:
    """The bytes of a newc archive; equal arguments give equal bytes.

    Raises UsageError when a file to copy cannot be read or two have one name.
    """
    return cpio.archive(_entries(init, modules, request))


def write_initramfs(file: BinaryIO, userland: Path, rest: bytes) -> None:
    """Write a complete initramfs: the archive of a userland, then `build_initramfs`'s.

    The kernel unpacks one after the other.  Raises OSError when the disk is full.
    """
    with userland.open("rb") as archive:
        shutil.copyfileobj(archive, file, 1 << 20)
    file.write(rest)


def _entries(init: Path, modules: Sequence[Module], request: Request) -> Iterator[cpio.Entry]:
    yield from (cpio.directory("dev"), cpio.character_device("dev/console", 5, 1))
    yield cpio.file("init", init.read_bytes(), 0o755)
    yield cpio.directory("granule")
    yield cpio.file("granule/argv", _terminated(request.argv, b"\0"))
    yield cpio.file("granule/env", _terminated(_environment(request), b"\0"))
    yield cpio.file("granule/options", _terminated(_options(request), b"\n"))
    yield from _module_entries(modules)
    yield cpio.directory("granule/copy")
    yield from _copy_entries(request.copies)


def _terminated(items: Sequence[str], terminator: bytes) -> bytes:
    return b"".join(os.fsencode(item) + terminator for item in items)


def _environment(request: Request) -> list[str]:
    variables = {**ENVIRONMENT, **request.environment}
    return [f"{name}={value}" for name, value in sorted(variables.items())]


def _options(request: Request) -> list[str]:
    options = {"symbols": request.symbols, "shell": request.shell}
    return [f"{name}=1" for name, wanted in options.items() if wanted]


def _module_entries(modules: Sequence[Module]) -> Iterator[cpio.Entry]:
    paths = [f"granule/module/{module.name}.ko" for module in modules]
    yield cpio.file("granule/modules", _terminated([f"/{path}" for path in paths], b"\n"))
    yield cpio.directory("granule/module")
    for path, module in zip(paths, modules, strict=True):
        yield cpio.file(path, module.content)


def _copy_entries(copies: Sequence[Path]) -> Iterator[cpio.Entry]:
    taken: set[str] = set()
    for path in copies:
        # A trailing ".." or "." has no name of its own until resolved.
        name = path.name or path.resolve().name
        if name in taken:
            raise UsageError(f"Two files to copy have the same name '{name}'.")
        taken.add(name)
        try:
            yield from _copied(path, f"granule/copy/{name}")
        except OSError as error:
            raise UsageError(f"Cannot copy {path} into the guest: {error.strerror}.") from error


def _copied(path: Path, name: str) -> Iterator[cpio.Entry]:
    """A file, or a folder with all in it; a link given by name is followed."""
    if path.is_dir():
        return cpio.tree(path.resolve(), name)
    return iter([cpio.Entry(name, path.stat().st_mode, path.read_bytes())])
