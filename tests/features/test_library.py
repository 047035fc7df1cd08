# SPDX-License-Identifier: GPL-2.0-or-later
"""Which features a SPEC brings, and in which order."""

import pytest
from tests.features.conftest import edit

from granule.errors import FormatError, UsageError
from granule.features import Library


@pytest.mark.parametrize(
    ("named", "chosen"),
    [
        ([], []),
        (["threads", "fewer-tags"], ["fewer-tags", "threads"]),
        (["more-tags"], ["tags", "more-tags"]),
        (["all"], ["fewer-tags", "tags", "more-tags", "threads"]),
        (["tags/1", "threads"], ["tags/1", "threads"]),
        (["all", "tags/1"], ["fewer-tags", "tags/1", "more-tags", "threads"]),
    ],
)
def test_features_come_in_order_with_what_they_need(
    toys: Library, named: list[str], chosen: list[str]
) -> None:
    assert [feature.label for feature in toys.choose(named, "6.12")] == chosen


@pytest.mark.parametrize(
    ("named", "version", "message"),
    [
        ("nothing", "6.12", "no feature 'nothing'; the features are: fewer-tags, more-tags, tags"),
        ("tags", "7.3", "Feature 'tags' is for linux-6.12, not for linux-7.3"),
        ("all", "7.3", "no feature for linux-7.3: leave '[+]all' out"),
        ("tags/x", "6.12", "'tags/x' is no feature: write 'tags', or 'tags/1'"),
        ("tags/0", "6.12", "'tags/0' is none of its prefixes"),
    ],
)
def test_a_wrong_name_is_told(toys: Library, named: str, version: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        toys.choose([named], version)


def test_a_draft_comes_only_when_it_is_named(toys: Library) -> None:
    edit(toys.folder / "threads/feature.toml", 'base = "6.12"', 'base = "6.12"\ndraft = true')
    everything = [feature.name for feature in toys.choose(["all"], "6.12")]
    assert everything == ["fewer-tags", "tags", "more-tags"]
    named = [feature.name for feature in toys.choose(["all", "threads"], "6.12")]
    assert named == [*everything, "threads"]


def test_features_in_a_circle_are_told(toys: Library) -> None:
    edit(toys.folder / "tags/feature.toml", 'base = "6.12"', 'base = "6.12"\nafter = ["more-tags"]')
    with pytest.raises(FormatError, match="more-tags and tags come after each other"):
        toys.load_all()


def test_a_needed_feature_that_is_not_there_is_told_with_the_file(toys: Library) -> None:
    edit(toys.folder / "more-tags/feature.toml", '"tags"', '"togs"')
    with pytest.raises(FormatError, match=r"more-tags/feature\.toml: key 'after'.*'togs'"):
        toys.choose(["more-tags"], "6.12")


def test_one_broken_feature_does_not_disturb_another(toys: Library) -> None:
    edit(toys.folder / "threads/feature.toml", "title", "titel")
    assert [feature.name for feature in toys.choose(["tags"], "6.12")] == ["tags"]


def test_what_lies_below_a_feature(toys: Library) -> None:
    assert [feature.name for feature in toys.below(toys.load("more-tags"))] == ["tags"]
    assert toys.below(toys.load("tags")) == ()
