# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims judged by recorded counts: a thousand getpid() on two real kernels."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from granule import plan as plans
from granule.claims.check import check
from granule.claims.docket import open_docket
from granule.claims.feature import FeatureClaims, parse_claims
from granule.claims.model import Claim
from granule.claims.verdict import Verdict
from granule.errors import FormatError, ShortfallError, UsageError
from granule.events import ByLevel, Catalog, Counts
from granule.findings import Finding, Findings
from granule.plan import Plan
from granule.report.check import check_report, require
from granule.store import RegionRecord, RunRecord

Remember = Callable[..., RunRecord]
Judge = Callable[..., list[Verdict]]

DATA = Path(__file__).parent / "data"
PLAN = Path(__file__).parents[1] / "data" / "plans" / "mte-sync.toml"
CLAIM = {
    "name": "barriers",
    "statement": "A system call executes one DSB fewer.",
    "plan": "mte-sync",
    "workload": "getpid",
    "configuration": "kasan-async",
}


def _recorded(name: str) -> RegionRecord:
    region = Counts.parse((DATA / f"getpid-{name}-6.12.json").read_bytes()).region("getpid")
    return RegionRecord("getpid", 1, 1, region.events, Counter(region.iterations))


def _more(region: RegionRecord, event: str, count: int) -> RegionRecord:
    events = {**region.events, event: region.events[event] + ByLevel(k=count)}
    return replace(region, events=events)


@pytest.fixture
def plan() -> Plan:
    return plans.parse(PLAN)


@pytest.fixture
def judge(plan: Plan, remember: Remember) -> Judge:
    """Judges a claim by a region of the baseline and one of the candidate."""

    def judged(
        limit: Mapping[str, Any], base: RegionRecord | None, cand: RegionRecord | None
    ) -> list[Verdict]:
        regions = {plan.baseline: base, plan.candidate_of("mte-sync"): cand}
        found = []
        for cell in plan.cells:
            region = regions.get(cell.kernel)
            run = remember({}, kernel=cell.kernel)
            runs = (replace(run, regions=(region,)),) if region else ()
            found.append(Finding(cell, runs, 1 - len(runs)))
        claims = (Claim.model_validate({**CLAIM, **limit}),)
        feature = FeatureClaims("mte-sync", claims)
        findings = {"mte-sync": Findings(plan, found)}
        return list(check([feature], findings, Catalog.shipped()))

    return judged


def test_two_real_kernels(judge: Judge) -> None:
    limit = {"events": ["dsb:k", "svc"], "change_per_operation": 1}
    verdicts = judge(limit, _recorded("debian"), _recorded("kasan-hw"))
    assert [(v.event, v.baseline, v.candidate, v.holds) for v in verdicts] == [
        ("dsb:k", 0, 1.002, False),
        ("svc:u", 1, 1, False),
        ("svc:k", 0, 0, False),
    ]
    assert judge({**limit, "tolerance": 0.01}, _recorded("debian"), _recorded("kasan-hw"))[0].holds


def test_a_verdict_says_all_there_is_to_say(judge: Judge) -> None:
    limit = {"events": "dsb:k", "change_per_operation": -1}
    (verdict,) = judge(limit, _recorded("kasan-hw"), _recorded("debian"))
    document = verdict.model_dump()
    assert document["feature"] == "mte-sync"
    assert document["limit"]["kind"] == "change_per_operation"
    assert (document["label"], document["unit"]) == ("counted", "counts per operation")
    assert len(set(document["run_ids"])) == 2
    assert verdict.reason == "−1.002 per operation, 100.00 % less"
    assert verdict.promise == "−1 per operation"


def test_the_baseline_itself_fails_a_claim_that_something_moves(judge: Judge) -> None:
    same = _recorded("kasan-hw")
    verdicts = judge({"events": "dsb:k", "change_per_operation": -1}, same, same)
    with pytest.raises(ShortfallError, match=r"claim mte-sync/barriers does not hold: dsb:k"):
        require(check_report(verdicts))


@pytest.mark.parametrize("events", [["dsb:k"], ["*"]])
def test_one_more_barrier_for_each_call_is_found(judge: Judge, events: list[str]) -> None:
    base = _recorded("kasan-hw")
    worse = _more(base, "dsb.nsh", 1000)
    verdicts = judge({"events": events, "worse_by_at_most": 0.001}, base, worse)
    (broken,) = [verdict for verdict in verdicts if not verdict.holds]
    assert broken.event.startswith("dsb")
    with pytest.raises(ShortfallError, match=r"barriers does not hold: dsb"):
        require(check_report(verdicts))


def test_fewer_is_not_worse_but_it_is_changed(judge: Judge) -> None:
    base = _recorded("kasan-hw")
    fewer = _more(base, "isb", -1000)
    assert all(v.holds for v in judge({"events": "*", "worse_by_at_most": 0}, base, fewer))
    broken = [
        v.event
        for v in judge({"events": "*", "unchanged_within": 0.001}, base, fewer)
        if not v.holds
    ]
    assert broken == ["isb:k"]


def test_exceptions_are_left_out_at_their_level_only(judge: Judge) -> None:
    same = _recorded("debian")
    limit = {"events": ["instructions", "isb", "mrs.*"], "identical": True}
    events = {v.event for v in judge({**limit, "except": ["isb:k", "mrs"]}, same, same)}
    assert events == {"instructions:u", "instructions:k", "isb:u"}


