# SPDX-License-Identifier: GPL-2.0-or-later
from pathlib import Path

from granule.digest import file_sha256


def test_a_file_that_is_read_in_pieces(tmp_path: Path) -> None:
    """The million letters of FIPS 180's third example."""
    (tmp_path / "letters").write_bytes(b"a" * 1_000_000)
    digest = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    assert file_sha256(tmp_path / "letters") == digest
