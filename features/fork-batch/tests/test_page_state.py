# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory, permissions and what userfaultfd watches, after changes made in batches.

The program page-state runs on the kernel without the feature too, so that what it
asks for is what Linux has always done.
"""

import subprocess
from pathlib import Path

import pytest

from granule import provision
from granule.command import Command
from granule.ktap import Verdict, parse
from granule.progress import SilentProgress
from granule.run import Settings, make_job

pytestmark = pytest.mark.machine

SOURCE = Path(__file__).parent / "page-state" / "page-state.c"
COMPILER = ("aarch64-linux-gnu-gcc", "-std=gnu11", "-D_GNU_SOURCE", "-static", "-O1")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, for the guest."""
    path = tmp_path_factory.mktemp("page-state") / "page-state"
    subprocess.run([*COMPILER, "-Wall", "-Wextra", "-Werror", "-o", path, SOURCE], check=True)
    return path


# While the feature is a draft its kernel is built for torture alone.
KERNELS = ["linux-6.12", pytest.param("linux-6.12+fork-batch", marks=pytest.mark.torture)]


@pytest.mark.parametrize("spec", KERNELS)
def test_memory_is_as_if_each_entry_was_changed_alone(spec: str, program: Path) -> None:
    progress = SilentProgress()
    (bootable,) = provision.bootables([spec], progress)
    job = make_job(bootable, Command(("./page-state",), (program,)), Settings(counting=None))
    results = parse(provision.target().run(job, progress).stdout.decode().splitlines())
    assert len(results) == 15
    assert [each.name for each in results if each.verdict is not Verdict.PASS] == []
