# SPDX-License-Identifier: GPL-2.0-or-later
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.report.conftest import drawn

from granule.errors import UsageError
from granule.events import ByLevel, Catalog
from granule.findings import Finding, Findings
from granule.plan import Plan
from granule.report.show import show_report
from granule.report.text import render_show
from granule.report.text.show import ours
from granule.store import RunRecord

Remember = Callable[..., RunRecord]
Measure = Callable[..., Findings]
GOLDEN = Path(__file__).parent / "golden"

BASE = {"instructions": (8, 400_000), "isb": (0, 4000), "svc": (1000, 0), "dmb.ish": (0, 10)}
LESS = {**BASE, "instructions": (8, 390_000), "isb": (0, 2000), "tlbi.vae1is": (0, 3)}


@pytest.fixture
def measure(plan: Plan, remember: Remember) -> Measure:
    """Findings of a plan where each kernel has the given events; the others were not run."""

    def measured(
        functions: Mapping[str, Mapping[str, int]] | None = None,
        **events: dict[str, tuple[int, int]],
    ) -> Findings:
        found = []
        for cell in plan.cells:
            counted = events.get(cell.kernel.replace("linux-6.12+mte-sync", "candidate"))
            counted = events.get("base") if cell.kernel == "linux-6.12" else counted
            slow = 700 if cell.kernel == "linux-6.12" else 620
            times = {ByLevel(u=8, k=392): 998, ByLevel(u=8, k=slow): 2}
            runs = (remember(counted, iterations=times, functions=functions),) if counted else ()
            found.append(Finding(cell, runs, 1 - len(runs)))
        return Findings(plan, found)

    return measured


def test_a_whole_plan(measure: Measure) -> None:
    report = show_report([measure(base=BASE, candidate=LESS)], Catalog.shipped())
    text = drawn(render_show(report)).replace(str(report.plans[0].command), "granule run mte-sync")
    assert text == (GOLDEN / "show.txt").read_text()


def test_the_json_keeps_every_figure(measure: Measure) -> None:
    report = show_report([measure(base=BASE, candidate=LESS)], Catalog.shipped())
    document = json.loads(report.model_dump_json())
    assert (document["format"], document["label"]) == ("granule-show", "counted")
    (cell,) = document["plans"][0]["cells"]
    row = next(row for row in cell["rows"] if row["event"] == "isb:k")
    base, cand = row["figures"]
    assert (base["kernel"], base["change"], base["relative"]) == ("linux-6.12", None, None)
    assert (cand["per_operation"], cand["change"], cand["relative"]) == (2, -2, -0.5)
    assert cand["significant"]
    assert cand["relevant"]
    assert cell["missing"] == ["linux-7.3"]


def test_every_leaf_is_considered_whatever_is_shown(measure: Measure) -> None:
    worse = {**LESS, "svc": (1010, 0)}
    report = show_report([measure(base=BASE, candidate=worse)], Catalog.shipped())
    (tally,) = report.plans[0].cells[0].tallies
    # instructions and ISBs fell, TLBIs and SVCs rose, one barrier and EL0 stayed.
    assert (tally.wins, tally.losses, tally.ties) == (2, 2, 2)


def test_another_kernel_can_be_the_measure(measure: Measure) -> None:
    findings = measure(base=BASE, candidate=LESS)
    report = show_report([findings], Catalog.shipped(), "linux-6.12+mte-sync")
    (cell,) = report.plans[0].cells
    first, second = cell.rows[1].figures
    assert (first.kernel, second.kernel, second.change) == ("linux-6.12+mte-sync", "linux-6.12", 10)
    with pytest.raises(UsageError, match="No plan measures a kernel 'linux-5'"):
        show_report([findings], Catalog.shipped(), "linux-5")


def test_without_a_baseline_nothing_is_compared(measure: Measure) -> None:
    report = show_report([measure(candidate=LESS)], Catalog.shipped())
    (cell,) = report.plans[0].cells
    assert cell.missing == ("linux-6.12", "linux-7.3")
    assert [figure.change for row in cell.rows for figure in row.figures] == [None] * len(cell.rows)
    assert cell.tallies == ()


def test_a_profile_says_in_which_functions(measure: Measure) -> None:
    profile = {"el0_svc": {"isb": 3000, "instructions": 9000}, "[user]": {"isb": 7}}
    profile["__arm64_sys_getpid"] = {"isb": 4000, "dsb.ish": 1}
    report = show_report([measure(profile, base=BASE, candidate=LESS)], Catalog.shipped())
    rows = report.plans[0].cells[0].functions
    assert [(row.event, row.function) for row in rows] == [
        ("instructions:k", "el0_svc"),
        ("isb:k", "__arm64_sys_getpid"),
        ("isb:k", "el0_svc"),
    ]
    base, cand = rows[1].figures
    assert (base.total.mean, base.per_operation, cand.change) == (4000, 4, 0)
    assert "isb:k           __arm64_sys_getpid  linux-6.12" in drawn(render_show(report))


def test_doubts_are_shown(measure: Measure) -> None:
    findings = measure(base=BASE, candidate=LESS)
    for finding in findings:
        for run in finding.runs:
            run.diagnostics["unreadable_faults"] = 2  # type: ignore[index]
    text = drawn(render_show(show_report([findings], Catalog.shipped())))
    assert "Doubtful: linux-6.12: The counting plugin reports unreadable faults: 2." in text


def test_nothing_measured_is_said(measure: Measure) -> None:
    text = drawn(render_show(show_report([measure()], Catalog.shipped())))
    assert text.count("Not measured on") == 3


def test_a_published_event_that_never_happens_here_is_the_same_on_both(
    measure: Measure, plan: Plan
) -> None:
    findings = measure(base=BASE, candidate={**BASE, "mem_access_checked_wr.ttbr1": (0, 5)})
    name = "mte-kernel-policy-futex"
    workloads = [each.model_copy(update={"published": name}) for each in plan.workloads]
    findings.plan = plan.model_copy(update={"published": name, "workloads": tuple(workloads)})
    (table,) = show_report([findings], Catalog.shipped()).plans
    assert table.published
    beside = {row.cells[0]: row.ours[0] for row in table.published.rows}
    assert ours(beside["mem_access_checked_wr:u"]).startswith("=  mem_access_checked_wr:u")
    assert ours(beside["mem_access_checked_wr:k"]).startswith("new  mem_access_checked_wr:k")


def test_published_figures_and_ours_have_columns_of_their_own(measure: Measure) -> None:
    report = show_report([measure(base=BASE, candidate=LESS)], Catalog.shipped())
    published = report.plans[0].published
    assert published
    assert published.label == "timed"
    assert [row.cells[1] for row in published.rows] == ["mean (ns)", "p99 (ns)", "p99.9 (ns)"]
    tail = published.rows[2].ours[0]
    assert (tail.label, tail.kernel) == ("counted", "linux-6.12+mte-sync")
    assert tail.relative == pytest.approx(628 / 708 - 1)
