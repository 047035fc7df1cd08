# SPDX-License-Identifier: GPL-2.0-or-later
"""KTAP as the kernel prints it."""

from granule.ktap import Difference, Result, Verdict, compare, parse, summarise

KUNIT_LOG = """\
<6>[    0.401002] KTAP version 1
<6>[    0.401012] 1..2
<6>[    0.401022]     KTAP version 1
<6>[    0.401032]     # Subtest: kasan
<6>[    0.401042]     # module: kasan_test
<6>[    0.401052]     1..3
<3>[    0.401062] BUG: KASAN: invalid-access in kmalloc_oob_right+0x1a0/0x1c0
<6>[    0.402012]     ok 1 kmalloc_oob_right
<6>[    0.402022]     # kasan_global_oob_right: EXPECTATION FAILED at mm/kasan/kasan_test_c.c:1
<6>[    0.402032]     not ok 2 kasan_global_oob_right
<6>[    0.402042]     ok 3 kasan_alloca_oob_left # SKIP Test requires CONFIG_KASAN_GENERIC=y
<6>[    0.402052] # kasan: pass:1 fail:1 skip:1 total:3
<6>[    0.402062] not ok 1 kasan
<6>[    0.402072] ok 2 - alone
"""

KSELFTEST = """\
TAP version 13
1..3
# Check buffer correctness by byte with sync err mode and mmap memory
ok 1 Check buffer correctness by byte with sync err mode and mmap memory
not ok 2 Check initial tags with private mapping
ok 3 # SKIP No hugetlb pages
# Totals: pass:1 fail:1 xfail:0 xpass:0 skip:1 error:0
"""


def test_suites_give_their_tests_a_path() -> None:
    results = parse(KUNIT_LOG.splitlines())
    assert [(result.name, result.verdict) for result in results] == [
        ("kasan / kmalloc_oob_right", Verdict.PASS),
        ("kasan / kasan_global_oob_right", Verdict.FAIL),
        ("kasan / kasan_alloca_oob_left", Verdict.SKIP),
        ("alone", Verdict.PASS),
    ]
    assert results[2].note == "Test requires CONFIG_KASAN_GENERIC=y"


def test_selftest_output() -> None:
    summary = summarise(parse(KSELFTEST.splitlines()))
    assert (summary.passed, summary.failed, summary.skipped, summary.total) == (1, 1, 1, 3)


def test_a_test_without_a_name_has_its_number() -> None:
    assert parse(KSELFTEST.splitlines())[2].name == "test 3"


def test_tests_of_the_same_name_are_told_apart() -> None:
    """As check_buffer_fill has them: neither verdict may hide the other."""
    printed = ["not ok 1 Check underflow", "ok 2 Check underflow", "ok 3 Check overflow"]
    assert [(result.name, result.verdict) for result in parse(printed)] == [
        ("Check underflow", Verdict.FAIL),
        ("Check underflow (2)", Verdict.PASS),
        ("Check overflow", Verdict.PASS),
    ]


def test_differences_name_verdicts_and_missing_tests() -> None:
    first = [Result(("a",), Verdict.PASS), Result(("b",), Verdict.PASS)]
    second = [Result(("a",), Verdict.FAIL)]
    assert compare(first, second) == [
        Difference("a", Verdict.PASS, Verdict.FAIL),
        Difference("b", Verdict.PASS, None),
    ]
    assert compare(first, first) == []
