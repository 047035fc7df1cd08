# SPDX-License-Identifier: GPL-2.0-or-later
"""The mirror, found in recorded output of apt-get (with the host's name replaced)."""

from __future__ import annotations

from pathlib import Path

import pytest

from granule.debian.mirror import Mirror, from_index_targets, from_release_uris
from granule.errors import MachineError

KEYRING = Path("/keyring.gpg")

INDEX_TARGETS = """\
http://mirror.example/debian/ bookworm main
http://mirror.example/debian/ bookworm-updates main
http://mirror.example/debian-security/ bookworm-security main
http://other.example/debian/ bookworm-backports main
https://vendor.example/node_20.x/ nodistro main
"""

RELEASE_URIS = """\
'http://mirror.example/debian/dists/bookworm/InRelease' a 0
'http://mirror.example/debian-security/dists/bookworm-security/InRelease' b 0
'http://mirror.example/debian/dists/bookworm/main/binary-amd64/Packages.xz' c 0
"""

FOUND = Mirror("http://mirror.example/debian", "http://mirror.example/debian-security", KEYRING)


def test_mirror_from_lists() -> None:
    assert from_index_targets(INDEX_TARGETS.splitlines(), KEYRING) == FOUND


def test_mirror_before_the_first_update() -> None:
    assert from_release_uris(RELEASE_URIS.splitlines(), KEYRING) == FOUND


@pytest.mark.parametrize(
    "line",
    [
        "",
        "http://ports.example/ubuntu-ports/ noble main",
        "http://mirror.example/debian/ bookworm contrib",
    ],
)
def test_other_archives_are_not_debians(line: str) -> None:
    with pytest.raises(MachineError, match="no Debian sources"):
        from_index_targets([line], KEYRING)


def test_sources_of_another_release() -> None:
    assert FOUND.sources("trixie").splitlines() == [
        "deb [signed-by=/keyring.gpg] http://mirror.example/debian trixie main",
        "deb [signed-by=/keyring.gpg] http://mirror.example/debian trixie-updates main",
        "deb [signed-by=/keyring.gpg] http://mirror.example/debian trixie-backports main",
        "deb [signed-by=/keyring.gpg] http://mirror.example/debian-security trixie-security main",
    ]


def test_unstable_has_no_pockets() -> None:
    assert Mirror("http://m.example", "http://s.example", None).sources("sid") == (
        "deb http://m.example sid main\n"
    )
