# SPDX-License-Identifier: GPL-2.0-or-later
"""granule features, checkout, refresh and the options about features."""

import json
from pathlib import Path

import pytest

from granule.cli.program import run
from granule.features import checkpatch
from granule.features.checkpatch import Verdict
from granule.kernel import shipped
from granule.report.features import features_report
from granule.report.text import render_features


def test_features_are_listed_in_the_order_they_are_applied(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["features"]) == 0
    features = shipped().features.load_all()
    rows = capsys.readouterr().out.splitlines()[1:]
    assert [row.split()[0] for row in rows] == [feature.name for feature in features]
    for row, feature in zip(rows, features, strict=True):
        about = feature.about
        assert about.title in row
        assert about.upstream.status in row
        assert row.split()[-2:] == [str(len(feature.patches)), str(len(about.claims))]


def test_features_are_listed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["features", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["format"], report["version"]) == ("granule-features", 1)
    for listed, feature in zip(report["features"], shipped().features.load_all(), strict=True):
        assert listed["digest"] == feature.digest
        assert listed["patches"] == [patch.name for patch in feature.patches]


def test_no_features_are_fine() -> None:
    assert list(render_features(features_report(()))) == ["There are no features yet."]
    checkpatch.require([])
    assert checkpatch.summary([]) == "checkpatch.pl: there are no patches yet."


def test_what_the_checker_is_not_asked_is_said() -> None:
    said = checkpatch.summary([Verdict("tags", "0001-tags.patch", "")])
    assert "clean patches: 1" in said
    assert "MISSING_SIGN_OFF (who takes over a patch" in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["checkout", "nothing", "DIR"], "There is no feature 'nothing'"),
        (["refresh", "nothing", "DIR"], "There is no feature 'nothing'"),
        (["kernel", "build", "--features", "nothing"], "There is no feature 'nothing'"),
        (["kernel", "build", "--each-patch", "linux-6.12"], "'linux-6.12' has no features"),
        (["kernel", "build", "--fragments", "nothing"], "There is no fragment 'nothing'"),
        (["kernel", "test", "debian", "--features", "all"], "'debian' takes no features"),
    ],
)
def test_wrong_use_is_one_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = [argument.replace("DIR", str(tmp_path / "tree")) for argument in arguments]
    assert run(here) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert sentence in said[0]
    assert not (tmp_path / "tree").exists()
