# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/setup finds where apt takes this release from, in either format it may have."""

import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).parent.parent / "scripts" / "setup"

# As Debian's installer, mmdebstrap and the container images leave them.
LINES = """\
# deb cdrom:[Debian GNU/Linux 12]/ bookworm main
deb http://security.debian.org/debian-security bookworm-security main
deb [arch=amd64 signed-by=/usr/share/keyrings/debian.gpg] http://deb.debian.org/debian bookworm main
deb http://mirror.example/debian bookworm main
"""
STANZAS = """\
Types: deb
URIs: http://deb.debian.org/debian-security
Suites: bookworm-security
Signed-By: /usr/share/keyrings/security.gpg

Types: deb
# The release itself.
URIs: http://deb.debian.org/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian.gpg
"""
FOUND = "http://deb.debian.org/debian|/usr/share/keyrings/debian.gpg"


def _said(function: str, folder: Path) -> str:
    """What a function of the script prints about a folder of apt, on a bookworm."""
    script = (
        f'. "{SETUP}"; codename() {{ echo bookworm; }}; found=$({function} "$1"); echo "$found"'
    )
    run = subprocess.run(
        ["bash", "-c", script, "test", str(folder)], capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


@pytest.fixture
def apt(tmp_path: Path) -> Path:
    """A folder of apt without a source."""
    (tmp_path / "sources.list.d").mkdir()
    return tmp_path


def test_an_entry_is_found_among_stanzas(apt: Path) -> None:
    (apt / "sources.list.d" / "debian.sources").write_text(STANZAS)
    assert _said("debian_entry", apt) == FOUND


def test_the_stanzas_of_two_files_stay_apart(apt: Path) -> None:
    other = "Types: deb\nURIs: http://other.example\nSuites: sid"
    (apt / "sources.list.d" / "a.sources").write_text(other)
    (apt / "sources.list.d" / "b.sources").write_text(STANZAS)
    assert _said("debian_entry", apt) == FOUND


@pytest.mark.parametrize("field", ["Enabled: no", "enabled: False", "Types: deb-src"])
def test_a_stanza_that_apt_takes_no_packages_from_is_passed_over(apt: Path, field: str) -> None:
    types = "" if field.startswith("Types") else "Types: deb\n"
    unused = f"{types}URIs: http://unused.example/debian\nSuites: bookworm\n{field}\n"
    (apt / "sources.list.d" / "a.sources").write_text(unused)
    assert _said("debian_entry", apt) == ""
    (apt / "sources.list.d" / "b.sources").write_text(STANZAS)
    assert _said("debian_entry", apt) == FOUND


@pytest.mark.parametrize("name", ["sources.list", "sources.list.d/debian.list"])
def test_a_line_is_found_where_there_are_no_stanzas(name: str, apt: Path) -> None:
    (apt / name).write_text(LINES)
    assert _said("debian_entry", apt) == ""
    assert _said("debian_line", apt) == FOUND


def test_nothing_is_found_and_nothing_fails_without_a_source(apt: Path) -> None:
    assert _said("debian_entry", apt) == ""
    assert _said("debian_line", apt) == ""


def test_a_command_that_fails_is_named(tmp_path: Path) -> None:
    run = subprocess.run(
        ["bash", "-c", f'. "{SETUP}"; false "$1"', "test", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert 'failed: false "$1"' in run.stderr


@pytest.mark.parametrize(
    ("sudo", "said"),
    [
        ("true", "run 'sudo {setup} --packages', then"),
        ("false", "run '{setup} --packages' as root"),
    ],
)
def test_without_root_it_says_what_to_run_with_it(sudo: str, said: str) -> None:
    script = (
        f'. "{SETUP}"; id() {{ echo 1000; }}; have() {{ {sudo}; }}; '
        'need_root "this machine lacks git" --packages'
    )
    run = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode == 3
    assert run.stderr.startswith("setup: this machine lacks git: " + said.format(setup=SETUP))
