# SPDX-License-Identifier: GPL-2.0-or-later
"""Tagged memory comes back from swap as it was, whatever others do meanwhile.

The program swap-race runs on the kernel without the feature too, so that what it asks
for is what Linux has always done. For ten minutes, and on kernels that check themselves,
it runs in the trials of torture/.
"""

import pytest

from granule import provision
from granule.command import Command
from granule.ktap import Verdict, parse
from granule.progress import SilentProgress
from granule.run import Settings, make_job

pytestmark = pytest.mark.machine

WORKERS = 5

# While the feature is a draft its kernel is built for torture alone.
long = pytest.mark.torture
TRIALS = [
    pytest.param("linux-6.12", "", 20, id="baseline"),
    pytest.param("linux-6.12+mte-swap", "", 60, id="full", marks=long),
    pytest.param("linux-6.12+mte-swap", "mteswap=inline", 60, id="inline", marks=long),
    pytest.param("linux-6.12+mte-swap", "mteswap=off", 60, id="off", marks=long),
]


@pytest.mark.parametrize(("spec", "append", "seconds"), TRIALS)
def test_every_page_comes_back(spec: str, append: str, seconds: int) -> None:
    progress = SilentProgress()
    (bootable,) = provision.bootables([spec], progress)
    program = provision.guest(progress).programs.workloads["swap-race"]
    settings = Settings(counting=None, cpus=4, timeout=seconds * 6 + 300, kernel_arguments=append)
    job = make_job(bootable, Command(("./swap-race", str(seconds)), (program,)), settings)
    run = provision.target().run(job, progress)
    results = parse(run.stdout.decode().splitlines())
    assert len(results) == WORKERS, run.stderr.decode() + run.dmesg
    assert [each.name for each in results if each.verdict is not Verdict.PASS] == []
