# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that can fail: real kernels, one of them with a barrier too many.

Two negative controls. The baseline in place of a feature moves nothing, so every
claim that states a move has to fail; and the feature getpid-dsb, which adds one DSB to
getpid(), has to be named by a claim that nothing gets worse.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from granule import shipped

pytestmark = pytest.mark.machine

DATA = Path(__file__).parent / "data"
# Beside the features, so that a build after theirs has little to do.
WITH_DSB = "linux-6.12+getpid-dsb,mte-kernel-policy,mte-sync"
WITHOUT_DSB = "linux-6.12+mte-kernel-policy,mte-sync"

Verdicts = list[Mapping[str, object]]


def granule(*arguments: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "granule", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Granule with another plan, and with getpid-dsb beside its features."""
    folder = tmp_path_factory.mktemp("data")
    for name in ("guest", "kernel", "features", "torture"):
        shutil.copytree(shipped.folder() / name, folder / name)
    shutil.copytree(DATA / "plans", folder / "plans")
    shutil.copytree(DATA / "features", folder / "features", dirs_exist_ok=True)
    return {"GRANULE_DATA": str(folder), "GRANULE_PLUGIN": str(shipped.plugin())}


def judged(candidate: str, store: Path, laboratory: Mapping[str, str]) -> tuple[int, Verdicts]:
    """The exit code of a check of one candidate, and its verdicts."""
    chosen = ("--candidate", candidate, "--store", str(store), "getpid")
    ran = granule("run", *chosen, environment=laboratory)
    assert ran.returncode == 0, ran.stderr
    checked = granule("check", *chosen, "--json", environment=laboratory)
    return checked.returncode, json.loads(checked.stdout)


def broken(verdicts: Verdicts) -> set[tuple[object, object]]:
    return {(each["claim"], each["event"]) for each in verdicts if not each["holds"]}


def test_one_dsb_too_many_breaks_a_claim_that_names_it(
    tmp_path: Path, laboratory: Mapping[str, str]
) -> None:
    code, verdicts = judged(WITH_DSB, tmp_path / "store", laboratory)
    assert code == 1
    assert ("nothing-worsens", "dsb.ish:k") in broken(verdicts)


def test_without_it_the_claim_holds(tmp_path: Path, laboratory: Mapping[str, str]) -> None:
    code, verdicts = judged(WITHOUT_DSB, tmp_path / "store", laboratory)
    assert broken(verdicts) == set()
    assert verdicts
    assert code == 0


def test_the_baseline_in_place_of_a_feature_fails_its_claims() -> None:
    """In the store of every day: the claims are judged against the same runs."""
    chosen = ("--candidate", "linux-6.12", "mte-kernel-policy")
    ran = granule("run", *chosen, environment={})
    assert ran.returncode == 0, ran.stderr
    checked = granule("check", *chosen, "--json", environment={})
    assert checked.returncode == 1
    assert {name for name, _ in broken(json.loads(checked.stdout))} == {"kernel-pointers-unchecked"}
