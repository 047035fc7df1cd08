# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory that four CPUs fork, protect, move, free, swap and collapse at once.

The program races finds what is lost, stale or visible to the wrong process. It holds
on the kernel without the feature too.
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

SOURCE = Path(__file__).parent / "races" / "races.c"
COMPILER = ("aarch64-linux-gnu-gcc", "-std=gnu11", "-D_GNU_SOURCE", "-static", "-pthread", "-O1")

# While the feature is a draft its kernel is built for torture alone.
RACES = [
    ("linux-6.12", 60),
    pytest.param("linux-6.12+fork-batch", 600, marks=pytest.mark.torture),
    pytest.param("linux-6.12+fork-batch:debug", 600, marks=pytest.mark.torture),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, for the guest."""
    path = tmp_path_factory.mktemp("races") / "races"
    subprocess.run([*COMPILER, "-Wall", "-Wextra", "-Werror", "-o", path, SOURCE], check=True)
    return path


@pytest.mark.parametrize(("spec", "seconds"), RACES)
def test_nothing_is_lost_or_stale_in_a_race(spec: str, seconds: int, program: Path) -> None:
    progress = SilentProgress()
    (bootable,) = provision.bootables([spec], progress)
    settings = Settings(cpus=4, timeout=2 * seconds + 600, hang=seconds + 300, counting=None)
    job = make_job(bootable, Command(("./races", str(seconds)), (program,)), settings)
    results = parse(provision.target().run(job, progress).stdout.decode().splitlines())
    assert len(results) == 6
    assert [each.name for each in results if each.verdict is not Verdict.PASS] == []
