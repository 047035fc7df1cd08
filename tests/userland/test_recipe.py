# SPDX-License-Identifier: GPL-2.0-or-later
"""Recipes, good and bad."""

from __future__ import annotations

from pathlib import Path

import pytest

from granule.debian import host_release
from granule.errors import UsageError
from granule.userland import load_recipe
from granule.userland.recipe import parse_recipe

GOOD = """\
release = "trixie"
architecture = "arm64"
packages = ["dash", "bash", "bash"]
leave_out = ["/usr/share/man"]
[links]
"/usr/bin/awk" = "mawk"
[files]
"/etc/hosts" = '''
127.0.0.1 localhost
'''
"""


def test_a_recipe_is_normal_whatever_its_order() -> None:
    recipe = parse_recipe(GOOD, "r")
    assert recipe.release == "trixie"
    assert recipe.packages == ("bash", "dash")
    assert recipe.leave_out == ("/usr/share/man",)
    assert recipe.links == (("/usr/bin/awk", "mawk"),)
    assert recipe.files == (("/etc/hosts", "127.0.0.1 localhost\n"),)


def test_the_host_decides_the_release() -> None:
    assert parse_recipe(GOOD.replace("trixie", "host"), "r").release == host_release()


def test_the_recipe_of_the_project() -> None:
    recipe = load_recipe(Path(__file__).parents[2] / "guest" / "userland.toml")
    assert {"linux-perf", "memcached", "stress-ng", "bash"} <= set(recipe.packages)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("leave_out", "leave"), "unknown key 'leave'"),
        (('"trixie"', "13"), "text for 'release'"),
        (('["dash", "bash", "bash"]', "[]"), "list of names for 'packages'"),
        (('"/usr/bin/awk"', '"usr/bin/awk"'), "absolute path"),
        (('"/usr/bin/awk"', '"/../awk"'), "absolute path"),
        (("release =", "release"), "not TOML"),
    ],
)
def test_mistakes_are_named(change: tuple[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        parse_recipe(GOOD.replace(*change), "my.toml")
    assert "my.toml" in str(caught.value)


def test_a_missing_recipe_is_named() -> None:
    with pytest.raises(UsageError, match="/nonesuch"):
        load_recipe(Path("/nonesuch"))
