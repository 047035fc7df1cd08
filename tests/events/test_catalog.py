# SPDX-License-Identifier: GPL-2.0-or-later
import pytest

from granule.errors import FormatError, UsageError
from granule.events import ByLevel, Catalog

CATALOG = Catalog.parse(
    """
[[event]]
name = "instructions"
description = "Instructions executed"
[[event]]
name = "tlbi.vae1is"
description = "TLBI VAE1IS"
[[event]]
name = "tlbi.vae1"
description = "TLBI VAE1"
[[event]]
name = "tlbi.vmalle1is"
description = "TLBI VMALLE1IS"
[[event]]
name = "mrs.*"
description = "Reads of a system register"
[[total]]
name = "tlbi"
description = "TLB invalidations"
leaves = ["tlbi.*"]
[[total]]
name = "tlbi.broadcast"
description = "TLB invalidations sent to all cores"
leaves = ["tlbi.*is", "tlbi.*os", "tlbi.vae1is"]
"""
)
COUNTED = {
    "instructions": ByLevel(u=10, k=20),
    "tlbi.vae1is": ByLevel(k=3),
    "tlbi.vae1": ByLevel(k=4),
    "mrs.tfsr_el1": ByLevel(k=5),
    "mrs.cntvct_el0": ByLevel(u=6),
}


def _select(*expressions: str) -> dict[str, int]:
    selections = CATALOG.select(expressions, COUNTED)
    return {s.name: s.count(COUNTED).total for s in selections}


def test_a_total_sums_each_leaf_once() -> None:
    assert _select("tlbi", "tlbi.broadcast") == {"tlbi": 7, "tlbi.broadcast": 3}


def test_a_prefix_is_the_total_of_what_it_begins() -> None:
    assert _select("mrs") == {"mrs": 11}


def test_a_glob_gives_leaves_and_no_totals() -> None:
    assert _select("tlbi.*") == {"tlbi.vae1": 4, "tlbi.vae1is": 3}


def test_a_leaf_of_an_open_family() -> None:
    assert _select("mrs.tfsr_el1") == {"mrs.tfsr_el1": 5}


def test_what_was_not_counted_is_zero() -> None:
    assert _select("tlbi.vmalle1is", "mrs.ttbr0_el1") == {"tlbi.vmalle1is": 0, "mrs.ttbr0_el1": 0}


def test_suffixes_choose_levels() -> None:
    user, kernel, both = CATALOG.select(["mrs:u", "mrs:k", "tlbi"], COUNTED)
    assert [sorted(s.levels) for s in (user, kernel, both)] == [["u"], ["k"], ["k", "u"]]


def test_the_same_name_twice_is_one_row() -> None:
    assert len(CATALOG.select(["tlbi", "tlbi", "tlbi:k"], COUNTED)) == 2


def test_the_overview_has_totals_and_what_is_in_none() -> None:
    names = [selection.name for selection in CATALOG.select([], COUNTED)]
    assert names == ["instructions", "tlbi", "tlbi.broadcast", "mrs.cntvct_el0", "mrs.tfsr_el1"]


def test_the_overview_shows_that_a_single_event_did_not_happen() -> None:
    (row,) = (s for s in CATALOG.select([], ["tlbi.vae1is"]) if s.name == "instructions")
    assert row.count({}) == ByLevel()


def test_the_overview_shows_that_nothing_was_checked() -> None:
    rows = {row.name: row.count({}) for row in Catalog.shipped().overview(["isb"])}
    assert rows["mem_access_checked_rd"] == rows["mem_access_checked_wr"] == ByLevel()
    assert "tlbi" not in rows


def test_a_total_over_families_stands_with_the_first() -> None:
    catalog = Catalog.parse(
        """
event = [
    { name = "mem_access_rd", description = "" },
    { name = "mem_access_wr", description = "" },
    { name = "isb", description = "" },
]
total = [{ name = "mem_access", description = "", leaves = ["mem_access_rd", "mem_access_wr"] }]
"""
    )
    names = [selection.name for selection in catalog.overview(["isb", "mem_access_rd"])]
    assert names == ["mem_access", "isb"]


def test_everything_has_the_leaves_too() -> None:
    names = [selection.name for selection in CATALOG.everything(COUNTED)]
    assert "tlbi.vae1" in names
    assert "tlbi" in names


def test_a_new_leaf_the_catalogue_does_not_know_is_not_lost() -> None:
    names = [selection.name for selection in CATALOG.everything([*COUNTED, "novel.thing"])]
    assert names[-1] == "novel.thing"


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        ("tlib", "did you mean tlbi"),
        ("instruction", "did you mean instructions"),
        ("xyzzy", "granule events"),
        ("zz*", "no event"),
        ("tlbi:x", "':u' for EL0"),
        ("tlbi:", "':u' for EL0"),
        ("", "no event"),
    ],
)
def test_an_unknown_event_is_refused_with_a_hint(expression: str, part: str) -> None:
    with pytest.raises(UsageError) as caught:
        CATALOG.check([expression])
    assert part in caught.value.message


def test_descriptions_come_from_patterns_too() -> None:
    assert CATALOG.describe("mrs.tfsr_el1") == "Reads of a system register"
    assert CATALOG.describe("tlbi") == "TLB invalidations"
    assert CATALOG.describe("xyzzy") == ""


@pytest.mark.parametrize(
    "text", ["", "event = 3", "[[event]]\nname = 'a'", "[[event]\n", "[[event]]\nnam = 'a'"]
)
def test_what_is_no_catalogue(text: str) -> None:
    with pytest.raises(FormatError):
        Catalog.parse(text)
