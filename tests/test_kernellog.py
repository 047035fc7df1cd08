# SPDX-License-Identifier: GPL-2.0-or-later
from pathlib import Path

import pytest

from granule.kernellog import first_lines, reports

RECORDED = Path(__file__).parent / "data" / "dmesg-6.12-warn.txt"

# As kernels of 6.12 print them; the last two lines of each are to be left out.
WARN = """\
<6>[    1.000000] smp: Brought up 1 node, 4 CPUs
<4>[   12.345678] ------------[ cut here ]------------
<4>[   12.345679] WARNING: CPU: 2 PID: 117 at arch/arm64/kernel/mte.c:{line} \
mte_thread_switch+0x{offset}/0xa8
<4>[   12.345680] Modules linked in:
"""


@pytest.mark.parametrize(
    ("line", "report"),
    [
        (
            "<4>[    3.1] WARNING: possible circular locking dependency detected",
            "WARNING: possible circular locking dependency detected",
        ),
        ("<4>[    3.1] WARNING: suspicious RCU usage", "WARNING: suspicious RCU usage"),
        (
            "<3>[    9.8] BUG: KASAN: invalid-access in kmalloc_oob_right+0x1a4/0x6ac",
            "BUG: KASAN: invalid-access in kmalloc_oob_right",
        ),
        (
            "<3>[    9.8] BUG kmalloc-64 (Not tainted): Right Redzone overwritten",
            "BUG kmalloc-N (Not tainted): Right Redzone overwritten",
        ),
        (
            "<3>[  9.8] BUG: sleeping function called from invalid context at mm/slab.h:327",
            "BUG: sleeping function called from invalid context at mm/slab.h:N",
        ),
        (
            "<0>[   40.1] watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [stress-ng:91]",
            "BUG: soft lockup - CPU#N stuck for Ns! [stress-ng:N]",
        ),
        (
            "<3>[  242.1] INFO: task kworker/0:1:9 blocked for more than 120 seconds.",
            "INFO: task kworker/N:N:N blocked for more than N seconds.",
        ),
        (
            "<3>[   61.0] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
            "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
        ),
        (
            "<6>[  610.5] kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
            "kmemleak: N new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
        ),
        (
            "<1>[    5.0] Unable to handle kernel paging request at virtual address f5ff00041f3010",
            "Unable to handle kernel paging request at virtual address ADDRESS",
        ),
        (
            "<4>[    5.0] [  T117] turning off the locking correctness validator.",
            "locking correctness validator.",
        ),
    ],
)
def test_what_kernels_complain_of(line: str, report: str) -> None:
    assert reports(f"<6>[    1.0] before\n{line}\n<6>[   99.0] after\n") == [report]


def test_a_warning_is_the_same_wherever_its_line_moves() -> None:
    one = WARN.format(line=252, offset="3c")
    two = WARN.format(line=261, offset="48")
    assert reports(one + two) == reports(one) == reports(two)
    assert reports(one) == ["WARNING: arch/arm64/kernel/mte.c:N mte_thread_switch"]


@pytest.mark.parametrize(
    "line",
    [
        "<6>[    0.0] kmemleak: Kernel memory leak detector initialized (mem pool available: 15)",
        "<6>[    0.0] Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar",
        "<6>[    0.0] rcu: Preemptible hierarchical RCU implementation.",
        "<5>[    0.0] rcu: \tRCU restricting CPUs from NR_CPUS=256 to nr_cpu_ids=4.",
        "<6>[    1.1] DEBUG_VM enabled",
        "<6>[    0.0] printk: log buffer data + meta data: 16777216 + 58720256 bytes",
    ],
)
def test_what_they_merely_say(line: str) -> None:
    assert reports(f"{line}\n") == []


def test_what_a_kernel_wrote_of_its_warnings() -> None:
    """Two WARN() of one function of a module: a reader gets the first as it was written."""
    log = RECORDED.read_text()
    assert reports(log) == ["WARNING: warn.c:N warn_init [warn]"]
    assert first_lines(log) == ["WARNING: CPU: 0 PID: 41 at warn.c:5 warn_init+0x14/0xff8 [warn]"]
    before, _, _ = log.partition("<4>[    0.576412] ------------[ cut here ]------------")
    assert before
    assert first_lines(before) == []
