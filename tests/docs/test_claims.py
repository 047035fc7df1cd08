# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/claims.md says what the program does."""

import re
import tomllib
from pathlib import Path

from granule import matrix
from granule import plan as plans
from granule.claims import Claim, Kind
from granule.claims.verdict import Verdict
from granule.plan import Configuration, Workload
from granule.torture import Trial, load

TEXT = (Path(__file__).parents[2] / "docs" / "claims.md").read_text()
PLAN, EACH, CLAIM, TRIAL = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)


def test_the_example_of_a_plan_can_be_carried_out(tmp_path: Path) -> None:
    (tmp_path / "mte-sync.toml").write_text(PLAN)
    assert len(plans.parse(tmp_path / "mte-sync.toml").cells) == 2


def test_the_example_of_each_stands_for_what_is_written_above_it() -> None:
    workloads = matrix.expand(tomllib.loads(EACH)["workload"])
    assert f"# {', '.join(str(workload['name']) for workload in workloads)}\n" in EACH


def test_the_example_of_a_claim_can_be_judged() -> None:
    (document,) = tomllib.loads(CLAIM)["claim"]
    assert Claim.model_validate(document).limit.kind is Kind.CHANGE_PER_OPERATION


def test_the_example_of_a_trial_can_be_held(tmp_path: Path) -> None:
    (tmp_path / "trials.toml").write_text(TRIAL)
    assert load(tmp_path / "trials.toml")["debug"].kernel_tests


def test_every_key_of_a_trial_is_explained() -> None:
    for name in Trial.model_fields.keys() - {"name", "folder"}:
        assert f"`{name}" in TEXT, name


def test_every_key_and_every_limit_is_explained() -> None:
    for model in (Workload, Configuration):
        for name in model.model_fields:
            assert f"`{name}`" in TEXT or name == "name", name
    for kind in Kind:
        assert f"`{kind} = " in TEXT, kind
    for name in Verdict.model_fields:
        assert f"`{name}`" in TEXT, name
