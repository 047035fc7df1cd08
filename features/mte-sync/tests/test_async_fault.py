# SPDX-License-Identifier: GPL-2.0-or-later
"""A fault that is noticed late is reported, and by whom.

The module async-fault stores to freed memory so late that only one place is left
that can report it.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from granule import cache, provision
from granule.command import Command
from granule.kernel import Linux
from granule.kernel.external import provide_module
from granule.progress import SilentProgress
from granule.run import Settings, make_job

pytestmark = pytest.mark.machine

KERNELS = ("linux-6.12:kasan-hw", "linux-6.12+all:kasan-hw")


def reports(spec: str, mode: str, place: str) -> str:
    """What the kernel says of the fault, and what the module was doing."""
    progress = SilentProgress()
    source = Path(__file__).parent / "async-fault"
    kernel = provision.parse(spec)
    assert isinstance(kernel, Linux)
    module = provide_module(kernel, source, cache.root(), progress)
    (bootable,) = provision.bootables([spec], progress)
    settings = Settings(
        counting=None, kernel_arguments=f"kasan.mode={mode} kasan.fault=report kasan_multi_shot"
    )
    command = Command(("insmod", module.name, f"place={place}"), (module,))
    job = replace(make_job(bootable, command, settings), tolerate_reports=True)
    return provision.target().run(job, progress).dmesg


@pytest.mark.parametrize("spec", KERNELS)
@pytest.mark.parametrize("mode", ["async", "asymm"])
def test_a_fault_just_before_a_context_switch_is_reported_by_it(spec: str, mode: str) -> None:
    said = reports(spec, mode, "switch")
    assert "BUG: KASAN: invalid-access" in said
    assert "mte_thread_switch" in said
    assert "store_to_freed_memory" not in said


@pytest.mark.parametrize("spec", KERNELS)
@pytest.mark.parametrize("mode", ["async", "asymm"])
def test_a_fault_before_the_return_to_user_space_is_reported(spec: str, mode: str) -> None:
    said = reports(spec, mode, "exit")
    assert "BUG: KASAN: invalid-access" in said
    assert "store_to_freed_memory" not in said


@pytest.mark.parametrize("spec", KERNELS)
def test_a_synchronous_fault_is_reported_where_it_happens(spec: str) -> None:
    assert "store_to_freed_memory" in reports(spec, "sync", "exit")
