# SPDX-License-Identifier: GPL-2.0-or-later
"""Images are told by what is in them."""

import gzip
import struct
from pathlib import Path

import pytest

from granule.errors import UsageError
from granule.kernel import given
from granule.kernel.spec import Built

BANNER = b"\0Linux version 6.12.117 (granule@granule) (gcc)\n"
ARM64 = bytes(56) + b"ARM\x64" + bytes(600) + BANNER


def efi() -> bytes:
    """An Image with an EFI stub: `.text` and `.data`, as the kernel's efi-header.S lays it out."""
    start = b"MZ" + bytes(54) + b"ARM\x64" + (0x40).to_bytes(4, "little")
    coff = b"PE\0\0" + struct.pack("<HHIIIHH", 0xAA64, 2, 0, 0, 0, 0xA0, 0x206)
    text = struct.pack("<8sIIII16x", b".text", 0x1000, 0x400, 0x1000, 0x400)
    data = struct.pack("<8sIIII16x", b".data", 0x9000, 0x1400, 0x200, 0x1400)
    return ((start + coff + bytes(0xA0) + text + data).ljust(0x1000, b"\0") + BANNER).ljust(0x1600)


def zboot(kind: bytes) -> bytes:
    payload = gzip.compress(ARM64)
    sizes = (0x400).to_bytes(4, "little") + len(payload).to_bytes(4, "little")
    header = b"MZ\0\0zimg" + sizes + bytes(8) + kind.ljust(32, b"\0")
    return header.ljust(0x400, b"\0") + payload


@pytest.mark.parametrize(
    "content",
    [ARM64, gzip.compress(ARM64), zboot(b"gzip"), efi()],
    ids=["Image", "Image.gz", "vmlinuz.efi", "Image-with-stub"],
)
def test_what_qemu_boots_is_accepted_and_its_release_known(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "Image"
    path.write_bytes(content)
    kernel = given.provide(Built(path))
    assert (kernel.image, kernel.release, kernel.vmlinux) == (path, "6.12.117", None)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (bytes(0x202) + b"HdrS" + bytes(8), "is a kernel for x86"),
        (b"\x7fELF" + bytes(14) + b"\xb7\0" + bytes(40), "is a vmlinux for arm64 .its Image"),
        (b"\x7fELF" + bytes(14) + b"\x3e\0" + bytes(40), "is a vmlinux for x86"),
        (bytes(0x38) + b"RSC\x05" + bytes(99), "is a kernel for RISC-V"),
        (bytes(0x24) + b"\x18\x28\x6f\x01" + bytes(99), "is a kernel for 32-bit Arm"),
        (zboot(b"zstd"), "with an Image compressed by zstd"),
        (b"hello", "is no Linux kernel"),
        (b"", "is no Linux kernel"),
        (gzip.compress(b"hello"), "is no Linux kernel"),
        (gzip.compress(ARM64)[:20], "is a damaged gzip file"),
        (gzip.compress(ARM64)[:-9], "is a damaged gzip file"),
        (efi()[:-1], "cut short: its header speaks of 5,632 bytes and it has 5,631"),
        (efi()[:0x130], "cut short: its header speaks of"),
        (gzip.compress(efi()[:-1]), "cut short: its header speaks of"),
        (ARM64[: -len(BANNER)], "cut short or not of Linux"),
    ],
    ids=[
        "bzImage", "vmlinux", "vmlinux-x86", "RISC-V", "Arm", "zstd", "text", "empty", "gzip",
        "cut-early", "cut-late", "stub-cut-late", "stub-cut-early", "stub-cut-gzip", "no-stub-cut",
    ],
)  # fmt: skip
def test_anything_else_is_told_what_it_is(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "Image"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=message):
        given.provide(Built(path))


def test_a_built_tree_gives_what_lies_beside_its_image(tmp_path: Path) -> None:
    boot = tmp_path / "arch/arm64/boot"
    boot.mkdir(parents=True)
    (boot / "Image").write_bytes(ARM64)
    (tmp_path / "vmlinux").touch()
    kernel = given.provide(Built(tmp_path))
    assert (kernel.vmlinux, kernel.config) == (tmp_path / "vmlinux", None)


def test_another_image_has_another_identity(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(ARM64)
    (tmp_path / "other").write_bytes(ARM64 + b"\0")
    one, other = (given.provide(Built(tmp_path / name)) for name in ("one", "other"))
    assert one.identity != other.identity


def test_a_tree_that_is_not_built_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "arch/arm64").mkdir(parents=True)
    with pytest.raises(UsageError, match="@HEAD' to have it built"):
        given.provide(Built(tmp_path))


def test_a_directory_that_is_no_tree_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no kernel tree and no Image"):
        given.provide(Built(tmp_path))
