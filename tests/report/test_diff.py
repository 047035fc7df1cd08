# SPDX-License-Identifier: GPL-2.0-or-later
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.report.conftest import drawn

from granule.command import Command
from granule.errors import ShortfallError
from granule.events import Catalog, Region
from granule.report import diff_report, profile_report
from granule.report.text import render_diff, render_profile
from granule.run import Bootable, Measurement, Settings
from granule.stats import Relevance
from granule.targets import Outcome

Play = Callable[..., Outcome]
GOLDEN = Path(__file__).parent / "golden"

EL0_SVC, GETPID, EXTRA = 0x1004, 0x2000, 0x3010


def _measured(bootable: Bootable, *outcomes: Outcome, cpus: int = 1) -> Measurement:
    settings = Settings(runs=len(outcomes), cpus=cpus)
    return Measurement(bootable, Command(("./mybench",)), settings, outcomes)


@pytest.fixture
def base(bootable: Bootable, play: Play) -> Measurement:
    places = [
        ("k", EL0_SVC, {"instructions": 400, "isb": 10}),
        ("k", GETPID, {"instructions": 500}),
        ("k", EXTRA, {"instructions": 100, "tlbi.vae1is": 8}),
        ("u", 0x400000, {"instructions": 50}),
    ]
    events = {"instructions": (50, 1000), "isb": (0, 10), "tlbi.vae1is": (0, 8)}
    return _measured(bootable, play(events, places=places, extra="contpte_unfold"))


@pytest.fixture
def cand(bootable: Bootable, play: Play) -> Measurement:
    places = [
        ("k", EL0_SVC, {"instructions": 400, "isb": 6}),
        ("k", GETPID, {"instructions": 560, "tlbi.vae1is": 2}),
        ("u", 0x400000, {"instructions": 50}),
    ]
    events = {"instructions": (50, 960), "isb": (0, 6), "tlbi.vae1is": (0, 2)}
    other = replace(bootable, spec="HEAD", identity="fedcba9876543210")
    return _measured(other, play(events, places=places, extra="contpte_batch"))


def test_the_tables(base: Measurement, cand: Measurement, catalog: Catalog) -> None:
    text = drawn(render_diff(diff_report(base, cand, catalog), top=25))
    assert text == (GOLDEN / "diff.txt").read_text()


def _hints(base: Measurement, cand: Measurement, catalog: Catalog) -> str:
    (region,) = diff_report(base, cand, catalog).regions
    assert region.functions
    return " ".join(region.hints)


def _repeated(measurement: Measurement, *, cpus: int = 1) -> Measurement:
    return _measured(measurement.bootable, *measurement.outcomes * 2, cpus=cpus)


def _marked(measurement: Measurement, play: Play) -> Measurement:
    """The same in a region the program marked."""
    (outcome,) = measurement.outcomes
    assert outcome.counts is not None
    region = outcome.counts.region("command").model_copy(update={"name": "getpid"})
    return _measured(measurement.bootable, play(regions=[region]))


def test_one_run_of_a_whole_command_moves_functions_by_chance(
    base: Measurement, cand: Measurement, catalog: Catalog, play: Play
) -> None:
    assert "(-n 5)" in _hints(base, cand, catalog)
    assert _hints(_repeated(base), _repeated(cand), catalog) == ""
    assert _hints(_marked(base, play), _marked(cand, play), catalog) == ""


def test_ticks_at_other_points_are_told(bootable: Bootable, play: Play, catalog: Catalog) -> None:
    def ticked(u: int, k: int, *, isb: int) -> Measurement:
        events = {"instructions": (50, 1000), "exceptions.irq": (u, k)}
        places = [("k", EL0_SVC, {"instructions": 400, "isb": isb})]
        return _repeated(_measured(bootable, play(events, places=places)))

    assert _hints(ticked(1, 4, isb=10), ticked(1, 4, isb=6), catalog) == ""
    # As often, but not in the same places.
    said = _hints(ticked(1, 4, isb=10), ticked(0, 5, isb=6), catalog)
    assert "1:u and 4:k in base, 0:u and 5:k in the candidate" in said


