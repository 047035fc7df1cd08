# SPDX-License-Identifier: GPL-2.0-or-later
from pathlib import Path

import pytest

from granule import doctor
from granule.errors import MissingToolError


def test_an_empty_machine_lacks_everything_and_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("GRANULE_PLUGIN", str(tmp_path / "none.so"))
    report = doctor.examine()
    lacking = {finding.name: finding.remedy for finding in report.lacking}
    assert "bookworm-backports" in lacking["QEMU"]
    assert lacking["dpkg-deb"] == "apt install dpkg"
    assert lacking["counting plugin"] == "make setup"
    assert "ccache" not in lacking
    with pytest.raises(MissingToolError, match="QEMU, counting plugin"):
        doctor.require(report)


def test_nothing_lacking_is_no_error() -> None:
    found = doctor.Finding(name="a", purpose="b", needed=True, found="/a")
    optional = doctor.Finding(name="c", purpose="d", needed=False, found=None, remedy="apt")
    doctor.require(doctor.DoctorReport(findings=(found, optional)))
