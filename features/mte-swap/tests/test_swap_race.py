# SPDX-License-Identifier: GPL-2.0-or-later
"""Tagged memory comes back from swap as it was, whatever others do meanwhile.

The program swap-race runs on the kernel without the feature too, so that what it asks
for is what Linux has always done.
"""

import subprocess
from pathlib import Path

import pytest

from granule import provision, shipped
from granule.command import Command
from granule.ktap import Verdict, parse
from granule.progress import SilentProgress
from granule.run import Settings, make_job

pytestmark = pytest.mark.machine

SOURCE = Path(__file__).parent / "swap-race" / "swap-race.c"
COMPILER = ("aarch64-linux-gnu-gcc", "-std=gnu11", "-D_GNU_SOURCE", "-static", "-O2", "-pthread")
WORKERS = 5

long = pytest.mark.torture
TRIALS = [
    pytest.param("linux-6.12", "", 20, id="baseline"),
    # While the feature is a draft its kernel is built for torture alone.
    pytest.param("linux-6.12+mte-swap", "", 60, id="full", marks=long),
    pytest.param("linux-6.12+mte-swap", "mteswap=inline", 60, id="inline", marks=long),
    pytest.param("linux-6.12+mte-swap", "mteswap=off", 60, id="off", marks=long),
    pytest.param("linux-6.12+mte-swap", "", 600, id="long", marks=long),
    pytest.param("linux-6.12+mte-swap:kasan-hw", "kasan.fault=report", 300, id="kasan", marks=long),
    pytest.param("linux-6.12+mte-swap:debug", "kmemleak=on", 300, id="debug", marks=long),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, for the guest."""
    path = tmp_path_factory.mktemp("swap-race") / "swap-race"
    include = shipped.folder() / "guest" / "workloads"
    arguments = ("-Wall", "-Wextra", "-Werror", "-I", include, "-o", path, SOURCE)
    subprocess.run([*COMPILER, *arguments], check=True)
    return path


@pytest.mark.parametrize(("spec", "append", "seconds"), TRIALS)
def test_every_page_comes_back(spec: str, append: str, seconds: int, program: Path) -> None:
    progress = SilentProgress()
    (bootable,) = provision.bootables([spec], progress)
    settings = Settings(counting=None, cpus=2, timeout=seconds * 4 + 300, kernel_arguments=append)
    job = make_job(bootable, Command(("./swap-race", str(seconds)), (program,)), settings)
    run = provision.target().run(job, progress)
    results = parse(run.stdout.decode().splitlines())
    assert len(results) == WORKERS, run.stderr.decode() + run.dmesg
    assert [each.name for each in results if each.verdict is not Verdict.PASS] == []
