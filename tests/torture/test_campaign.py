# SPDX-License-Identifier: GPL-2.0-or-later
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.torture.conftest import FakeGrounds, NewCampaign

from granule.errors import FormatError, GuestError, MachineError, UsageError
from granule.features import Library
from granule.targets import FakeTarget, Outcome
from granule.torture import Standing, Trial, standings

Play = Callable[..., Outcome]
Look = Callable[[], dict[str, str]]

KTAP = "<6>[ 0.5] KTAP version 1\n<6>[ 0.5] 1..1\n<6>[ 0.5] ok 1 kasan\n"
NAMES = ("tags", "threads")


@pytest.fixture
def now(library: Library, trials: dict[str, Trial]) -> Callable[[], tuple[Standing, ...]]:
    return lambda: standings(library, NAMES, trials)


@pytest.fixture
def look(now: Callable[[], tuple[Standing, ...]]) -> Look:
    """How every trial stands."""
    return lambda: {f"{each.feature.name}/{each.trial.name}": each.state for each in now()}


@pytest.fixture
def tested(play: Play) -> list[Outcome]:
    """Tests of the baseline and of the candidate, then the race on the candidate."""
    return [replace(play(), dmesg=KTAP), replace(play(), dmesg=KTAP), play()]


def test_a_trial_is_held_once_for_all_features_that_name_it(
    campaign: NewCampaign,
    now: Callable[[], tuple[Standing, ...]],
    look: Look,
    tested: list[Outcome],
) -> None:
    assert set(look().values()) == {"missing"}
    assert campaign(tested).run(now()) == 2
    assert look() == {"tags/debug": "passed", "tags/race": "passed", "threads/debug": "passed"}
    assert campaign().run(now()) == 0


def test_what_ended_before_an_interruption_is_not_held_again(
    campaign: NewCampaign,
    now: Callable[[], tuple[Standing, ...]],
    look: Look,
    tested: list[Outcome],
    play: Play,
) -> None:
    with pytest.raises(MachineError, match="no recording left"):
        campaign(tested[:2]).run(now())
    assert look() == {"tags/debug": "passed", "tags/race": "missing", "threads/debug": "passed"}
    assert campaign([play()]).run(now()) == 1
    assert set(look().values()) == {"passed"}


def test_a_failure_is_recorded_and_the_others_go_on(
    campaign: NewCampaign,
    now: Callable[[], tuple[Standing, ...]],
    look: Look,
    tested: list[Outcome],
) -> None:
    campaign([tested[0], GuestError("The guest hangs."), tested[2]]).run(now())
    assert look() == {"tags/debug": "failed", "tags/race": "passed", "threads/debug": "failed"}
    assert "The guest hangs: mend it and run 'granule torture tags --again'" in {
        each.reason for each in now()
    }
    assert campaign().run(now()) == 0
    assert campaign(tested, again=True).run(now()) == 2
    assert set(look().values()) == {"passed"}


def test_a_changed_patch_makes_its_own_records_stale(
    campaign: NewCampaign,
    now: Callable[[], tuple[Standing, ...]],
    look: Look,
    tested: list[Outcome],
    library: Library,
) -> None:
    campaign(tested).run(now())
    (patch,) = (library.folder / "threads" / "patches").iterdir()
    patch.write_text(patch.read_text().replace("\n+", "\n+ ", 1))
    assert look() == {"tags/debug": "passed", "tags/race": "passed", "threads/debug": "stale"}
    (stale,) = [each for each in now() if each.state == "stale"]
    assert stale.reason.startswith("the patches changed since the trial of 2")
    assert stale.reason.endswith(": granule torture threads")


def test_a_changed_trial_makes_its_records_stale(
    campaign: NewCampaign,
    now: Callable[[], tuple[Standing, ...]],
    look: Look,
    tested: list[Outcome],
    trials: dict[str, Trial],
) -> None:
    campaign(tested).run(now())
    (trials["race"].folder / "race.sh").write_text("sleep 2\n")
    assert look()["tags/race"] == "stale"
    assert "the trial changed" in next(each.reason for each in now() if each.state == "stale")


def test_the_same_kernels_are_not_tried_again(
    campaign: NewCampaign,
    now: Callable[[], tuple[Standing, ...]],
    look: Look,
    tested: list[Outcome],
    library: Library,
    grounds: FakeGrounds,
) -> None:
    """As when an edit was taken back, or a record was lost; other kernels are tried."""
    campaign(tested).run(now())
    for name in NAMES:
        (library.folder / name / "torture.json").unlink()
    assert set(look().values()) == {"missing"}
    assert campaign().run(now()) == 2
    assert set(look().values()) == {"passed"}
    (library.folder / "threads" / "torture.json").unlink()
    grounds.identity = "built anew"
    again = campaign(tested[:2])
    again.run(now())
    assert isinstance(again.target, FakeTarget)
    assert len(again.target.jobs) == 2


def test_the_record_is_small_stable_and_says_what_was_tried(
    campaign: NewCampaign,
    now: Callable[[], tuple[Standing, ...]],
    tested: list[Outcome],
    library: Library,
) -> None:
    campaign(tested).run(now())
    path = library.folder / "tags" / "torture.json"
    written = path.read_text()
    trials = json.loads(written)["trials"]
    assert list(trials) == ["debug", "race"]
    assert trials["debug"]["candidate"] == {
        "spec": "linux-6.12+tags,threads:debug",
        "release": "6.12.117",
        "identity": "id of linux-6.12+tags,threads:debug",
    }
    assert trials["debug"]["features"]["tags"] == trials["debug"]["patches"]
    assert sorted(trials["debug"]["features"]) == ["tags", "threads"]
    path.unlink()
    campaign().run(now())
    assert path.read_text() == written


def test_a_patch_edited_while_its_kernel_was_built_is_noticed(
    campaign: NewCampaign,
    now: Callable[[], tuple[Standing, ...]],
    look: Look,
    tested: list[Outcome],
    library: Library,
) -> None:
    before = now()
    (patch,) = (library.folder / "threads" / "patches").iterdir()
    patch.write_text(patch.read_text().replace("\n+", "\n+ ", 1))
    with pytest.raises(MachineError, match="'threads' was changed while its kernel was built"):
        campaign(tested).run(before)
    assert look()["threads/debug"] == "missing"


def test_the_candidate_must_have_the_features(
    campaign: NewCampaign, now: Callable[[], tuple[Standing, ...]], grounds: FakeGrounds
) -> None:
    with pytest.raises(UsageError, match=r"'linux-6\.12\+tags' has no feature 'threads'"):
        campaign(candidate="linux-6.12+tags").run(now())
    assert grounds.built == []


def test_a_record_that_is_none_names_the_file(
    library: Library, now: Callable[[], tuple[Standing, ...]]
) -> None:
    (library.folder / "tags" / "torture.json").write_text('{"trials": {"debug": {}}}')
    with pytest.raises(FormatError, match=r"tags/torture\.json: .*run 'granule torture'"):
        now()
