# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest programs, built once, and the plainest machine that can run them."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from granule import cache
from granule.debian import apt_root, host_release, unpack
from granule.progress import SilentProgress
from granule.userland import (
    GuestPrograms,
    Request,
    build_initramfs,
    build_programs,
    load_recipe,
    provide,
    write_initramfs,
)

GUEST = Path(__file__).parents[2] / "guest"
KERNEL = r"linux-image-6\.12\.\d+(\+deb\d+)?-arm64"

MACHINE = [
    "qemu-system-aarch64", "-nodefaults", "-display", "none", "-no-reboot",
    "-M", "virt,mte=on,gic-version=3,dtb-randomness=off",
    "-cpu", "max,pauth-impdef=on,sve=off,sme=off", "-m", "2G",
    "-icount", "shift=0,sleep=off", "-rtc", "base=2024-01-01,clock=vm", "-seed", "1",
    "-append", "console=ttyAMA0 loglevel=4 panic=-1 oops=panic",
    "-device", "virtio-serial-pci,ioeventfd=off",
    "-device", "virtserialport,chardev=results,name=granule-results",
]  # fmt: skip

Results = dict[str, str]


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> GuestPrograms:
    if shutil.which("aarch64-linux-gnu-gcc") is None:
        pytest.skip("needs gcc-aarch64-linux-gnu")
    return build_programs(GUEST, tmp_path_factory.mktemp("programs"), SilentProgress())


@pytest.fixture(scope="session")
def debian_kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Debian's 6.12 kernel."""
    tree = tmp_path_factory.mktemp("kernel")
    root = apt_root(cache.root(), host_release())
    package = root.newest_matching(KERNEL)
    unpack(root.download(package.name, package.version), tree)
    return next(tree.glob("boot/vmlinuz-*"))


@pytest.fixture
def boot(
    programs: GuestPrograms, debian_kernel: Path, tmp_path: Path
) -> Callable[[Request], Results]:
    """Runs a request and returns the members of the archive it leaves."""
    userland = provide(load_recipe(GUEST / "userland.toml"), cache.root(), SilentProgress())
    initramfs, results = tmp_path / "initramfs", tmp_path / "results.tar"

    def run(request: Request) -> Results:
        with initramfs.open("wb") as file:
            rest = build_initramfs(programs.init, (), request)
            write_initramfs(file, userland.archive, rest)
        command = [*MACHINE, "-kernel", str(debian_kernel), "-initrd", str(initramfs)]
        command += ["-chardev", f"file,id=results,path={results}"]
        command += ["-serial", f"file:{tmp_path / 'console'}"]
        subprocess.run(command, check=True, timeout=300)
        return members(results)

    return run


def members(archive: Path) -> Results:
    found: Results = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            content = tar.extractfile(member)
            assert content is not None
            found[member.name] = content.read().decode()
    return found
