# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's own tests of memory tagging say the same of both kernels.

KASAN's KUnit suite and the MTE selftests, test by test. In asynchronous and asymmetric
mode the trials kasan-async and kasan-asymm compare the same (torture/trials.toml).
"""

from collections.abc import Mapping

import pytest

from granule import kerneltest, provision
from granule.kernel import Selftests
from granule.progress import SilentProgress
from granule.run import Settings

pytestmark = pytest.mark.machine

# An object and its neighbour get random tags of 4 bits, which are equal once in 15
# times, so most of several runs decide. Two tests depend on the layout of the kernel
# besides.
RUNS = 7
DECIDED_BY_LAYOUT = {"kasan / page_alloc_oob_right", "kasan / kmalloc_oob_right"}
KASAN = "kasan / "

MODES = [
    pytest.param("kasan-hw", "kasan.mode=sync", id="sync"),
    pytest.param("mte-user", "", id="mte-user"),
]


def verdicts(spec: str, arguments: str) -> Mapping[str, str]:
    """Verdicts by the name of the test: the selftests' of one run, KUnit's of most."""
    selftests = provision.selftests(spec, SilentProgress())
    once = reported(spec, Settings(kernel_arguments=arguments), selftests)
    found = {name: verdict for name, verdict in once.items() if not name.startswith(KASAN)}
    if arguments:
        found |= reported(spec, Settings(runs=RUNS, kernel_arguments=arguments), None)
    return {name: verdict for name, verdict in found.items() if name not in DECIDED_BY_LAYOUT}


def reported(spec: str, settings: Settings, selftests: Selftests | None) -> dict[str, str]:
    progress = SilentProgress()
    (bootable,) = provision.bootables([spec], progress)
    report = kerneltest.test_kernel(
        provision.remembering_target(),
        bootable,
        selftests,
        progress,
        settings=settings,
        counters=False,
    )
    return {each.name: each.verdict for each in report.results}


@pytest.mark.parametrize(("fragment", "arguments"), MODES)
def test_every_test_says_the_same(fragment: str, arguments: str) -> None:
    before = verdicts(f"linux-6.12:{fragment}", arguments)
    after = verdicts(f"linux-6.12+all:{fragment}", arguments)
    assert len(before) > 100
    assert after == before
