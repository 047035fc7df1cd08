# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes an ext4 image from a folder, without mounting anything."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from granule.errors import BuildError, MissingToolError

# Any fixed values do: they only keep the image the same from build to build.
_UUID = "6772616e-756c-4500-8000-000000000001"
_EPOCH = "1704067200"

# No journal and no lazy initialisation: both run threads of their own in the
# guest, whose work would fall into the regions that are measured.
_FEATURES = "^has_journal,^metadata_csum,^orphan_file"
_EXTENDED = f"hash_seed={_UUID},lazy_itable_init=0,root_owner=0:0,nodiscard"

_MIB = 1 << 20


def make_ext4(tree: Path, image: Path, slack_mib: int) -> None:
    """Write the ext4 `image` that holds `tree` and `slack_mib` MiB of free space.

    The files belong to root whoever builds the image.  Raises MissingToolError
    without mke2fs and BuildError when it fails.
    """
    blocks = f"{_content_mib(tree) * 5 // 4 + slack_mib}M"
    command = [
        *_as_root(),
        _mke2fs(), "-q", "-F", "-t", "ext4", "-b", "4096", "-m", "0", "-U", _UUID,
        "-O", _FEATURES, "-E", _EXTENDED, "-d", str(tree), str(image), blocks,
    ]  # fmt: skip
    environment = {
        **os.environ, "E2FSPROGS_FAKE_TIME": _EPOCH, "SOURCE_DATE_EPOCH": _EPOCH,
        "MKE2FS_DEVICE_SECTSIZE": "512",
    }  # fmt: skip
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(_explain(done.stderr), details=done.stderr)


def _mke2fs() -> str:
    # /usr/sbin is not on everybody's PATH.
    path = shutil.which("mke2fs", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if path is None:
        raise MissingToolError("mke2fs is missing: install it with 'apt install e2fsprogs'.")
    return path


def _as_root() -> list[str]:
    """A prefix that makes the caller's own files look like root's, where needed."""
    unshare = shutil.which("unshare")
    if os.geteuid() == 0 or unshare is None:
        return []
    prefix = [unshare, "--map-root-user"]
    allowed = subprocess.run([*prefix, "true"], capture_output=True, check=False)
    return prefix if allowed.returncode == 0 else []


def _content_mib(tree: Path) -> int:
    """Size of the files, each rounded up to the blocks it needs, in MiB."""
    blocks = sum((path.lstat().st_size + 8191) // 4096 for path in tree.rglob("*"))
    return blocks * 4096 // _MIB + 1


def _explain(complaint: str) -> str:
    if "No space left" in complaint or "Disk quota" in complaint:
        return (
            "The disk with Granule's cache is full: free some space, or point "
            "GRANULE_CACHE at another disk."
        )
    return "mke2fs could not make the userland image."
