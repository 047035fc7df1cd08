# SPDX-License-Identifier: GPL-2.0-or-later
"""What swapped pages take in the kernel is what the coder takes on the host.

The program mte-swap gives memory the tags of the sample of the corpus, swaps it out, and
shows /sys/kernel/debug/mteswap; it fails if a tag or a byte comes back otherwise.
"""

from collections import Counter
from pathlib import Path

import pytest

from granule import provision
from granule.command import Command
from granule.progress import SilentProgress
from granule.run import Settings, make_job
from granule.tags import build_coder, read_pages

# While the feature is a draft its kernel is built for torture alone.
pytestmark = [pytest.mark.machine, pytest.mark.torture]

SAMPLE = Path(__file__).parents[1] / "corpus" / "sample.txt"
RAW = 128
PAGES = 2048


def stored(design: str) -> Counter[int]:
    """Pages by the bytes they take out of line, by the coder on the host."""
    coder, pages = build_coder(), read_pages(SAMPLE)
    sizes = [coder.store(page.packed).bytes for page in pages]
    if design == "off":
        sizes = [RAW] * len(sizes)
    if design == "inline":
        sizes = [RAW if size else 0 for size in sizes]
    return Counter(sizes[at % len(sizes)] for at in range(PAGES))


def live_pages(output: str) -> Counter[int]:
    """The same as the kernel shows it while the pages are swapped out."""
    table = output.split("class_bytes allocations releases live\n")[1]
    rows = (line.split() for line in table.partition("uncompressed_bytes")[0].splitlines())
    return Counter({int(row[0]): int(row[3]) for row in rows})


@pytest.mark.parametrize("design", ["off", "inline", "full"])
def test_the_kernel_stores_what_the_host_does(design: str) -> None:
    progress = SilentProgress()
    (bootable,) = provision.bootables(["linux-6.12+mte-swap"], progress)
    program = provision.guest(progress).programs.workloads["mte-swap"]
    command = Command(("./mte-swap", "file", str(PAGES), SAMPLE.name), (program, SAMPLE))
    settings = Settings(counting=None, kernel_arguments=f"mteswap={design}")
    run = provision.target().run(make_job(bootable, command, settings), progress)
    assert run.status.code == 0, run.stderr.decode()
    assert +live_pages(run.stdout.decode()) == stored(design)