def test_none_of_a_kind_is_an_answer(judge: Judge) -> None:
    same = _recorded("debian")
    verdicts = judge({"events": ["tlbi.*:k", "tag_st:k"], "at_most": 0}, same, same)
    assert [(v.event, v.candidate, v.holds) for v in verdicts] == [
        ("tlbi.*:k", 0, True),
        ("tag_st:k", 0, True),
    ]


def test_what_was_not_measured_does_not_hold(judge: Judge, plan: Plan) -> None:
    limit = {"events": ["dsb:k", "isb:k"], "ratio_at_most": 1}
    verdicts = judge(limit, _recorded("debian"), None)
    assert [(v.holds, v.candidate, v.run_ids) for v in verdicts] == [(False, None, ())] * 2
    expected = (
        f"not measured on linux-6.12+mte-sync:kasan-hw: granule run {plan.folder}/mte-sync.toml"
    )
    assert verdicts[0].reason == expected
    with pytest.raises(ShortfallError, match=r"cannot be judged \(dsb:k\): not measured on"):
        require(check_report(verdicts))


def test_doubtful_counts_prove_nothing(judge: Judge) -> None:
    same, left_open = _recorded("debian"), replace(_recorded("debian"), opened=2)
    (verdict,) = judge({"events": "dsb:k", "identical": True}, same, left_open)
    assert not verdict.holds
    assert verdict.reason.startswith("doubtful on linux-6.12+mte-sync:kasan-hw: Region 'getpid'")


def test_a_limit_of_the_candidate_alone_needs_no_baseline(judge: Judge) -> None:
    (verdict,) = judge({"events": "dsb:k", "at_most": 0}, None, _recorded("debian"))
    assert verdict.holds
    assert verdict.baseline is None


def test_functions_are_judged_by_the_profile(judge: Judge, plan: Plan) -> None:
    base = replace(_recorded("debian"), functions={"el0_svc": {"isb": 7}, "do_idle": {"isb": 1}})
    cand = replace(base, functions={"el0_svc": {"isb": 7}, "do_idle": {"isb": 500}})
    limit = {"events": ["isb"], "identical": True}
    (verdict,) = judge({**limit, "function": "el0_*"}, base, cand)
    assert "profile = true" in verdict.reason
    profiled = [workload.model_copy(update={"profile": True}) for workload in plan.workloads]
    object.__setattr__(plan, "workloads", tuple(profiled))
    (verdict,) = judge({**limit, "function": "el0_*"}, base, cand)
    assert (verdict.event, verdict.holds, verdict.candidate) == ("isb:k", True, 7)
    (verdict,) = judge({**limit, "function": ["el0_*", "do_idle"]}, base, cand)
    assert (verdict.holds, verdict.baseline, verdict.candidate) == (False, 8, 507)
    (verdict,) = judge({**limit, "function": "futex_wait"}, base, cand)
    assert verdict.reason == "neither kernel executed futex_wait: renamed or inlined?"
    assert not verdict.holds


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"events": "dbs:k"}, "Claim 'barriers' of feature 'mte-sync': There is no event 'dbs'"),
        (
            {"workload": "fork"},
            "workload 'fork' in configuration 'kasan-async', which plan 'mte-sync'",
        ),
        ({"configuration": "sync"}, r"does not measure on linux-6\.12"),
    ],
)
def test_a_claim_about_nothing_there_is(
    judge: Judge, change: Mapping[str, str], words: str
) -> None:
    same = _recorded("debian")
    with pytest.raises(UsageError, match=words):
        judge({"events": "dsb:k", "at_most": 0, **change}, same, same)


def _feature(path: Path, *claims: str) -> Path:
    path.mkdir()
    file = path / "feature.toml"
    text = "[[claim]]\n" + "\n".join(f"{key} = {value!r}" for key, value in CLAIM.items())
    text += "\nevents = ['isb']\nat_most = 0\n"
    head = 'title = "A title"\nbase = "6.12"\nupstream.status = "none"\n'
    file.write_text(head + "".join(text.replace("barriers", name) for name in claims))
    return file


def test_features_with_and_without_claims(tmp_path: Path, plan: Plan) -> None:
    features = [
        parse_claims(_feature(tmp_path / "mte-sync")),
        parse_claims(_feature(tmp_path / "other", "one", "two")),
    ]
    assert [len(feature.claims) for feature in features] == [0, 2]
    assert open_docket(features, [plan], every_plan=True).unclaimed == ("mte-sync",)
    elsewhere = plan.model_copy(update={"name": "elsewhere", "features": ("other",)})
    docket = open_docket(features, [elsewhere], every_plan=False)
    assert docket.unclaimed == ()
    assert [len(feature.claims) for feature in docket.features] == [0, 0]
    with pytest.raises(
        UsageError, match="a plan 'mte-sync' there is not; the plans are: elsewhere"
    ):
        open_docket(features, [elsewhere], every_plan=True)
    with pytest.raises(UsageError, match="about a feature 'other' there is not"):
        open_docket(features[:1], [elsewhere], every_plan=False)
    with pytest.raises(ShortfallError, match="Feature 'mte-sync' has no claims"):
        require(check_report([], ["mte-sync"]))
    with pytest.raises(ShortfallError, match="no claim to check"):
        require(check_report([]))


def test_what_is_wrong_in_a_feature_is_named(tmp_path: Path) -> None:
    file = _feature(tmp_path / "twice", "one", "one")
    with pytest.raises(FormatError, match=r"feature\.toml has two claims 'one'"):
        parse_claims(file)
    file.write_text(file.read_text().replace("at_most = 0", "at_least = 0"))
    with pytest.raises(FormatError, match=r"feature\.toml.*claim.*at_least"):
        parse_claims(file)
