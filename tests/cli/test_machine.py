# SPDX-License-Identifier: GPL-2.0-or-later
"""The program itself, on the emulated machine with Debian's kernel."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

pytestmark = pytest.mark.machine

GRANULE = [sys.executable, "-m", "granule"]


def _granule(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*GRANULE, *arguments], capture_output=True, text=True, check=False)


def _events(done: subprocess.CompletedProcess[str]) -> Mapping[str, object]:
    assert done.returncode == 0, done.stderr
    (region,) = json.loads(done.stdout)["regions"]
    return {row["event"]: row["total"]["mean"] for row in region["events"]}


def test_two_runs_give_the_same_counts() -> None:
    first, second = (_events(_granule("stat", "--json", "--", "/bin/true")) for _ in range(2))
    assert first == second
    assert first["exceptions"] == first["eret"]
    assert first["svc"] != 0


def _of_kernel(done: subprocess.CompletedProcess[str], side: str) -> Mapping[str, object]:
    """What a kernel executed, by event, in a report of ``stat`` or one side of ``diff``."""
    assert done.returncode == 0, done.stderr
    (region,) = json.loads(done.stdout)["regions"]
    rows = [row for row in region["events"] if row.get("level", "k") == "k"]
    return {row["event"]: row[side]["mean"] for row in rows if row[side]["mean"]}


def test_stat_and_diff_count_the_same() -> None:
    """With ``diff`` comes a profile, and with that symbols that ``stat`` has no use for."""
    command = ["--", "ls", "/usr/bin"]
    alone = _of_kernel(_granule("stat", "--json", "-e", "*", *command), "k")
    compared = _granule("diff", "--json", "-e", "*", "debian", "debian", *command)
    assert alone == _of_kernel(compared, "base") == _of_kernel(compared, "cand")


def test_a_kernel_does_not_differ_from_itself() -> None:
    done = _granule("diff", "debian", "debian", "--", "/bin/true")
    assert done.returncode == 0, done.stderr
    assert "no event moved" in done.stdout
    assert "with 0 wins, 0 losses and" in done.stdout


def test_a_profile_names_functions_and_adds_up(tmp_path: Path) -> None:
    graph = tmp_path / "isb.svg"
    done = _granule("profile", "--json", "-e", "isb", "--flame", str(graph), "--", "/bin/true")
    assert done.returncode == 0, done.stderr
    (region,) = json.loads(done.stdout)["regions"]
    shares = [row["events"][0]["share"] for row in region["functions"]]
    assert sum(shares) == pytest.approx(1)
    assert "[unknown]" not in [row["function"] for row in region["functions"]]
    assert graph.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("command", "code", "sentence"),
    [
        (["sh", "-c", "echo no >&2; exit 3"], 1, "exited with 3"),
        (["sh", "-c", "kill -SEGV $$"], 1, "killed by signal 11"),
        (["no-such-program"], 2, "no program 'no-such-program'"),
    ],
)
def test_how_a_command_fails(command: list[str], code: int, sentence: str) -> None:
    done = _granule("stat", "--", *command)
    assert done.returncode == code
    assert sentence in done.stderr


def test_an_interrupt_leaves_nothing_behind() -> None:
    # A guest that sleeps is over at once, as no time passes for a machine that idles.
    endless = ["sh", "-c", "while :; do :; done"]
    with subprocess.Popen(
        # Tests that run in the background ignore interrupts, and so would this.
        ["env", "--default-signal=INT", *GRANULE, "stat", "--", *endless],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        assert any("exceptions taken" in line for line in process.stderr)
        emulators = _emulators(process.pid)
        assert emulators
        process.send_signal(signal.SIGINT)
        process.stderr.read()
        assert process.wait(timeout=30) == 130
    for emulator in emulators:
        with pytest.raises(ProcessLookupError):
            os.kill(emulator, 0)


def _emulators(parent: int) -> list[int]:
    """The children of a process that are QEMU."""
    return [
        int(pid)
        for task in Path(f"/proc/{parent}/task").iterdir()
        for pid in (task / "children").read_text().split()
        if b"qemu-system" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


def test_several_cpus_show_their_spread() -> None:
    done = _granule(
        "stat", "--cpus", "2", "-n", "3", "--json", "-e", "svc,instructions", "--", "ls"
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["machine"]["vcpus"], report["machine"]["repeatable"]) == (2, False)
    assert len(report["machine"]["runs"]) == 3
    (svc, instructions) = (row["total"] for row in report["regions"][0]["events"])
    assert svc["minimum"] == svc["maximum"] > 0
    assert instructions["interval"] > 0


def test_a_kernel_that_complains_is_not_silently_believed() -> None:
    """The log is read to its end, which errors alone would reach on the console."""
    script = "echo 'WARNING: CPU: 0 PID: 1 at mm/mmap.c:5 do_mmap+0x14/0xff8' > /dev/kmsg"
    done = _granule("stat", "-e", "svc", "--", "sh", "-c", script)
    assert done.returncode == 1
    assert "WARNING: CPU: 0 PID: 1 at mm/mmap.c:5 do_mmap+0x14/0xff8" in done.stdout
    assert "Kernel debian complained in its log: find out why" in done.stderr
    log = Path(done.stdout.rpartition("The whole log: ")[2].strip())
    assert "do_mmap" in log.read_text()
    accepted = _granule("stat", "-e", "svc", "--tolerate-reports", "--", "sh", "-c", script)
    assert accepted.returncode == 0
    assert "complained in its log" in accepted.stdout
