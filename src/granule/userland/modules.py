# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel modules a guest needs to return its results, in the order to load them.

Packages ship no modules.dep (depmod runs when they are installed), so the
dependencies are read from the modules themselves.
"""

from __future__ import annotations

import gzip
import lzma
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from granule.errors import FormatError, MissingToolError

_FILE_NAME = re.compile(r"(?P<name>.+)\.ko(?P<packed>\.xz|\.gz|\.zst)?")

_DEPENDS = re.compile(rb"(?<!\w)depends=([\w,-]*)\0")

# What init needs for the port its results go to. Most kernels have them built in.
PORT_MODULES = ("virtio_pci", "virtio_console")


@dataclass(frozen=True)
class Module:
    """A kernel module: its name with underscores, and its uncompressed bytes."""

    name: str
    content: bytes


def module_files(folder: Path, wanted: Iterable[str] = PORT_MODULES) -> tuple[Module, ...]:
    """The modules `wanted` and those they need, each after what it needs.

    `folder` is lib/modules/VERSION.  A module that is built into the kernel, or
    that the folder does not have, is left out: init says what is missing.
    Raises FormatError for a file that is no kernel module.
    """
    files = _find(folder)
    loaded: dict[str, Module] = {}
    for name in wanted:
        _add(_canonical(name), files, loaded)
    return tuple(loaded.values())


def _find(folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in sorted((folder / "kernel").rglob("*.ko*")):
        match = _FILE_NAME.fullmatch(path.name)
        if match:
            found[_canonical(match["name"])] = path
    return found


def _canonical(name: str) -> str:
    """Module names use underscores; file names may have hyphens instead."""
    return name.replace("-", "_")


def _add(name: str, files: Mapping[str, Path], loaded: dict[str, Module]) -> None:
    if name in loaded or name not in files:
        return
    content = _read(files[name])
    for needed in needs(content, files[name].name):
        _add(needed, files, loaded)
    loaded[name] = Module(name, content)


def _read(path: Path) -> bytes:
    data = path.read_bytes()
    match path.suffix:
        case ".xz":
            return lzma.decompress(data)
        case ".gz":
            return gzip.decompress(data)
        case ".zst":
            return _unpack_zstd(path)
        case _:
            return data


def _unpack_zstd(path: Path) -> bytes:
    try:
        done = subprocess.run(["zstd", "-dcq", str(path)], capture_output=True, check=False)
    except FileNotFoundError:
        raise MissingToolError("zstd is missing: install it with 'apt install zstd'.") from None
    if done.returncode:
        raise FormatError(f"{path} is not a compressed kernel module.")
    return done.stdout


def needs(content: bytes, name: str) -> tuple[str, ...]:
    """Names of the modules a module needs, from its own description of itself.

    modpost writes "depends=A,B" into every module, with nothing behind the
    equals sign when it needs none.
    """
    match = _DEPENDS.search(content) if content.startswith(b"\x7fELF") else None
    if match is None:
        raise FormatError(f"{name} is not a kernel module.")
    return tuple(_canonical(needed) for needed in match[1].decode().split(",") if needed)
