# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings to play: kernels, runs and their counts without any machine."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from granule.events import ByLevel, Catalog, Counts, Place, Region
from granule.run import Bootable
from granule.store import Conditions, KernelRecord, RegionRecord, RunRecord
from granule.targets import MachineRecord, Outcome, Status

KALLSYMS = """\
0000000000001000 T el0_svc
0000000000002000 T __arm64_sys_getpid
0000000000003000 t {extra}
0000000000004000 D _etext
"""

CATALOG = """
[[event]]
name = "instructions"
description = "Instructions executed"
[[event]]
name = "isb"
description = "ISB"
[[event]]
name = "tlbi.vae1is"
description = "TLBI VAE1IS"
[[total]]
name = "tlbi"
description = "TLB invalidations"
leaves = ["tlbi.*"]
"""

Play = Callable[..., Outcome]
Remember = Callable[..., RunRecord]


@pytest.fixture
def catalog() -> Catalog:
    """Four events."""
    return Catalog.parse(CATALOG)


@pytest.fixture
def bootable(tmp_path: Path) -> Bootable:
    """A kernel nobody boots."""
    nothing = tmp_path / "nothing"
    return Bootable("debian", "6.12.117-arm64", "0123456789abcdef", nothing, nothing, nothing)


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Makes the outcome of a run: ``play({"instructions": (u, k)}, places=…, status=…)``."""

    def outcome(
        events: Mapping[str, tuple[int, int]] | None = None,
        *,
        places: Sequence[tuple[str, int, Mapping[str, int]]] = (),
        extra: str = "ext4_sync",
        status: str = "exit 0",
        seed: int = 1,
        cpus: int = 1,
        regions: Sequence[Region] = (),
        diagnostics: Mapping[str, int] | None = None,
        dmesg: str = "",
    ) -> Outcome:
        command = Region(
            name="command",
            opened=1,
            closed=1,
            events={name: ByLevel(u=u, k=k) for name, (u, k) in (events or {}).items()},
            places=tuple(Place.model_validate(_place(*place)) for place in places),
        )
        counts = Counts(
            format="granule-counts",
            version=1,
            plugin="0.1.0",
            qemu_api=4,
            vcpus=cpus,
            regions=(command, *regions),
            diagnostics=diagnostics or {},
        )
        return Outcome(
            status=Status.parse(status),
            stdout=b"",
            stderr=b"mybench: no memory\n",
            counts=counts,
            kallsyms=KALLSYMS.format(extra=extra),
            uname="Linux granule 6.12.117-arm64 aarch64",
            dmesg=dmesg,
            console=tmp_path / "console.log",
            kernel_log=tmp_path / "dmesg.log",
            wall=8.53,
            machine=MachineRecord("QEMU emulator version 10.0.2", cpus, 2048, cpus == 1, seed),
        )

    return outcome


@pytest.fixture
def remember() -> Remember:
    """Makes a run of the store: ``remember({"isb": (u, k)}, kernel=…, seed=…)``."""

    def run(
        events: Mapping[str, tuple[int, int]],
        *,
        kernel: str = "linux-6.12",
        seed: int = 1,
        cpus: int = 1,
        stdout: str = "",
        request: str = "request",
        region: str = "command",
        iterations: Mapping[ByLevel, int] | None = None,
        functions: Mapping[str, Mapping[str, int]] | None = None,
    ) -> RunRecord:
        counted = {name: ByLevel(u=u, k=k) for name, (u, k) in events.items()}
        return RunRecord(
            conditions=Conditions(
                kernel=f"identity of {kernel}",
                userland="userland",
                request=request,
                plugin="plugin",
                emulator="QEMU emulator version 10.0.2",
                cpus=cpus,
                memory=2048,
                kernel_arguments="",
                profile=functions is not None,
                seed=seed,
            ),
            kernel=KernelRecord(
                identity=f"identity of {kernel}",
                spec=kernel,
                release="6.12.117",
                source="linux-source-6.12",
                source_version="6.12.117-1",
                source_digest="5" * 64,
                fragments=("base", "mte-user"),
                compiler="aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0",
            ),
            command=("./mybench", "a b"),
            environment={"GLIBC_TUNABLES": "glibc.mem.tagging=3"},
            time=datetime(2026, 3, 1, 12, tzinfo=UTC),
            wall=8.53,
            host="x86_64, 2 CPUs",
            plugin_version="0.1.0",
            stdout=stdout,
            regions=(RegionRecord(region, 1, 1, counted, iterations or {}, functions or {}),),
            diagnostics={"unreadable_faults": 0},
        )

    return run


def _place(el: str, pc: int, events: Mapping[str, int]) -> dict[str, object]:
    return {"el": el, "pc": pc, "events": dict(events)}
