# SPDX-License-Identifier: GPL-2.0-or-later
"""What shapes the measured code is as in Debian, and each exception has a reason.

The configurations are recorded (record_configs.py); the machine test proves that
the recording is what the fragments give today.
"""

import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from granule.kernel import config, configure
from granule.kernel.catalog import load

DATA = Path(__file__).parent / "data"
KERNEL = Path(__file__).parents[2] / "kernel"
FRAGMENTS = ("mte-user", "kasan-hw")


@dataclass(frozen=True)
class Pair:
    debian: str
    granule: str


@dataclass(frozen=True)
class Difference:
    reason: str
    symbols: dict[str, Pair]
    fragment: str | None = None


@dataclass(frozen=True)
class Differences:
    files: tuple[str, ...]
    tools: tuple[str, ...]
    difference: tuple[Difference, ...]

    def listed(self, fragment: str) -> dict[str, tuple[str, str]]:
        """Every listed difference that is to exist with a fragment."""
        return {
            name: (pair.debian, pair.granule)
            for difference in self.difference
            if difference.fragment in (None, fragment)
            for name, pair in difference.symbols.items()
        }


def differences() -> Differences:
    text = (KERNEL / "differences.toml").read_text()
    return TypeAdapter(Differences).validate_python(tomllib.loads(text))


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_every_difference_is_listed_and_every_listed_one_exists(fragment: str) -> None:
    debian = config.read(DATA / "debian-6.12.config")
    granule = config.read(DATA / f"{fragment}-6.12.config")
    compared = set(debian.values) - set(differences().tools)
    found = config.differences(compared, debian, granule)
    assert found == differences().listed(fragment)


def test_what_the_measurements_depend_on_is_compared_at_all() -> None:
    debian = config.read(DATA / "debian-6.12.config")
    on = {
        "ARM64_TLB_RANGE", "ARM64_HW_AFDBM", "ARM64_CNP", "UNMAP_KERNEL_AT_EL0", "NUMA",
        "VM_EVENT_COUNTERS", "LRU_GEN", "VMAP_STACK", "RANDOMIZE_BASE", "MEMCG", "KSM",
        "TRANSPARENT_HUGEPAGE", "ARM64_CONTPTE", "ARM64_MTE", "MMU_NOTIFIER", "USERFAULTFD",
        "FUNCTION_TRACER", "INIT_ON_ALLOC_DEFAULT_ON", "PAGE_IDLE_FLAG", "BUFFER_HEAD",
    }  # fmt: skip
    granule = config.read(DATA / "mte-user-6.12.config")
    assert {name for name in on if debian[name] != "y"} == set()
    assert {name for name in on if granule[name] != "y"} == set()


def test_every_difference_has_a_reason_of_its_own() -> None:
    reasons = [difference.reason for difference in differences().difference]
    assert len(set(reasons)) == len(reasons)
    assert all(len(reason.split()) > 5 for reason in reasons)


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_the_recording_grants_every_symbol_the_fragments_ask_for(fragment: str) -> None:
    request = configure.request(load(KERNEL), [fragment], "6.12.117", strict=True)
    granted = config.read(DATA / f"{fragment}-6.12.config")
    assert config.refusals(request.required, granted) == ()


@pytest.mark.machine
def test_the_recording_is_what_the_fragments_give(tmp_path: Path) -> None:
    script = Path(__file__).parent / "record_configs.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True)
    for recorded in DATA.glob("*.config"):
        assert (tmp_path / recorded.name).read_text() == recorded.read_text()
