# SPDX-License-Identifier: GPL-2.0-or-later
"""Tagged memory takes every way there is into swap and out of it, and comes back as it was.

The program swap-paths sees to it that each way was really taken: zram and its writeback,
zswap and its writeback, shared memory, swapoff, large folios of which half is released,
hibernation, and allocations that fail (only in kernels with the fragment failslab).
"""

import pytest

from granule import provision
from granule.command import Command
from granule.ktap import Verdict, parse
from granule.progress import SilentProgress
from granule.run import Settings, make_job

pytestmark = pytest.mark.machine

# Linux 6.12 cannot resume with 52-bit addresses and pages of 4 KiB: trans_pgd_create_copy()
# takes the table of the fifth level for one of the fourth.
ADDRESSES = "arm64.nolva"

TRIALS = [
    pytest.param("linux-6.12", "", 3, id="baseline"),
    # While the feature is a draft its kernel is built for torture alone.
    pytest.param("linux-6.12+mte-swap", "", 2, id="full", marks=pytest.mark.torture),
    pytest.param(
        "linux-6.12+mte-swap", "mteswap=inline", 2, id="inline", marks=pytest.mark.torture
    ),
    pytest.param("linux-6.12+mte-swap", "mteswap=off", 2, id="off", marks=pytest.mark.torture),
]


@pytest.mark.parametrize(("spec", "append", "skipped"), TRIALS)
def test_tags_and_data_come_back(spec: str, append: str, skipped: int) -> None:
    """Ways that need failing allocations, or the kernel's figures, are skipped."""
    progress = SilentProgress()
    (bootable,) = provision.bootables([spec], progress)
    program = provision.guest(progress).programs.workloads["swap-paths"]
    arguments = f"{ADDRESSES} {append}".strip()
    settings = Settings(counting=None, timeout=600, kernel_arguments=arguments)
    job = make_job(bootable, Command(("./swap-paths",), (program,)), settings)
    run = provision.target().run(job, progress)
    verdicts = [each.verdict for each in parse(run.stdout.decode().splitlines())]
    assert len(verdicts) > 10
    assert Verdict.FAIL not in verdicts, run.stdout.decode()
    assert verdicts.count(Verdict.SKIP) == skipped, run.stdout.decode()
    assert run.status.success
