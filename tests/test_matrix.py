# SPDX-License-Identifier: GPL-2.0-or-later
from pathlib import Path

import pytest

from granule import matrix
from granule import plan as plans
from granule.errors import UsageError

TEXT = """
title = "One row for each size"
baseline = "linux-6.12"
kernels = ["linux-6.12"]

[[configuration]]
name = "mte-user"

[[workload]]
name = "{work}-{size}"
program = "page-tables"
arguments = ["{work}", "anonymous", "{size}"]
environment = { SIZE = "{size}" }
region = "{work}"
operations = "([0-9]{4}) operations"
each = { work = ["mprotect", "mremap"], size = ["4", "64"] }
"""


def _plan(tmp_path: Path, text: str) -> plans.Plan:
    path = tmp_path / "sizes.toml"
    path.write_text(text)
    return plans.parse(path)


def test_each_combination_is_a_workload_and_the_last_word_changes_fastest(tmp_path: Path) -> None:
    workloads = _plan(tmp_path, TEXT).workloads
    assert [(w.name, w.region, w.arguments, dict(w.environment)) for w in workloads] == [
        ("mprotect-4", "mprotect", ("mprotect", "anonymous", "4"), {"SIZE": "4"}),
        ("mprotect-64", "mprotect", ("mprotect", "anonymous", "64"), {"SIZE": "64"}),
        ("mremap-4", "mremap", ("mremap", "anonymous", "4"), {"SIZE": "4"}),
        ("mremap-64", "mremap", ("mremap", "anonymous", "64"), {"SIZE": "64"}),
    ]


def test_other_braces_are_text(tmp_path: Path) -> None:
    assert {w.operations for w in _plan(tmp_path, TEXT).workloads} == {"([0-9]{4}) operations"}


def test_a_workload_without_each_stands_for_itself() -> None:
    assert matrix.expand([{"name": "{work}", "runs": 2}]) == [{"name": "{work}", "runs": 2}]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "{work}-{size}"', 'name = "{work}"', "two workloads 'mprotect'"),
        ('size = ["4", "64"]', "size = []", "at least 1 item"),
        ('size = ["4", "64"]', "size = [4]", "valid string"),
        ("[[workload]]", "[workload]", "valid list"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(UsageError, match=r"sizes\.toml") as caught:
        _plan(tmp_path, TEXT.replace(old, new))
    assert words in caught.value.message
