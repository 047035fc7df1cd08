# SPDX-License-Identifier: GPL-2.0-or-later
"""Read KTAP out of a kernel log or the output of a kselftest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from granule.ktap.results import Result, Verdict

# "<6>[    1.234567] " before each line of a kernel log.
_LOG_PREFIX = re.compile(r"^(?:<\d+>)?\[ *\d+\.\d+\](?:\[ *[CT]\d+\])? ?")
_RESULT = re.compile(
    r"^(?P<indent> *)(?P<not>not )?ok (?P<number>\d+)(?: -)? ?"
    r"(?P<name>.*?)(?: *# (?P<directive>[A-Za-z]+)\b(?P<note>.*))?$"
)


@dataclass(frozen=True)
class _Line:
    """A result line, at its depth of indentation."""

    indent: int
    result: Result


def parse(lines: Iterable[str]) -> list[Result]:
    """The innermost results in `lines`, in their order, each under a name of its own.

    Lines that are no results (versions, plans, diagnostics, the rest of a
    kernel log) are passed over. The result of a suite follows those of its
    tests, which are indented deeper; it names their path and is not a result
    of its own. The MTE selftests give some tests the same name: the second
    of them is called "name (2)".
    """
    found: list[_Line] = []
    for line in lines:
        read = _result_line(_LOG_PREFIX.sub("", line.rstrip("\n")))
        if read is not None:
            _adopt(found, read)
    return _told_apart(line.result for line in found)


def _told_apart(results: Iterable[Result]) -> list[Result]:
    """The results with their repeated names numbered."""
    seen: Counter[str] = Counter()
    apart = []
    for result in results:
        seen[result.name] += 1
        number = seen[result.name]
        apart.append(result if number == 1 else _numbered(result, number))
    return apart


def _numbered(result: Result, number: int) -> Result:
    return replace(result, path=(*result.path[:-1], f"{result.path[-1]} ({number})"))


def _result_line(text: str) -> _Line | None:
    match = _RESULT.match(text)
    if match is None:
        return None
    name = match["name"].strip() or f"test {match['number']}"
    result = Result((name,), _verdict(match), (match["note"] or "").strip())
    return _Line(len(match["indent"]), result)


def _verdict(match: re.Match[str]) -> Verdict:
    if (match["directive"] or "").upper() == "SKIP":
        return Verdict.SKIP
    return Verdict.FAIL if match["not"] else Verdict.PASS


def _adopt(found: list[_Line], line: _Line) -> None:
    """Append a result; where deeper results precede it, they are its tests."""
    first = len(found)
    while first > 0 and found[first - 1].indent > line.indent:
        first -= 1
    if first == len(found):
        found.append(line)
        return
    suite = line.result.path
    for index in range(first, len(found)):
        test = found[index].result
        found[index] = _Line(line.indent, Result(suite + test.path, test.verdict, test.note))