def test_several_cpus_take_interrupts_as_they_come(
    base: Measurement, bootable: Bootable, play: Play, catalog: Catalog
) -> None:
    cand = _measured(bootable, play({"exceptions.irq": (0, 9)}))
    (region,) = diff_report(_repeated(base, cpus=2), _repeated(cand, cpus=2), catalog).regions
    assert region.functions
    assert region.hints == ()


def test_nothing_moved(base: Measurement, catalog: Catalog) -> None:
    report = diff_report(base, base, catalog)
    assert "no event moved" in drawn(render_diff(report, top=25))
    assert report.regions[0].functions == ()
    assert (report.wins, report.losses, report.ties) == (0, 0, 4)


def test_only_the_selected_events_are_compared(
    base: Measurement, cand: Measurement, catalog: Catalog
) -> None:
    report = diff_report(base, cand, catalog, ["isb:k"])
    assert [event.event for event in report.regions[0].events] == ["isb"]
    assert [move.function for move in report.regions[0].functions] == ["el0_svc"]


def test_a_higher_threshold_moves_less(
    base: Measurement, cand: Measurement, catalog: Catalog
) -> None:
    report = diff_report(base, cand, catalog, relevance=Relevance(relative=0.05))
    moved = [event.event for event in report.regions[0].events if event.moved]
    assert "instructions" not in moved
    assert "isb" in moved


def test_functions_beyond_the_top_are_counted(
    base: Measurement, cand: Measurement, catalog: Catalog
) -> None:
    text = drawn(render_diff(diff_report(base, cand, catalog), top=1))
    assert "and 2 more (--top)" in text


def test_each_run_is_read_with_its_own_symbols(
    bootable: Bootable, play: Play, catalog: Catalog
) -> None:
    one = play({"instructions": (0, 5)}, places=[("k", EXTRA, {"instructions": 5})], extra="f")
    two = replace(
        play({"instructions": (0, 5)}, places=[("k", 0x9000, {"instructions": 5})]),
        kallsyms="0000000000009000 t f\n",
    )
    report = profile_report(_measured(bootable, one, two), catalog)
    (row,) = report.regions[0].functions
    assert (row.function, row.events[0].count.mean) == ("f", 5)


def test_one_run_on_several_vcpus_says_that_it_cannot_tell(
    base: Measurement, cand: Measurement, catalog: Catalog
) -> None:
    sides = [replace(side, settings=Settings(cpus=4)) for side in (base, cand)]
    report = diff_report(sides[0], sides[1], catalog)
    assert report.wins == report.losses == 0
    assert "ask for more (-n 5)" in drawn(render_diff(report, top=25))


def test_a_region_of_one_kernel_only_is_named(
    bootable: Bootable, play: Play, catalog: Catalog
) -> None:
    both = Region(name="both", opened=1, closed=1, events={})
    lonely = Region(name="lonely", opened=1, closed=1, events={})
    first = _measured(bootable, play(regions=[both, lonely]))
    second = _measured(bootable, play(regions=[both]))
    report = diff_report(first, second, catalog)
    assert [region.region for region in report.regions] == ["both"]
    assert "Region 'lonely' was reached on one kernel only." in report.doubts
    third = _measured(bootable, play(regions=[lonely]))
    with pytest.raises(ShortfallError, match="no region in common"):
        diff_report(second, third, catalog)


def test_the_json_is_versioned(base: Measurement, cand: Measurement, catalog: Catalog) -> None:
    document = json.loads(diff_report(base, cand, catalog).model_dump_json())
    assert (document["format"], document["version"]) == ("granule-diff", 1)
    assert document["regions"][0]["functions"][0]["presence"] == "only in base"


def test_the_profile(base: Measurement, catalog: Catalog) -> None:
    report = profile_report(base, catalog, ["instructions:k", "isb"])
    assert drawn(render_profile(report, top=2)) == (GOLDEN / "profile.txt").read_text()
