# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest programs, built once, and a machine to run commands on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from granule import cache
from granule.debian import apt_root, host_release, unpack
from granule.progress import SilentProgress
from granule.targets import Job, Outcome, QemuTarget
from granule.userland import (
    GuestPrograms,
    Request,
    build_programs,
    load_recipe,
    module_files,
    provide,
)

GUEST = Path(__file__).parents[2] / "guest"
KERNEL = r"linux-image-6\.12\.\d+(\+deb\d+)?-arm64"


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> GuestPrograms:
    if shutil.which("aarch64-linux-gnu-gcc") is None:
        pytest.skip("needs gcc-aarch64-linux-gnu")
    return build_programs(GUEST, tmp_path_factory.mktemp("programs"), SilentProgress())


@pytest.fixture(scope="session")
def debian_kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Debian's 6.12 kernel, unpacked."""
    tree = tmp_path_factory.mktemp("kernel")
    root = apt_root(cache.root(), host_release())
    package = root.newest_matching(KERNEL)
    unpack(root.download(package.name, package.version), tree)
    return tree


@pytest.fixture
def boot(
    programs: GuestPrograms, debian_kernel: Path, tmp_path: Path
) -> Callable[[Request], Outcome]:
    """Runs a request on an emulated machine, without counting."""
    userland = provide(load_recipe(GUEST / "userland.toml"), cache.root(), SilentProgress())
    target = QemuTarget(tmp_path / "no-plugin", tmp_path / "runs")

    def run(request: Request) -> Outcome:
        job = Job(
            kernel=next(debian_kernel.glob("boot/vmlinuz-*")),
            init=programs.init,
            image=userland.image,
            request=request,
            modules=module_files(next(debian_kernel.glob("lib/modules/*"))),
            counting=None,
            timeout=300,
        )
        return target.run(job, SilentProgress())

    return run
