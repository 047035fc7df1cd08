# SPDX-License-Identifier: GPL-2.0-or-later
"""A stand-in for QEMU on PATH, which does what a test tells it to."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from granule.targets import Job, QemuTarget
from granule.userland import Request

_PRELUDE = f"""#!{sys.executable}
import io, json, os, signal, sys, tarfile, time
arguments = sys.argv[1:]
if arguments == ["--version"]:
    print("QEMU emulator version 10.0.2 (Debian 1:10.0.2+ds-2)")
    sys.exit(0)
values = dict(part.partition("=")[::2] for a in arguments for part in a.split(","))
paths = {{}}
for argument in arguments:
    parts = dict(part.partition("=")[::2] for part in argument.split(","))
    if "path" in parts:
        paths[parts["id"]] = parts["path"]
console, results = paths["console"], paths["results"]

def say(text):
    with open(console, "a") as log:
        log.write(text + "\\n")

def beat(number):
    with open(values["heartbeat"], "wb") as file:
        file.write(number.to_bytes(8, "little"))

def leave(members):
    with tarfile.open(results, mode="w:", format=tarfile.USTAR_FORMAT) as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))

def count(regions=()):
    command = dict(name="command", opened=1, closed=1, events=dict(instructions=dict(u=7, k=9)))
    with open(values["out"], "w") as file:
        json.dump(dict(format="granule-counts", version=1, plugin="0.1.0", qemu_api=4, vcpus=1,
                       regions=[command], diagnostics={{}}), file)

ALL = dict(stdout="out", stderr="err", uname="Linux (none) 6.12.0 #1 SMP aarch64", dmesg="log",
           status="exit 0")
say("[    0.000000] Booting Linux")
"""

Script = Callable[[str], QemuTarget]


@pytest.fixture
def qemu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """A target whose QEMU runs the given Python lines."""

    def install(body: str) -> QemuTarget:
        tools = tmp_path / "tools"
        tools.mkdir(exist_ok=True)
        program = tools / "qemu-system-aarch64"
        program.write_text(_PRELUDE + body)
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tools), prepend=":")
        plugin = tmp_path / "plugin.so"
        plugin.touch()
        return QemuTarget(plugin, tmp_path / "runs")

    return install


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job whose files exist and have nothing in them."""
    for name in ("Image", "init", "userland.cpio"):
        (tmp_path / name).touch()
    return Job(
        kernel=tmp_path / "Image",
        init=tmp_path / "init",
        userland=tmp_path / "userland.cpio",
        request=Request(argv=("true",)),
    )
