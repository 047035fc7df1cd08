# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of ``granule report``: what is in it, and that a browser draws it."""

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from granule.claims.check import check
from granule.claims.feature import FeatureClaims
from granule.claims.model import Claim
from granule.events import ByLevel, Catalog
from granule.findings import Finding, Findings
from granule.plan import Cell, Plan
from granule.report.check import check_report
from granule.report.page import provenance, render_page
from granule.report.show import show_report
from granule.store import RunRecord

Remember = Callable[..., RunRecord]

CLAIM = {
    "statement": "A system call executes two ISBs fewer.",
    "plan": "mte-sync",
    "workload": "getpid",
    "configuration": "kasan-sync",
    "events": "isb:k",
}
VOID = {"meta", "br", "link", "img", "hr", "input"}


@pytest.fixture
def page(plan: Plan, remember: Remember) -> str:
    """A plan with a claim that holds and one that does not."""
    kernels = (plan.baseline, plan.candidate_of("mte-sync"))
    title = "No barriers & <nothing> else"
    plan = plan.model_copy(update={"title": title, "kernels": kernels})

    def finding(cell: Cell, isb: int) -> Finding:
        times = {ByLevel(u=8, k=392): 990, ByLevel(u=8, k=600 + isb): 10}
        events = {"instructions": (8000, 400_000 + isb), "isb": (0, isb), "dsb.nsh": (0, 9)}
        profile = {"el0_svc": {"isb": isb}, "el0t_64_sync": {"isb": 4, "instructions": 9}}
        run = remember(events, kernel=cell.spec, iterations=times, functions=profile)
        return Finding(cell, (replace(run, command=("./getpid", "<script>")),), 0)

    found = Findings(plan, [finding(*pair) for pair in zip(plan.cells, (4000, 2000), strict=True)])
    claims = tuple(
        Claim.model_validate({**CLAIM, "name": name, "change_per_operation": change})
        for name, change in (("kept", -2), ("broken", -3))
    )
    features = [FeatureClaims("mte-sync", claims)]
    catalog = Catalog.shipped()
    verdicts = check(features, {plan.name: found}, catalog)
    return render_page(
        show_report([found], catalog), check_report(verdicts, ["other"]), provenance([found])
    )


class _Nesting(HTMLParser):
    """Fails where a tag is closed that is not the innermost open one."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text.append(data)


def _parsed(page: str) -> tuple[list[str], str]:
    parser = _Nesting()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser.tags, " ".join(" ".join(parser.text).split())


def test_the_page_is_one_whole_document(page: str) -> None:
    tags, _ = _parsed(page)
    assert tags.count("svg") == 2
    assert page.startswith("<!DOCTYPE html>")


def test_nothing_is_fetched_and_nothing_runs(page: str) -> None:
    tags, _ = _parsed(page)
    assert not {"script", "link", "img", "iframe", "object"} & set(tags)
    addresses = set(re.findall(r"\b(?:https?:)?//[\w.]+", page))
    assert addresses <= {"http://www.w3.org"}  # the names of the SVG's namespaces
    assert "url(" not in page
    assert "@import" not in page


def test_what_a_plan_or_program_says_is_text(page: str) -> None:
    _, text = _parsed(page)
    assert "No barriers & <nothing> else" in text
    assert "./getpid <script>" in text


def test_claims_come_first_and_the_broken_one_before_the_other(page: str) -> None:
    _, text = _parsed(page)
    assert "1 of 2 claims hold (2 verdicts). Feature 'other' has no claims." in text
    assert text.index("mte-sync/broken") < text.index("mte-sync/kept") < text.rindex("Provenance")
    assert "−3 per operation" in text


def test_every_figure_has_its_label_and_its_origin(page: str) -> None:
    _, text = _parsed(page)
    assert "change_percent (timed)" in text
    assert "ours: change from the baseline (counted)" in text
    assert "QEMU emulator version 10.0.2" in text
    assert "aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0" in text
    assert "5" * 64 in text
    assert "seconds (timed)" in text
    assert "isb:k in" in text
    assert "el0t_64_sync" in text


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
@pytest.mark.machine
@pytest.mark.parametrize("scheme", [0, 1])
def test_a_browser_draws_it_without_a_complaint(page: str, tmp_path: Path, scheme: int) -> None:
    file, picture = tmp_path / "report.html", tmp_path / "report.png"
    file.write_text(page)
    done = subprocess.run(
        [
            "chromium",
            *("--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"),
            *(f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1200,3000"),
            f"--blink-settings=preferredColorScheme={scheme}",
            *(f"--screenshot={picture}", file.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "CONSOLE" not in done.stderr
    # A blank page of this size compresses to a few thousand bytes.
    assert picture.stat().st_size > 50_000
