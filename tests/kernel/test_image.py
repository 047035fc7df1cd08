# SPDX-License-Identifier: GPL-2.0-or-later
"""Images are told by what is in them."""

import gzip
from pathlib import Path

import pytest

from granule.errors import UsageError
from granule.kernel import given
from granule.kernel.spec import Built

BANNER = b"\0Linux version 6.12.117 (granule@granule) (gcc)\n"
ARM64 = bytes(56) + b"ARM\x64" + bytes(600) + BANNER


def zboot(kind: bytes) -> bytes:
    payload = gzip.compress(ARM64)
    sizes = (0x400).to_bytes(4, "little") + len(payload).to_bytes(4, "little")
    header = b"MZ\0\0zimg" + sizes + bytes(8) + kind.ljust(32, b"\0")
    return header.ljust(0x400, b"\0") + payload


@pytest.mark.parametrize(
    "content",
    [ARM64, gzip.compress(ARM64), zboot(b"gzip")],
    ids=["Image", "Image.gz", "vmlinuz.efi"],
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
    ],
    ids=[
        "bzImage", "vmlinux", "vmlinux-x86", "RISC-V", "Arm", "zstd", "text", "empty", "gzip",
        "cut-early", "cut-late",
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
