# SPDX-License-Identifier: GPL-2.0-or-later
"""Recognizes kernel images by what they contain."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from granule.errors import UsageError

_RELEASE = re.compile(rb"Linux version (\S+) \(")
_HEADER = 0x210
_ELF_MACHINES = {0x03: "x86", 0x3E: "x86", 0x28: "32-bit Arm", 0xB7: "arm64", 0xF3: "RISC-V"}


def check(path: Path) -> None:
    """Raises UsageError unless QEMU boots `path`: an arm64 Image, maybe gzipped."""
    header = _header(path)
    if header[0x38:0x3C] == b"ARM\x64" or _is_gzip_zboot(header):
        return
    raise UsageError(f"{path} {_instead(header)}; give an arm64 Image.")


def release(path: Path) -> str:
    """The release an Image would tell `uname -r`, or "unknown"."""
    found = _RELEASE.search(_content(path))
    return found[1].decode() if found else "unknown"


def _header(path: Path) -> bytes:
    with path.open("rb") as file:
        start = file.read(_HEADER)
    if not start.startswith(b"\x1f\x8b"):
        return start
    with _unpacking(path), gzip.open(path) as packed:
        return packed.read(_HEADER)


@contextmanager
def _unpacking(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, zlib.error) as reason:
        raise UsageError(f"{path} is a damaged gzip file ({reason}); give another.") from reason


def _content(path: Path) -> bytes:
    data = path.read_bytes()
    if _is_gzip_zboot(data[:_HEADER]):
        offset = int.from_bytes(data[8:12], "little")
        size = int.from_bytes(data[12:16], "little")
        data = data[offset : offset + size]
    if not data.startswith(b"\x1f\x8b"):
        return data
    with _unpacking(path):
        return gzip.decompress(data)


def _is_gzip_zboot(header: bytes) -> bool:
    """An EFI program that holds a gzipped Image; QEMU unpacks no other kind."""
    return _is_zboot(header) and header[24:29] == b"gzip\0" and header[0x38:0x3C] != b"ARM\x64"


def _is_zboot(header: bytes) -> bool:
    return header.startswith(b"MZ") and header[4:8] == b"zimg"


def _instead(header: bytes) -> str:
    """What a file is that cannot be booted."""
    if header[0x202:0x206] == b"HdrS":
        return "is a kernel for x86"
    if header.startswith(b"\x7fELF"):
        machine = _ELF_MACHINES.get(int.from_bytes(header[18:20], "little"), "another machine")
        return f"is a vmlinux for {machine} (its Image is in arch/arm64/boot)"
    if header[0x30:0x34] == b"RISC" or header[0x38:0x3C] == b"RSC\x05":
        return "is a kernel for RISC-V"
    if header[0x24:0x28] == b"\x18\x28\x6f\x01":
        return "is a kernel for 32-bit Arm"
    if _is_zboot(header):
        kind = header[24:56].split(b"\0")[0].decode(errors="replace")
        return f"is an EFI program with an Image compressed by {kind}"
    return "is no Linux kernel"
