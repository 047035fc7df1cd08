# SPDX-License-Identifier: GPL-2.0-or-later
"""What decides a run, seen from the files of this machine."""

from pathlib import Path

import pytest

from granule import plan as plans
from granule import provision
from granule.errors import UsageError
from granule.lab.machine import MachineLab
from granule.plan import Plan
from granule.userland import GuestPrograms, Userland

PLAN = """
title = "Try"
baseline = "debian"
kernels = ["debian"]
[[configuration]]
name = "plain"
[[configuration]]
name = "async"
append = "kasan.mode=async"
[[workload]]
name = "getpid"
program = "getpid"
arguments = ["-n", "3"]
files = ["input"]
[[workload]]
name = "true"
command = ["true"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A plan with the files it needs, and the guest's programs."""
    for name in ("init", "getpid", "input"):
        (tmp_path / name).write_text(name)
    (tmp_path / "try.toml").write_text(PLAN)
    return tmp_path


def _lab(folder: Path, plugin: str = "plugin", userland: str = "userland") -> MachineLab:
    programs = GuestPrograms(folder / "init", {"getpid": folder / "getpid"})
    guest = provision.Guest(programs, Userland(folder / "archive", userland, ()))
    return MachineLab(guest, plugin, "QEMU 10", folder)


def _plan(folder: Path, old: str = "", new: str = "") -> Plan:
    (folder / "try.toml").write_text(PLAN.replace(old, new))
    return plans.parse(folder / "try.toml")


def _key(lab: MachineLab, plan: Plan, cell: int = 0, seed: int = 1) -> str:
    return lab.conditions(plan, plan.cells[cell], "a kernel", seed).key


def test_a_program_of_the_guest_is_copied_with_its_files(folder: Path) -> None:
    plan = _plan(folder)
    command = _lab(folder).command(plan, plan.workloads[0])
    assert command.argv == ("./getpid", "-n", "3")
    assert [path.name for path in command.copies] == ["getpid", "input"]


def test_equal_conditions_have_equal_keys_and_others_do_not(folder: Path) -> None:
    plan = _plan(folder)
    key = _key(_lab(folder), plan)
    assert _key(_lab(folder), plan) == key
    others = [
        _key(_lab(folder, plugin="other"), plan),
        _key(_lab(folder, userland="other"), plan),
        _key(_lab(folder), plan, seed=2),
        _key(_lab(folder), plan, cell=1),  # another workload
        _key(_lab(folder), plan, cell=2),  # another configuration
        _key(_lab(folder), _plan(folder, "-n", "-m")),
    ]
    assert len({key, *others}) == 7


@pytest.mark.parametrize("name", ["init", "getpid", "input"])
def test_another_content_of_a_file_makes_another_run(folder: Path, name: str) -> None:
    before = _key(_lab(folder), _plan(folder))
    (folder / name).write_text("changed")
    assert _key(_lab(folder), _plan(folder)) != before


def test_what_only_reads_the_results_makes_no_other_run(folder: Path) -> None:
    before = _key(_lab(folder), _plan(folder))
    renamed = _plan(folder, 'name = "getpid"', 'name = "pid"\noperations = "iterations"\nruns = 3')
    assert _key(_lab(folder), renamed) == before


def test_a_program_there_is_not(folder: Path) -> None:
    plan = _plan(folder, 'program = "getpid"', 'program = "getuid"')
    with pytest.raises(UsageError, match="'getuid' in guest/workloads; there are getpid"):
        _lab(folder).command(plan, plan.workloads[0])


def test_a_file_there_is_not(folder: Path) -> None:
    plan = _plan(folder, '"input"', '"output"')
    with pytest.raises(UsageError, match=r"no file '.*output' to copy"):
        _lab(folder).command(plan, plan.workloads[0])
