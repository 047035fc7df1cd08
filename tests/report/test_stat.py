# SPDX-License-Identifier: GPL-2.0-or-later
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.report.conftest import drawn

from granule.command import Command
from granule.errors import UsageError
from granule.events import ByLevel, Catalog, Region
from granule.report import stat_report
from granule.report.text import render_stat
from granule.run import Bootable, Measurement, Settings
from granule.targets import Outcome

Play = Callable[..., Outcome]
GOLDEN = Path(__file__).parent / "golden"

EVENTS = {"instructions": (12345, 2995199), "isb": (0, 417), "tlbi.vae1is": (0, 16)}


def _measured(bootable: Bootable, *outcomes: Outcome, cpus: int = 1) -> Measurement:
    settings = Settings(runs=len(outcomes), cpus=cpus)
    return Measurement(bootable, Command(("./mybench", "a b")), settings, outcomes)


def test_one_run(bootable: Bootable, play: Play, catalog: Catalog) -> None:
    report = stat_report(_measured(bootable, play(EVENTS)), catalog)
    assert drawn(render_stat(report)) == (GOLDEN / "stat.txt").read_text()


def test_several_vcpus_show_an_interval(bootable: Bootable, play: Play, catalog: Catalog) -> None:
    runs = [play({"instructions": (10, n)}, cpus=4, seed=n) for n in (100, 102, 104)]
    report = stat_report(_measured(bootable, *runs, cpus=4), catalog)
    # Student's t for 2 degrees of freedom, 4.303, times 2 / sqrt(3).
    lines = [line.split() for line in drawn(render_stat(report)).splitlines()]
    row = next(line for line in lines if line and line[0] == "instructions")
    assert row == ["instructions", "10", "102", "112", "±", "5"]


def test_a_repeatable_machine_shows_the_range(
    bootable: Bootable, play: Play, catalog: Catalog
) -> None:
    runs = [play({"instructions": (0, n), "isb": (0, 7)}) for n in (100, 103)]
    text = drawn(render_stat(stat_report(_measured(bootable, *runs), catalog)))
    assert "101.5  100–103" in text
    assert [line.split() for line in text.splitlines() if line.startswith("isb")] == [
        ["isb", "0", "7", "7"]
    ]


def test_a_level_leaves_the_other_out(bootable: Bootable, play: Play, catalog: Catalog) -> None:
    report = stat_report(_measured(bootable, play(EVENTS)), catalog, ["instructions:k"])
    (row,) = report.regions[0].events
    assert (row.u, row.total) == (None, None)
    assert row.k is not None
    assert row.k.mean == 2995199


def test_regions_of_the_program_have_a_table_each(
    bootable: Bootable, play: Play, catalog: Catalog
) -> None:
    regions = [
        Region(
            name=name,
            opened=3,
            closed=3,
            events={"isb": ByLevel(k=1)},
            iterations=(ByLevel(k=5), ByLevel(k=5)),
        )
        for name in ("fork", "exit")
    ]
    report = stat_report(_measured(bootable, play(EVENTS, regions=regions)), catalog)
    text = drawn(render_stat(report))
    assert "Region fork (counted, opened 3 times, 2 iterations)" in text
    assert "Region exit" in text
    assert "Region command" not in text


def test_doubts_are_shown(bootable: Bootable, play: Play, catalog: Catalog) -> None:
    regions = [Region(name="loop", opened=2, closed=1, events={})]
    outcome = play(EVENTS, regions=regions, diagnostics={"unreadable_faults": 2, "fine": 0})
    report = stat_report(_measured(bootable, outcome), catalog)
    assert len(report.doubts) == 2
    text = drawn(render_stat(report))
    assert "Doubtful: Region 'loop' was opened 2 and closed 1 times" in text
    assert "unreadable faults: 2" in text


def _busy(play: Play, instructions: int, spinning: int) -> Outcome:
    """A run on several CPUs of which the kernel spent a part in a loop that waits."""
    places = [
        ("k", 0x1000, {"instructions": instructions - spinning}),
        ("k", 0x3000, {"instructions": spinning}),
        ("u", 0x400000, {"instructions": 10**9}),
    ]
    return play(
        {"instructions": (10**9, instructions)},
        places=places,
        extra="queued_spin_lock_slowpath.constprop.0",
        cpus=4,
    )


def test_several_cpus_that_wait_for_each_other_are_doubted(
    bootable: Bootable, play: Play, catalog: Catalog
) -> None:
    def said(*outcomes: Outcome, cpus: int = 4) -> str:
        return " ".join(stat_report(_measured(bootable, *outcomes, cpus=cpus), catalog).doubts)

    calm, spinning = _busy(play, 1000, 50), _busy(play, 8000, 7000)
    assert said(calm) == said(calm, calm) == said(spinning, cpus=1) == ""
    assert "88% of the kernel's instructions wait for another CPU" in said(spinning)
    assert "most in queued_spin_lock_slowpath.constprop.0()" in said(spinning)
    assert "vary" not in said(spinning)
    # Student's t for 1 degree of freedom, 12.706, times 3,500 of a mean of 4,500.
    assert "vary from run to run by ± 988% of their mean and 78% of the" in said(calm, spinning)
    assert "--cpus 1" in said(calm, spinning)


def test_counts_that_vary_are_doubted_whatever_the_reason(
    bootable: Bootable, play: Play, catalog: Catalog
) -> None:
    runs = [play({"instructions": (0, n)}, cpus=2) for n in (100, 150, 90)]
    (doubt,) = stat_report(_measured(bootable, *runs, cpus=2), catalog).doubts
    assert "vary from run to run by ± 70% of their mean." in doubt


def test_what_the_kernel_complains_of_follows_the_table(
    bootable: Bootable, play: Play, catalog: Catalog
) -> None:
    log = "".join(
        f"<4>[    1.2] WARNING: CPU: 0 PID: 1 at mm/{n}.c:5 {n}+0x4/0xf8\n" for n in "abcd"
    )
    complaining = play(EVENTS, dmesg=log)
    report = stat_report(_measured(bootable, play(EVENTS), complaining), catalog)
    table, _, below = drawn(render_stat(report)).partition("\nKernel ")
    assert "isb" in table
    assert below.splitlines() == [
        "debian complained in its log in 1 of 2 runs:",
        *(f"  WARNING: CPU: 0 PID: 1 at mm/{n}.c:5 {n}+0x4/0xf8" for n in "abc"),
        "  … and 1 more",
        f"The whole log: {complaining.kernel_log}",
    ]
    quiet, loud = json.loads(report.model_dump_json())["machine"]["runs"]
    assert (len(quiet["reports"]), len(loud["reports"])) == (0, 4)
    assert loud["kernel_log"] == str(complaining.kernel_log)


def test_the_json_is_versioned_and_labelled(
    bootable: Bootable, play: Play, catalog: Catalog
) -> None:
    report = stat_report(_measured(bootable, play(EVENTS)), catalog)
    document = json.loads(report.model_dump_json())
    assert (document["format"], document["version"], document["label"]) == (
        "granule-stat",
        1,
        "counted",
    )
    assert document["machine"]["runs"][0]["label"] == "timed"
    assert document["regions"][0]["events"][0]["k"] == {
        "mean": 2995199.0,
        "minimum": 2995199,
        "maximum": 2995199,
        "interval": None,
    }


def test_an_unknown_event_is_refused(bootable: Bootable, play: Play, catalog: Catalog) -> None:
    with pytest.raises(UsageError, match="did you mean tlbi"):
        stat_report(_measured(bootable, play(EVENTS)), catalog, ["tlb"])
