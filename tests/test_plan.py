# SPDX-License-Identifier: GPL-2.0-or-later
from pathlib import Path

import pytest

from granule import plan as plans
from granule.errors import UsageError
from granule.plan import Plan

TEXT = (Path(__file__).parent / "data" / "plans" / "mte-sync.toml").read_text()


def _plan(tmp_path: Path, text: str = TEXT) -> Plan:
    path = tmp_path / "mte-sync.toml"
    path.write_text(text)
    return plans.parse(path)


def test_cells_leave_out_what_a_configuration_or_workload_leaves_out(tmp_path: Path) -> None:
    cells = _plan(tmp_path).cells
    assert [(cell.spec, cell.configuration.name, cell.workload.name) for cell in cells] == [
        ("linux-6.12:mte-user", "mte-user", "getpid"),
        ("linux-6.12:mte-user", "mte-user", "hash"),
        ("linux-6.12:kasan-hw", "kasan-async", "getpid"),
        ("linux-6.12+mte-sync:mte-user", "mte-user", "getpid"),
        ("linux-6.12+mte-sync:mte-user", "mte-user", "hash"),
        ("linux-6.12+mte-sync:kasan-hw", "kasan-async", "getpid"),
        ("linux-7.3:mte-user", "mte-user", "getpid"),
    ]


def test_another_candidate_is_measured_wherever_the_baseline_is(tmp_path: Path) -> None:
    plan = _plan(tmp_path).compared_with("linux-7.3")
    assert [cell.names for cell in plan.cells if cell.kernel == "linux-7.3"] == [
        ("linux-7.3", "mte-user", "getpid"),
        ("linux-7.3", "mte-user", "hash"),
        ("linux-7.3", "kasan-async", "getpid"),
    ]
    assert plan.candidate_of("mte-sync") == "linux-7.3"


def test_the_baseline_can_be_the_candidate(tmp_path: Path) -> None:
    plan = _plan(tmp_path).compared_with("linux-6.12")
    assert plan.kernels == ("linux-6.12",)
    assert len(plan.cells) == 3


def test_a_feature_is_judged_on_the_baseline_with_it(tmp_path: Path) -> None:
    assert _plan(tmp_path).candidate_of("mte-sync") == "linux-6.12+mte-sync"


def test_a_run_has_the_same_seed_on_every_kernel(tmp_path: Path) -> None:
    assert [list(workload.seeds) for workload in _plan(tmp_path).workloads] == [[1], [1, 2]]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('baseline = "linux-6.12"', 'baseline = "linux-6.11"', "no kernel 'linux-6.11'"),
        ('configurations = ["mte-user"]', 'configurations = ["no"]', "no configuration 'no'"),
        ('name = "hash"', 'name = "getpid"', "two workloads 'getpid'"),
        ('program = "getpid"', "", "'getpid' needs either a program or a command"),
        ("(\\d+) operations", "\\d+ operations", "one group, not 0"),
        ("(\\d+) operations", "(\\d+ operations", "unterminated subpattern"),
        ('"linux-7.3"]', '"linux-7.3:mte-user"]', "fragments of 'linux-7.3:mte-user'"),
        ("runs = 2", "runs = 0", "workload.1.runs: Input should be greater"),
        ("runs = 2", "run = 2", "workload.1.run: Extra"),
        ('title = "', "title = ", "is not TOML"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in TEXT
    with pytest.raises(UsageError, match=r"mte-sync\.toml") as caught:
        _plan(tmp_path, TEXT.replace(old, new))
    assert words in caught.value.message


def test_a_plan_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _plan(tmp_path)
    monkeypatch.setattr(plans, "folder", lambda: tmp_path)
    with pytest.raises(UsageError, match="no plan 'mte'; the plans are: mte-sync"):
        plans.load(["mte"])
    with pytest.raises(UsageError, match="No such file"):
        plans.load(["./mte.toml"])
    assert [plan.name for plan in plans.load([])] == ["mte-sync"]
