# SPDX-License-Identifier: GPL-2.0-or-later
"""A workbench for the verbs that work on plans: a folder, and a lab without a machine."""

from collections.abc import Callable
from pathlib import Path

import pytest

from granule import lab as labs
from granule.claims import feature as features
from granule.events import Catalog
from granule.lab import FakeLab
from granule.run import Bootable
from granule.store import RunRecord

PLAN = Path(__file__).parents[1] / "data" / "plans" / "try.toml"


@pytest.fixture
def workbench(
    monkeypatch: pytest.MonkeyPatch,
    bootable: Bootable,
    remember: Callable[..., RunRecord],
    catalog: Catalog,
    tmp_path: Path,
) -> Callable[[str], None]:
    """Goes to a folder with the plan try.toml of a feature, whose files belong into features/."""

    def enter(feature: str) -> None:
        text = PLAN.read_text()
        text = text.replace('["try"]', f'["{feature}"]').replace("+try", f"+{feature}")
        (tmp_path / "try.toml").write_text(text)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("GRANULE_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(features, "folder", lambda: tmp_path / "features")
        monkeypatch.setattr(Catalog, "shipped", lambda: catalog)
        lab = FakeLab(bootable, remember({}).kernel)
        monkeypatch.setattr(labs, "of_this_machine", lambda _progress: lab)

    return enter
