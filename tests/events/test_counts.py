# SPDX-License-Identifier: GPL-2.0-or-later
import json

import pytest

from granule.errors import FormatError
from granule.events import Counts

DOCUMENT = """
{"format": "granule-counts", "version": 1, "plugin": "0.1.0", "qemu_api": 4, "vcpus": 1,
 "regions": [
  {"name": "machine", "opened": 1, "closed": 1, "events": {}},
  {"name": "command", "opened": 1, "closed": 1,
   "events": {"instructions": {"u": 123, "k": 456}, "tlbi.vae1is": {"u": 0, "k": 3}},
   "places": [{"el": "k", "pc": 18446603336221196288, "events": {"instructions": 12}}],
   "iterations": [{"u": 10, "k": 57}],
   "stacks": [{"event": "tlbi", "count": 3, "frames": [18446603336221196288]}]}],
 "diagnostics": {"unmatched_faults": 0}}
"""


def _changed(**changes: object) -> str:
    return json.dumps({**json.loads(DOCUMENT), **changes})


def test_the_document_of_the_contract() -> None:
    region = Counts.parse(DOCUMENT).region("command")
    assert region.events["instructions"].total == 579
    assert region.places[0].pc == 18446603336221196288
    assert region.iterations[0].k == 57


def test_a_command_without_marks_is_measured_whole() -> None:
    assert [region.name for region in Counts.parse(DOCUMENT).measured()] == ["command"]


def test_marks_of_the_program_are_what_is_measured() -> None:
    regions = [
        *json.loads(DOCUMENT)["regions"],
        {"name": "loop", "opened": 2, "closed": 2, "events": {}},
    ]
    assert [r.name for r in Counts.parse(_changed(regions=regions)).measured()] == ["loop"]


def test_negative_numbers_stay_what_they_are() -> None:
    regions = [{"name": "command", "opened": 1, "closed": 1, "events": {"isb": {"u": -1, "k": 0}}}]
    assert Counts.parse(_changed(regions=regions)).region("command").events["isb"].u == -1


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"version": 2}, "do not belong together"),
        ({"format": "other"}, "do not belong together"),
        ({"surprise": 1}, "surprise"),
        ({"vcpus": "1"}, "vcpus"),
        ({"vcpus": 1.0}, "vcpus"),
        ({"regions": [{"name": "command"}]}, "regions.0.opened"),
    ],
)
def test_anything_else_is_refused_by_name(changes: dict[str, object], part: str) -> None:
    with pytest.raises(FormatError) as caught:
        Counts.parse(_changed(**changes))
    assert part in caught.value.message


def test_a_missing_region_names_those_there_are() -> None:
    with pytest.raises(FormatError, match="machine, command"):
        Counts.parse(DOCUMENT).region("loop")
