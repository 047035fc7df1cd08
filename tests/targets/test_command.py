# SPDX-License-Identifier: GPL-2.0-or-later
from dataclasses import replace
from pathlib import Path

import pytest

from granule.targets import Counting, Debugger, Job
from granule.targets.command import Files, command_line

PLUGIN = Path("/lib/libgranule_counters.so")


def _line(job: Job, directory: str = "/run") -> str:
    return " ".join(command_line(job, Files(Path(directory)), PLUGIN))


def test_one_cpu_is_repeatable(job: Job) -> None:
    line = _line(replace(job, seed=3))
    assert "-icount shift=0,sleep=off" in line
    assert "-seed 3" in line
    assert "-smp 1" in line


def test_several_cpus_run_in_parallel(job: Job) -> None:
    line = _line(replace(job, cpus=4, repeatable=False))
    assert "-icount" not in line
    assert "-smp 4" in line


def test_several_cpus_cannot_be_repeatable(job: Job) -> None:
    with pytest.raises(ValueError, match="one CPU"):
        replace(job, cpus=2)


def test_memory_has_the_same_size_everywhere(job: Job) -> None:
    line = _line(replace(job, memory=3000))
    assert "-m 3000M" in line
    assert "memory-backend-memfd,id=ram,size=3000M,share=on" in line


def test_a_machine_can_begin_at_el2(job: Job) -> None:
    assert "virtualization=on" in _line(replace(job, counting=None, exception_level=2))
    assert "virtualization" not in _line(job)


def test_nothing_is_counted_at_el2(job: Job) -> None:
    with pytest.raises(ValueError, match="nothing is counted at EL2"):
        replace(job, exception_level=2)


def test_there_is_no_disk_to_wait_for(job: Job) -> None:
    assert "-drive" not in _line(job)
    assert "virtserialport,chardev=results,name=granule-results" in _line(job)


def test_commas_in_paths_are_doubled(job: Job) -> None:
    assert "out=/a,,b/counts.json" in _line(job, "/a,b")


def test_arguments_are_added_to_the_kernel_s_own(job: Job) -> None:
    words = command_line(replace(job, kernel_arguments="kasan=off"), Files(Path("/run")), PLUGIN)
    assert words[words.index("-append") + 1].endswith("oops=panic kasan=off")


def test_no_counting_no_plugin(job: Job) -> None:
    assert "-plugin" not in _line(replace(job, counting=None))


def test_stacks_are_only_asked_for_when_wanted(job: Job) -> None:
    assert "stacks=" not in _line(job)
    line = _line(replace(job, counting=Counting(profile=True, stacks="instructions:100")))
    assert "profile=on,verify=off,stacks=instructions:100" in line


def test_a_debugger_attaches_to_a_machine_that_runs(job: Job) -> None:
    words = command_line(
        replace(job, debugger=Debugger(Path("/tmp/a,b/gdb"))), Files(Path("/run")), PLUGIN
    )
    assert "-S" not in words
    assert words[words.index("-gdb") + 1] == "unix:/tmp/a,,b/gdb,server=on,wait=off"


def test_a_machine_can_wait_for_its_debugger(job: Job) -> None:
    assert "-gdb unix:/s,server=on,wait=off -S" in _line(
        replace(job, debugger=Debugger(Path("/s"), halted=True))
    )


def test_what_to_type_to_attach() -> None:
    command = Debugger(Path("/tmp/s")).command(Path("/cache/my kernel/vmlinux"))
    assert "'/cache/my kernel/vmlinux' -ex 'target remote /tmp/s'" in command
    assert "'set architecture aarch64'" in Debugger(Path("/tmp/s")).command(None)
