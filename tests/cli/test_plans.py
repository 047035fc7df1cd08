# SPDX-License-Identifier: GPL-2.0-or-later
"""The verbs that work on plans, with a fake lab and target: run, show, check, report."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from granule import provision
from granule.cli.program import run
from granule.targets import FakeTarget, Outcome

Play = Callable[..., Outcome]
Fake = Callable[..., FakeTarget]
Workbench = Callable[[str], None]

FEATURE = """
title = "Try"
base = "6.12"
upstream.status = "none"
"""
CLAIM = """
[[claim]]
name = "fewer"
statement = "An operation executes one ISB fewer."
plan = "try"
workload = "mybench"
configuration = "plain"
events = "isb:k"
change_per_operation = -1
"""


@pytest.fixture
def fake(tmp_path: Path, workbench: Workbench, play: Play, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """A folder with a plan and a feature, and a target that plays runs with so many ISBs."""
    workbench("try")
    (tmp_path / "features" / "try").mkdir(parents=True)
    (tmp_path / "features" / "try" / "feature.toml").write_text(FEATURE + CLAIM)

    def install(*isbs: int, dmesg: str = "") -> FakeTarget:
        runs = [
            play({"instructions": (9, 5000 + n), "isb": (0, n)}, cpus=2, dmesg=dmesg) for n in isbs
        ]
        target = FakeTarget(replace(outcome, stdout=b"done\n") for outcome in runs)
        monkeypatch.setattr(provision, "target", lambda: target)
        return target

    return install


def test_measure_show_and_check(fake: Fake, capsys: pytest.CaptureFixture[str]) -> None:
    fake(300, 300, 200, 200)
    assert run(["run", "./try.toml"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("4 measured, 0 had been measured before: ")
    assert "Run mybench on linux-6.12+try, plain, seed 2: done" in captured.err
    fake()
    assert run(["run", "./try.toml"]) == 0
    assert capsys.readouterr().out.startswith("0 measured, 4 had been")
    assert run(["show", "--plan", "./try.toml"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "linux-6.12+try 200 2 −1 −33.33% *" in words
    assert run(["check", "./try.toml"]) == 0
    assert "1 of 1 claims hold (1 verdict)." in capsys.readouterr().out


def test_runs_in_which_the_kernel_complained_prove_nothing_unless_the_plan_tolerates_it(
    fake: Fake, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    report = "WARNING: CPU: 0 PID: 1 at mm/mmap.c:5 do_mmap+0x14/0xff8"
    fake(300, 300, 200, 200, dmesg=f"<4>[    1.2] {report}\n")
    for measured in ("4 measured", "0 measured"):
        assert run(["run", "./try.toml"]) == 1
        captured = capsys.readouterr()
        assert captured.out.startswith(measured)
        assert f"mybench on linux-6.12: The kernel complained in its log: {report}." in captured.err
        assert f"The whole log: {tmp_path}/dmesg.log" in captured.err
    assert run(["show", "--plan", "./try.toml"]) == 0
    assert f"Doubtful: linux-6.12+try: The kernel complained in its log: {report}." in (
        capsys.readouterr().out
    )
    assert run(["check", "./try.toml"]) == 1
    assert "doubtful on linux-6.12: The kernel complained" in capsys.readouterr().err
    with (tmp_path / "try.toml").open("a") as plan:
        plan.write("tolerate_reports = true\n")
    assert run(["run", "./try.toml"]) == 0
    assert run(["check", "./try.toml"]) == 0


def test_verdicts_are_a_list(fake: Fake, capsys: pytest.CaptureFixture[str]) -> None:
    fake(300, 300, 200, 201)
    run(["run", "./try.toml"])
    capsys.readouterr()
    assert run(["check", "--json", "./try.toml"]) == 1
    captured = capsys.readouterr()
    (verdict,) = json.loads(captured.out)
    assert verdict["claim"] == "fewer"
    assert verdict["event"] == "isb:k"
    assert (verdict["baseline"], verdict["candidate"], verdict["holds"]) == (3, 2.005, False)
    assert len(verdict["run_ids"]) == 4
    assert captured.err == "granule: claim try/fewer does not hold: isb:k.\n"


def test_the_baseline_as_candidate_fails_and_needs_no_other_run(
    fake: Fake, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(300, 300)
    assert run(["run", "--candidate", "linux-6.12", "./try.toml"]) == 0
    assert run(["check", "--candidate", "linux-6.12", "./try.toml"]) == 1
    assert "claim try/fewer does not hold: isb:k" in capsys.readouterr().err


def test_what_was_not_measured_names_the_command(
    fake: Fake, capsys: pytest.CaptureFixture[str]
) -> None:
    fake()
    assert run(["check", "--candidate", "linux-7.3", "./try.toml"]) == 1
    command = "granule run --candidate linux-7.3 try.toml"
    assert f"cannot be judged (isb:k): not measured on linux-6.12: {command}" in (
        capsys.readouterr().err
    )
    assert run(["show", "--plan", "./try.toml"]) == 0
    assert "Not measured on linux-6.12+try" in capsys.readouterr().out


def test_a_feature_without_claims_fails(
    fake: Fake, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    fake()
    (tmp_path / "features" / "try" / "feature.toml").write_text(FEATURE)
    assert run(["check", "./try.toml"]) == 1
    assert "Feature 'try' has no claims" in capsys.readouterr().err


def test_a_page_is_written(fake: Fake, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    fake(300, 300, 200, 200)
    run(["run", "./try.toml"])
    capsys.readouterr()
    assert run(["report", "-o", "page.html", "./try.toml"]) == 0
    assert capsys.readouterr().out == "page.html\n"
    page = (tmp_path / "page.html").read_text()
    assert "An operation executes one ISB fewer." in page
    assert "<svg" in page


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["run", "nonsense"], 2, "There is no plan 'nonsense'; the plans are:"),
        (["run", "./nonsense.toml"], 2, "Cannot read the plan nonsense.toml: No such file"),
        (["run", "./try.toml", "-j", "0"], 2, "--jobs"),
        (["check", "./try.toml", "--store", "none.sqlite"], 2, "There is no store none.sqlite"),
        (
            ["show", "--plan", "./try.toml", "--relative", "linux-5"],
            2,
            "measures a kernel 'linux-5'",
        ),
        (["check", "./try.toml", "--store", "try.toml"], 3, "The store try.toml is damaged"),
        (["report", "./try.toml", "-o", "no/page.html"], 2, "Cannot write no/page.html"),
    ],
)
def test_wrong_use_is_one_sentence(
    fake: Fake,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    sentence: str,
) -> None:
    target = fake()
    assert run(arguments) == code
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert target.jobs == []
