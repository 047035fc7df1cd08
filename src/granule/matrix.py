# SPDX-License-Identifier: GPL-2.0-or-later
"""Workloads of a plan that differ by a word or two, written once.

A workload with a table ``each`` stands for one workload for each combination of its
words, in the order they are written, the last key fastest::

    [[workload]]
    name = "{work}-{size}"
    arguments = ["{work}", "anonymous", "{size}"]
    each = { work = ["mprotect", "mremap"], size = ["4", "64"] }

Braces with any other word inside are text like any other, as in a regular expression.
"""

import itertools
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import Field, JsonValue, TypeAdapter

KEY = "each"

Table = dict[str, JsonValue]
"""A table of TOML."""

_tables = TypeAdapter(list[Table])

_each = TypeAdapter(dict[str, Annotated[tuple[str, ...], Field(min_length=1)]])


def expand(workloads: object) -> list[Table]:
    """The workloads that those of a plan stand for; raises pydantic's ValidationError."""
    return [one for table in _tables.validate_python(workloads) for one in _combinations(table)]


def _combinations(table: Table) -> Iterator[Table]:
    each = _each.validate_python(table.get(KEY, {}))
    pattern = {key: value for key, value in table.items() if key != KEY}
    for chosen in itertools.product(*each.values()):
        words = dict(zip(each, chosen, strict=True))
        yield {key: _filled(value, words) for key, value in pattern.items()}


def _filled(value: JsonValue, words: Mapping[str, str]) -> JsonValue:
    """The value with each word in place of its name in braces."""
    if isinstance(value, str):
        for name, word in words.items():
            value = value.replace(f"{{{name}}}", word)
        return value
    if isinstance(value, dict):
        return {key: _filled(item, words) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, words) for item in value]
    return value
