# SPDX-License-Identifier: GPL-2.0-or-later
"""What apt's complaints, recorded, become."""

from __future__ import annotations

import pytest

from granule.debian.apt import StaleListsError, explain
from granule.debian.root import parse_policy
from granule.errors import DownloadError, GranuleError, MachineError, UsageError

NO_NETWORK = """\
W: Failed to fetch http://mirror.example/debian/dists/bookworm/InRelease  Temporary failure \
resolving 'mirror.example'
W: Some index files failed to download. They have been ignored, or old ones used instead.
"""
REFUSED = """\
E: Failed to fetch http://mirror.example/pool/t/tool.deb  Could not connect to mirror.example:80 \
(192.0.2.1). - connect (111: Connection refused)
"""
DISK_FULL = "E: Write error - write (28: No space left on device)\n"
NO_SPACE = "E: You don't have enough free space in /cache/archives/.\n"
UNKNOWN = "E: Unable to locate package nonesuch\n"
GONE = """\
E: Failed to fetch http://mirror.example/pool/t/tool_1.0_arm64.deb  404  Not Found [IP: 192.0.2.1]
E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?
"""
UNSIGNED = "E: The repository 'http://mirror.example/debian bookworm Release' is not signed.\n"


@pytest.mark.parametrize(
    ("printed", "kind", "words"),
    [
        (NO_NETWORK, DownloadError, "check the network"),
        (REFUSED, DownloadError, "check the network"),
        (DISK_FULL, MachineError, "GRANULE_CACHE"),
        (NO_SPACE, MachineError, "GRANULE_CACHE"),
        (UNKNOWN, UsageError, "nonesuch"),
        (GONE, StaleListsError, "no longer has"),
        (UNSIGNED, DownloadError, "is not signed"),
        ("", DownloadError, "it printed nothing"),
    ],
)
def test_explanations(printed: str, kind: type[GranuleError], words: str) -> None:
    error = explain(printed)
    assert type(error) is kind
    assert words in str(error)


POLICY = """\
linux-perf:
  Installed: (none)
  Candidate: 6.1.192-2
  Version table:
     6.12.117-1~bpo12+1 100
        100 http://mirror.example/debian bookworm-backports/main arm64 Packages
     6.1.192-2 500
        500 http://mirror.example/debian-security bookworm-security/main arm64 Packages
awk:
  Installed: (none)
  Candidate: (none)
  Version table:
"""


def test_policy() -> None:
    assert parse_policy(POLICY) == {"linux-perf": "6.1.192-2"}
