# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule torture`` and what ``granule check`` makes of it."""

import datetime
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from granule.cli.program import run
from granule.features import Library
from granule.torture import Record, Side, load
from granule.torture.identity import identity
from granule.torture.record import write

TOYS = Path(__file__).parents[1] / "features" / "toys"
SIDE = Side(spec="linux-6.12+all:debug", release="6.12.117", identity="5" * 64)

Workbench = Callable[[str], None]
Keep = Callable[..., None]


@pytest.fixture
def patch(workbench: Workbench, tmp_path: Path) -> Path:
    """A folder with a plan and a feature that names a trial; the feature's patch."""
    workbench("threads")
    shutil.copytree(TOYS / "threads", tmp_path / "features" / "threads")
    about = tmp_path / "features" / "threads" / "feature.toml"
    about.write_text(about.read_text().replace("[upstream]", 'torture = ["debug"]\n[upstream]'))
    (found,) = (tmp_path / "features" / "threads" / "patches").iterdir()
    return found


@pytest.fixture
def keep(patch: Path) -> Keep:
    """Writes a record of the trial with the patches as they are."""

    def record(*failures: str) -> None:
        library = Library(patch.parents[2])
        made = Record(
            patches=identity(library.load("threads"), library),
            trial=load()["debug"].digest,
            verdict="fail" if failures else "pass",
            failures=failures,
            date=datetime.date(2026, 3, 1),
            baseline=SIDE,
            candidate=SIDE,
            features={},
        )
        write(patch.parents[1], "debug", made)

    return record


def _verdicts(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    run(["check", "--json", "./try.toml"])
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


def _edit(patch: Path) -> None:
    patch.write_text(patch.read_text().replace("\n+", "\n+ ", 1))


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (
            "missing",
            "cannot be judged (failures): not tried: granule torture threads.",
        ),
        (
            "stale",
            "the patches changed since the trial of 2026-03-01: granule torture threads.",
        ),
        ("failed", "does not hold: failures."),
    ],
)
def test_a_claim_without_good_and_current_torture_is_refused(
    patch: Path, keep: Keep, capsys: pytest.CaptureFixture[str], damage: str, sentence: str
) -> None:
    if damage == "failed":
        keep("test kasan / tags: fail, on the baseline pass")
    elif damage == "stale":
        keep()
        _edit(patch)
    assert run(["check", "./try.toml"]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("granule: claim threads/torture-debug ")
    assert sentence in captured.err
    if damage == "failed":
        assert "test kasan / tags: fail, on the baseline pass: mend it" in captured.out
    (verdict,) = _verdicts(capsys)
    assert (verdict["feature"], verdict["workload"]) == ("threads", "debug")
    assert verdict["holds"] is False
    assert verdict["candidate"] == (1 if damage == "failed" else None)


def test_a_trial_that_was_passed_with_these_patches_holds(
    keep: Keep, capsys: pytest.CaptureFixture[str]
) -> None:
    keep()
    (verdict,) = _verdicts(capsys)
    assert (verdict["holds"], verdict["candidate"]) == (True, 0)
    assert verdict["reason"] == "passed on 2026-03-01"
    assert verdict["candidate_kernel"] == "linux-6.12+all:debug"


def test_other_words_about_a_patch_do_not_make_it_stale(
    patch: Path, keep: Keep, capsys: pytest.CaptureFixture[str]
) -> None:
    keep()
    patch.write_text(patch.read_text().replace("[PATCH] ", "[PATCH] Really, ", 1))
    (verdict,) = _verdicts(capsys)
    assert verdict["holds"] is True


def test_the_list_says_how_each_trial_stands(
    patch: Path, keep: Keep, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["torture", "--list"]) == 0
    assert "threads  debug  missing" in capsys.readouterr().out
    keep()
    _edit(patch)
    assert run(["torture", "--list", "--json"]) == 0
    (trial,) = json.loads(capsys.readouterr().out)["trials"]
    assert (trial["state"], trial["date"]) == ("stale", "2026-03-01")


def test_a_failed_trial_is_told_with_what_failed(
    keep: Keep, capsys: pytest.CaptureFixture[str]
) -> None:
    keep("WARNING: inconsistent lock state")
    assert run(["torture", "--list"]) == 1
    captured = capsys.readouterr()
    assert "WARNING: inconsistent lock state" in captured.out
    assert captured.err == "granule: Torture failed: threads/debug.\n"


@pytest.mark.usefixtures("patch")
def test_a_feature_there_is_not_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["torture", "--list", "nonsense"]) == 2
    assert capsys.readouterr().err == (
        "granule: There is no feature 'nonsense'; the features are: threads.\n"
    )


def test_trials_of_a_draft_are_listed_if_it_is_named(
    patch: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    about = patch.parents[1] / "feature.toml"
    about.write_text(about.read_text().replace("torture =", "draft = true\ntorture ="))
    run(["torture", "--list"])
    assert "debug" not in capsys.readouterr().out
    run(["torture", "--list", "threads"])
    assert "debug" in capsys.readouterr().out
