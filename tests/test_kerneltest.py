# SPDX-License-Identifier: GPL-2.0-or-later
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from granule import kerneltest
from granule.errors import ShortfallError
from granule.kernel import Selftests
from granule.progress import SilentProgress
from granule.run import Bootable, Settings
from granule.targets import FakeTarget, Outcome

Play = Callable[..., Outcome]

KUNIT = """\
<6>[    0.500000] KTAP version 1
<6>[    0.500001] 1..1
<6>[    0.500002]     KTAP version 1
<6>[    0.500003]     # Subtest: string
<6>[    0.500004]     ok 1 memset
<6>[    0.500005]     ok 2 memcpy # SKIP too slow
<6>[    0.500006] ok 1 string
"""
SELFTESTS = b"""\
    TAP version 13
    1..2
    ok 1 Check fault
    not ok 2 Check no fault
not ok 1 check_buffer_fill
"""


def _test(
    bootable: Bootable,
    target: FakeTarget,
    folder: Path,
    *,
    counters: bool = False,
    settings: Settings = Settings(),  # noqa: B008 frozen
) -> kerneltest.KernelTestReport:
    return kerneltest.test_kernel(
        target,
        bootable,
        Selftests(folder, ("check_buffer_fill",), "id"),
        SilentProgress(),
        settings=settings,
        counters=counters,
    )


def test_both_kinds_are_read(bootable: Bootable, play: Play, tmp_path: Path) -> None:
    target = FakeTarget([replace(play(), dmesg=KUNIT, stdout=SELFTESTS)])
    report = _test(bootable, target, tmp_path)
    assert (report.passed, report.failed, report.skipped) == (2, 1, 1)
    assert [r.name for r in report.results if r.verdict == "fail"] == [
        "check_buffer_fill / Check no fault"
    ]
    with pytest.raises(ShortfallError, match="1 tests"):
        kerneltest.require(report)


def test_nothing_is_counted_and_complaints_are_expected(
    bootable: Bootable, play: Play, tmp_path: Path
) -> None:
    target = FakeTarget([replace(play(), dmesg=KUNIT)])
    _test(bootable, target, tmp_path)
    assert target.jobs[0].counting is None
    assert target.jobs[0].tolerate_reports
    assert "kunit.enable=1" in target.jobs[0].kernel_arguments
    assert target.jobs[0].request.copies == (tmp_path,)


def test_counting_that_changes_a_verdict_is_found(
    bootable: Bootable, play: Play, tmp_path: Path
) -> None:
    changed = KUNIT.replace("ok 1 memset", "not ok 1 memset")
    target = FakeTarget([replace(play(), dmesg=KUNIT), replace(play(), dmesg=changed)])
    report = _test(bootable, target, tmp_path, counters=True)
    assert target.jobs[1].counting is not None
    assert [(d.name, d.without, d.counting) for d in report.disagreements] == [
        ("string / memset", "pass", "fail")
    ]
    with pytest.raises(ShortfallError, match="changed the verdicts of 1"):
        kerneltest.require(report)


def _played(play: Play, *logs: str) -> FakeTarget:
    return FakeTarget([replace(play(), dmesg=log) for log in logs])


def test_a_test_passes_that_passes_in_most_runs(
    bootable: Bootable, play: Play, tmp_path: Path
) -> None:
    unlucky = KUNIT.replace("ok 1 memset", "not ok 1 memset")
    report = _test(
        bootable, _played(play, KUNIT, unlucky, KUNIT), tmp_path, settings=Settings(runs=3)
    )
    assert [(r.name, r.verdict, r.passes) for r in report.results] == [
        ("string / memset", "pass", 2),
        ("string / memcpy", "skip", 0),
    ]
    kerneltest.require(report)
    assert "ok      string / memset  (2 of 3 runs)" in [
        str(line) for line in kerneltest.render(report)
    ]


def test_a_test_fails_that_half_of_the_runs_do_not_pass(
    bootable: Bootable, play: Play, tmp_path: Path
) -> None:
    unlucky = KUNIT.replace("ok 1 memset", "not ok 1 memset")
    twice = Settings(runs=2)
    assert _test(bootable, _played(play, KUNIT, unlucky), tmp_path, settings=twice).failed == 1
    cut = "\n".join(KUNIT.splitlines()[:4])
    assert _test(bootable, _played(play, KUNIT, cut), tmp_path, settings=twice).failed == 2


def test_runs_have_different_seeds_and_the_arguments_asked_for(
    bootable: Bootable, play: Play, tmp_path: Path
) -> None:
    target = _played(play, KUNIT, KUNIT)
    settings = Settings(runs=2, kernel_arguments="kasan.mode=async")
    _test(bootable, target, tmp_path, settings=settings)
    assert sorted(job.seed for job in target.jobs) == [1, 2]
    assert all(job.kernel_arguments.endswith(" kasan.mode=async") for job in target.jobs)


def test_a_kernel_without_tests_falls_short(bootable: Bootable, play: Play, tmp_path: Path) -> None:
    with pytest.raises(ShortfallError, match="ran no tests"):
        _test(bootable, FakeTarget([play()]), tmp_path)


def test_the_script_nests_what_programs_print_and_knows_a_skip(
    bootable: Bootable, play: Play, tmp_path: Path
) -> None:
    target = FakeTarget([replace(play(), dmesg=KUNIT)])
    _test(bootable, target, tmp_path)
    script = target.jobs[0].request.argv[2]
    (tmp_path / "mte").mkdir()
    for name, code in (("good", 0), ("skipped", 4), ("bad", 1)):
        program = tmp_path / "mte" / name
        program.write_text(f"#!/bin/sh\necho ok 1 inner\nexit {code}\n")
        program.chmod(0o755)
    command = ["/bin/sh", "-c", script, "sh", "good", "skipped", "bad"]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert printed.stdout.splitlines()[1::2] == ["ok 1 good", "ok 2 skipped # SKIP", "not ok 3 bad"]
    assert printed.stdout.splitlines()[0] == "    ok 1 inner"
