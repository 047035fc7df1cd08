# SPDX-License-Identifier: GPL-2.0-or-later
import tomllib
from fractions import Fraction

import pytest
from pydantic import ValidationError

from granule.claims import Claim, Kind

CLAIM = """
name = "getpid-barriers"
statement = "A system call executes two DSBs fewer."
plan = "mte-sync"
workload = "getpid"
configuration = ["kasan-sync", "kasan-async"]
events = ["dsb:k"]
"""


def _claim(limit: str) -> Claim:
    return Claim.model_validate(tomllib.loads(CLAIM + limit))


def test_one_name_needs_no_list() -> None:
    claim = _claim("change_per_operation = -2")
    assert claim.workloads == ("getpid",)
    assert claim.configurations == ("kasan-sync", "kasan-async")
    assert claim.functions is None


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("at_most = 0", Kind.AT_MOST, 0),
        ("change_per_operation = -2", Kind.CHANGE_PER_OPERATION, -2),
        ("ratio_at_most = 1.001", Kind.RATIO_AT_MOST, 1.001),
        ("worse_by_at_most = 0", Kind.WORSE_BY_AT_MOST, 0),
        ("unchanged_within = 0.001", Kind.UNCHANGED_WITHIN, 0.001),
        ("identical = true", Kind.IDENTICAL, 1),
    ],
)
def test_every_kind_can_be_stated(text: str, kind: Kind, value: float) -> None:
    limit = _claim(text).limit
    assert (limit.kind, limit.value) == (kind, value)


def test_a_limit_is_the_decimal_that_was_written() -> None:
    assert _claim("ratio_at_most = 1.001").limit.exact_value == Fraction(1001, 1000)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "exactly one of at_most.* not none"),
        ("at_most = 0\nidentical = true", "not at_most and identical"),
        ("identical = false", "identical = true"),
        ("at_most = -1", "greater than or equal to 0"),
        ("at_most = true", "valid number"),
        ("at_most = nan", "finite"),
        ("at_most = 0\ntolerance = 0.1", "belongs to 'change_per_operation'"),
        ("at_least = 3", "at_least"),
        ("at_most = 0\nexcept = []", "at least 1 item"),
    ],
)
def test_what_is_no_limit_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        _claim(text)


def test_a_name_is_a_word_for_the_command_line() -> None:
    with pytest.raises(ValidationError, match="lower-case-words"):
        Claim.model_validate({**tomllib.loads(CLAIM), "name": "A claim", "at_most": 0})
