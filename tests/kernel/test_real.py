# SPDX-License-Identifier: GPL-2.0-or-later
"""Real kernels, built from Debian's source and booted until they miss their root."""

import os
import subprocess
from pathlib import Path

import pytest

from granule import cache, ktap
from granule.kernel import parse, provide, provide_selftests, shipped
from granule.progress import SilentProgress

pytestmark = pytest.mark.machine

QEMU = [
    "qemu-system-aarch64", "-M", "virt,mte=on,gic-version=3,dtb-randomness=off",
    "-cpu", "max,pauth-impdef=on,sve=off,sme=off", "-m", "2G", "-nodefaults",
    "-serial", "stdio", "-display", "none", "-no-reboot",
    # A tag of 4 bits equals its neighbour's one time in 15, and KASAN then misses an
    # overflow that its test plants; with these the same boot draws the same tags.
    "-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01,clock=vm", "-seed", "1",
]  # fmt: skip
# What they touch and what lies beyond get random tags of 4 bits.
DECIDED_BY_CHANCE = {"kasan / page_alloc_oob_right", "kasan / kmalloc_oob_right"}
DETECTED = (
    "Memory Tagging Extension",
    "LSE atomic instructions",
    "TLB range maintenance instructions",
    "Hardware dirty bit management",
    "Common not Private translations",
)


def console(image: Path, arguments: str = "") -> str:
    """What a kernel says until it panics for want of a root file system."""
    command = [*QEMU, "-kernel", str(image), "-append", f"console=ttyAMA0 panic=-1 {arguments}"]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=300
    )
    return done.stdout.decode(errors="replace")


def cpu_seconds() -> float:
    """Time this process and its children worked; a busy machine does not change it."""
    return sum(os.times()[:4])


ANOTHER_LINUX = pytest.param("linux-7.3", marks=pytest.mark.torture)


@pytest.mark.parametrize("spec", ["debian", "linux-6.12", ANOTHER_LINUX])
def test_a_kernel_comes_up_and_uses_what_is_measured(spec: str) -> None:
    kernel = provide(parse(spec, shipped()), cache.root(), SilentProgress())
    said = console(kernel.image)
    assert f"Linux version {kernel.release} " in said
    assert "Unable to mount root fs" in said
    assert [feature for feature in DETECTED if f"detected: {feature}" not in said] == []


def test_kasans_own_tests_pass_in_sync_mode() -> None:
    kernel = provide(parse("linux-6.12:kasan-hw", shipped()), cache.root(), SilentProgress())
    arguments = "kunit.enable=1 kasan.mode=sync kasan.fault=report kasan_multi_shot"
    said = console(kernel.image, arguments)
    assert "kasan: KernelAddressSanitizer initialized (hw-tags, mode=sync" in said
    results = ktap.parse(said.splitlines())
    failed = {result.name for result in results if result.verdict is ktap.Verdict.FAIL}
    assert len(results) > 50
    assert failed <= DECIDED_BY_CHANCE


def test_an_unchanged_request_returns_at_once() -> None:
    spec = parse("linux-6.12", shipped())
    first = provide(spec, cache.root(), SilentProgress())
    start = cpu_seconds()
    assert provide(spec, cache.root(), SilentProgress()) == first
    assert cpu_seconds() - start < 0.2


def test_the_selftests_are_static_programs() -> None:
    built = provide_selftests(parse("linux-6.12", shipped()), cache.root(), SilentProgress())
    assert "check_buffer_fill" in built.programs
    for program in built.programs:
        described = subprocess.run(
            ["file", "-b", str(built.folder / program)], capture_output=True, text=True, check=True
        )
        assert "ARM aarch64" in described.stdout
        assert "statically linked" in described.stdout
